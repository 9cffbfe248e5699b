/** What the panes share. Everything else is a pane's own. */

import { computed, type Signal, signal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { Lane } from '../connections/connection.ts'
import { Session } from '../connections/session.ts'
import type { Dialer } from '../connections/transport.ts'
import { Store } from '../messages/store.ts'
import { newest, type Revision } from '../protocol/revisions.ts'

/** What passed, and what happened. */
export const store = new Store()

/** The clients, in the order in which they came. */
export const sessions: Signal<readonly Session[]> = signal([])

/** Whose turn it is: what Send sends goes to its lane. */
export const active: Signal<Session | undefined> = signal(undefined)

/** The revision that new lanes speak, and the composer writes. */
export const revision: Signal<Revision> = signal(newest)

/** The row that Inspect shows; undefined: the newest answer. */
export const selected: Signal<number | undefined> = signal(undefined)

export const panes = ['explore', 'compose', 'inspect', 'timeline'] as const
export type Pane = (typeof panes)[number]

/** On a narrow screen, the one that is seen. */
export const pane: Signal<Pane> = signal('compose')

/** What Explore shows. */
export const exploring: Signal<
  'resources' | 'templates' | 'prompts' | 'tools' | 'subscriptions' | 'world'
> = signal('resources')

/** What the pane on the left holds. */
export const side: Signal<'explore' | 'lessons'> = signal('explore')

/** The dialog that is open. */
export const dialog: Signal<'palette' | 'keys' | 'share' | 'connect' | undefined> =
  signal(undefined)

/** What stands above the composer while a lesson runs. Whoever sets it brings its module along. */
export const coach: Signal<ComponentType | undefined> = signal(undefined)

/** While true the living world does not change by itself, so that what people do can be told from it. */
export const resting = signal(false)

/** How the timeline is drawn. */
export const timelineView: Signal<'list' | 'sequence' | 'wire'> = signal('list')

/** What the timeline shows of the rows; the grammar is timeline/filter.ts. */
export const filter = signal('')

/** While true, the timeline stays where it is, and nothing is read out. */
export const paused = signal(false)

/** Presenting: the sequence large, the composer away. */
export const presenting = signal(false)

/** Lanes of the open clients. */
export const lanes = computed(() => sessions.value.map((session) => session.lane))

let letters = 0

/** Opens a lane and its session, and greets unless the lane only listens. The lane becomes the active one. */
export function connect(dialer: Dialer, { greet = true }: { greet?: boolean } = {}): Session {
  const letter = String.fromCharCode(65 + (letters++ % 26))
  const lane = new Lane(dialer, letter, store)
  const session = new Session(lane, revision.peek())
  sessions.value = [...sessions.peek(), session]
  active.value = session
  if (greet && !dialer.readOnly) session.greet()
  lane.open()
  return session
}

/** Lets the active client speak another revision, from now on and from the beginning. */
export function speak(wanted: Revision): void {
  revision.value = wanted
  const session = active.peek()
  if (session === undefined || session.lane.dialer.readOnly) return
  if (session.revision.peek() !== wanted) session.restart(wanted)
}

/** Closes a session's lane and takes it out. Its rows stay. */
export function disconnect(session: Session): void {
  session.lane.close()
  sessions.value = sessions.peek().filter((one) => one !== session)
  if (active.peek() === session) active.value = sessions.peek().at(-1)
}

/** Says that something happened in the world: a row of lane 0. `what` is one line of English. */
export function happened(what: string): number {
  return store.push({ lane: 0, direction: 'world', framing: 'world', raw: what })
}

/** What the panes ask each other for; the pane in brackets sets it. Never called before all panes are there. */
export interface Requests {
  /** [compose] Puts a frame into a new tab of the composer, and shows it. */
  compose(text: string, options?: { title?: string }): void
  /** [compose] What stands in the composer. */
  composed(): string
  /** [compose] Sends what stands in the composer on the active lane. */
  send(): number | undefined
  /** [inspect] Shows a row, in Inspect. */
  inspect(row: number): void
  /** [app] Says one sentence to people: a toast, and to screen readers. */
  announce(text: string): void
}

export const ask: Requests = {
  compose: () => {},
  composed: () => '',
  send: () => undefined,
  inspect(row) {
    selected.value = row
    pane.value = 'inspect'
  },
  announce: () => {},
}
