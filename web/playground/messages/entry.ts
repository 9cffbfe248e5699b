/** A row of the message store, and the values of its columns. */

import type { FrameKind, Outcome } from './frame.ts'

/** `out`: sent by a client. `in`: received by it. `world`: an event, no message. */
export type Direction = 'out' | 'in' | 'world'

/** The framing of the message. */
export type Framing = 'port' | 'ws' | 'http' | 'sse' | 'world'

/** HTTP data of a message. Headers are lower case and never contain secrets. */
export interface HttpFacts {
  method?: string
  url?: string
  status?: number
  headers?: Readonly<Record<string, string>>
  /** Id and name of the stream's event. */
  event?: { id?: string; name?: string }
}

/** A row to push. */
export interface Entry {
  /** {@link Connection.id}; 0: events of the demo. */
  connection: number
  direction: Direction
  framing: Framing
  /** The exact text. Of an event: one line of English, `verb what`. */
  raw: string
  /** ms since 1970; default now. */
  time?: number
  http?: HttpFacts
}

export const directions: readonly Direction[] = ['out', 'in', 'world']
export const framings: readonly Framing[] = ['port', 'ws', 'http', 'sse', 'world']
export const kinds: readonly FrameKind[] = [
  'request',
  'notification',
  'result',
  'error',
  'batch',
  'broken',
  'world',
]

/** Of results, what they say; of requests without a response, why none will come. */
export type State = Outcome | 'cancelled' | 'unanswered'

export const states: readonly State[] = ['', 'failed', 'input', 'task', 'cancelled', 'unanswered']

/** Whether an event ends the waiting requests of its connection. */
export const endsRequests = (event: string): boolean => /^(closed|reconnects|not sent)/.test(event)
