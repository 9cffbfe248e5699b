/** Types of events that an app offers. */

import type { ToolSchema } from './callee.ts'
import type { JsonSchema } from './checked.ts'
import type { InputOf, StandardSchema } from './standard.ts'

/** Describes an event. */
export interface EventDescription<P extends ToolSchema = JsonSchema> {
  /** For programs, such as `saved`: letters, digits, `_`, `-` and `.`. At a gateway it gets the page's name before it. */
  name: string
  /** For models: what has happened, and what to do then. */
  description: string
  /**
   * The members of `data` by which clients may select occurrences, in its `properties`: with the arguments
   * `{ list: "home" }` a client gets those whose data has that `list`.
   */
  inputSchema?: JsonSchema
  /** What `data` has to fit; `emit` checks it. */
  payloadSchema?: P
  /** Keeps the newest 1,000 occurrences in IndexedDB, so that clients get them after a reload of the page, too. */
  keep?: boolean
  /**
   * Whether `data` may be shown outside of the assistant's conversation, such as in the lines of `pagemcp watch
   * --contents`. Default: it may not.
   */
  show?: boolean
}

/** What an event carries: with a schema of a library, its input. */
export type PayloadOf<P> = P extends StandardSchema ? InputOf<P> : unknown

/** An event that the app offers. */
export interface PageEvent<P extends ToolSchema = JsonSchema> {
  /**
   * Says that the event has happened, now. `data` is copied as JSON. Clients that poll, or have a stream, get it; others
   * get it later by their cursor, unless 1,000 newer ones, or 256 KiB, have taken its place.
   *
   * @returns resolves when the event is on its way to the engine
   * @throws (rejects with) TypeError for data that JSON cannot write, that has more than 16 KiB, or that does not fit the
   *   payloadSchema: the console shows it, if the app does not handle it
   */
  emit(data: PayloadOf<P>): Promise<void>
  /** Takes the event out of the list, and ends its streams. */
  remove(): void
}
