/** The open clients: each is a connection and the session on it. */

import { type Signal, signal } from '@preact/signals'
import { store } from '../messages/log.ts'
import { newest, type Revision } from '../protocol/revisions.ts'
import { Connection } from './connection.ts'
import { Session } from './session.ts'
import type { Dialer } from './transport.ts'

/** In the order in which they were opened. */
export const sessions: Signal<readonly Session[]> = signal([])

/** The client that Send uses. */
export const active: Signal<Session | undefined> = signal(undefined)

/** The revision of new clients and of the composer. */
export const revision: Signal<Revision> = signal(newest)

let letters = 0

/**
 * Opens a connection and its session, and makes it active. Sends the handshake unless the connection is
 * read-only.
 *
 * @param beside - the user did not ask for it: the active client stays
 */
export function connect(
  dialer: Dialer,
  { handshake = true, beside = false }: { handshake?: boolean; beside?: boolean } = {},
): Session {
  const letter = String.fromCharCode(65 + (letters++ % 26))
  const connection = new Connection(dialer, letter, store)
  const session = new Session(connection, revision.peek())
  sessions.value = [...sessions.peek(), session]
  if (!beside) active.value = session
  if (handshake && !dialer.readOnly) session.handshake()
  connection.open()
  return session
}

/** Changes the revision; the active client reconnects with it. Settles after the handshake. */
export async function setRevision(wanted: Revision): Promise<void> {
  revision.value = wanted
  const session = active.peek()
  if (session === undefined || session.connection.dialer.readOnly) return
  if (session.revision.peek() !== wanted) await session.restart(wanted)
}

/** The open session of a connection. */
export const sessionOf = (connection: number): Session | undefined =>
  sessions.peek().find((session) => session.connection.id === connection)

/** Closes a client and removes it. Its rows stay. */
export function disconnect(session: Session): void {
  session.connection.close()
  sessions.value = sessions.peek().filter((one) => one !== session)
  if (active.peek() === session) active.value = sessions.peek().at(-1)
}
