/** The open clients: each is a connection, the session on it, and its drafts. */

import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { store } from '../messages/log.ts'
import { newest, type Revision } from '../protocol/revisions.ts'
import { Connection } from './connection.ts'
import { Drafts, keep, storedDrafts } from './drafts.ts'
import { Session } from './session.ts'
import type { Dialer } from './transport.ts'

/** In the order in which they were opened. */
export const sessions: Signal<readonly Session[]> = signal([])

/** The client that Send uses. */
export const active: Signal<Session | undefined> = signal(undefined)

/** Drafts of no open client: of the last visit, or of a client that was closed. The next client takes them over. */
const idle = storedDrafts()

/** The drafts of the active client. */
export const drafts: ReadonlySignal<Drafts> = computed(() => active.value?.drafts ?? idle)

/** The revision of the active client, or of the next one. */
export const revision: ReadonlySignal<Revision> = computed(() => drafts.value.revision.value)

let letters = 0

interface Options {
  handshake?: boolean
  /** The user did not ask for it: the active client stays. */
  beside?: boolean
  /** Default: that of the active client. */
  as?: Revision
  /** Its drafts end with it. */
  temporary?: boolean
}

/**
 * Opens a connection and its session, and makes it active. Sends the handshake unless the connection is
 * read-only.
 */
export function connect(
  dialer: Dialer,
  { handshake = true, beside = false, as = revision.peek(), temporary = beside }: Options = {},
): Session {
  const letter = String.fromCharCode(65 + (letters++ % 26))
  const connection = new Connection(dialer, letter, store)
  const isNew = temporary || dialer.readOnly === true || isTaken(idle)
  if (!isNew) idle.revision.value = as
  const session = new Session(connection, as, isNew ? new Drafts(as, { temporary }) : idle)
  sessions.value = [...sessions.peek(), session]
  if (!beside) active.value = session
  if (handshake && !dialer.readOnly) session.handshake()
  connection.open()
  return session
}

const isTaken = (one: Drafts) => sessions.peek().some((session) => session.drafts === one)

/** Changes the revision: the active client reconnects with it. Settles after the handshake. */
export async function setRevision(wanted: Revision): Promise<void> {
  const session = active.peek()
  if (session === undefined) idle.revision.value = wanted
  else if (!session.connection.dialer.readOnly && session.revision.peek() !== wanted)
    await session.restart(wanted)
}

/** The open session of a connection. */
export const sessionOf = (connection: number): Session | undefined =>
  sessions.peek().find((session) => session.connection.id === connection)

/** Closes a client and removes it. Its rows stay. */
export function disconnect(session: Session): void {
  session.connection.close()
  sessions.value = sessions.peek().filter((one) => one !== session)
  if (active.peek() === session) active.value = sessions.peek().at(-1)
  if (!isTaken(idle)) idle.revision.value = newest
}

/** Stores the drafts from now on. Called once. */
export const keepDrafts = (): void =>
  keep(() => new Set([idle, ...sessions.value.map((session) => session.drafts)]))
