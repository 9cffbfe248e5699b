/** What a connection is to the playground: whole texts in both directions. The bindings are beside this file. */

import type { Framing, HttpFacts } from '../messages/store.ts'

/** An open connection. */
export interface Transport {
  /** Sends a text as it is, broken or not. Never throws: what goes wrong is told by {@link Ears.failed}. */
  send(text: string): void
  /** What HTTP will say around a text that is about to be sent, without secrets. */
  facts?(text: string): HttpFacts
  close(): void
}

/** Who hears what comes from it. */
export interface TransportEvents {
  /** A message came. */
  received(text: string, framing: Framing, http?: HttpFacts): void
  /** A message of others was overheard, which went this way between them. For connections that only listen. */
  observed(direction: 'in' | 'out', text: string, framing: Framing): void
  /** A text that was sent will get no answer, in words for people. */
  failed(text: string, reason: string): void
  /** Something other than a message, worth a row: a stream ended, a session expired. One line. */
  note(line: string): void
  /** It has closed, in words for people; `undefined`: because it was asked to. */
  closed(reason?: string): void
}

/** How a connection is made. Rejects with an Error in words for people. */
export interface Dialer {
  /** For people: `In-page demo`, a page's title, a URL. */
  readonly title: string
  /** What kind it is, for icons, the doctor and what may be shared. */
  readonly kind: 'in-page' | 'gateway' | 'frame' | 'mcp-b' | 'ws' | 'http' | 'tap'
  /** Where to, without secrets; `''` within this page. */
  readonly url: string
  /** What outgoing texts are carried by. */
  readonly framing: Framing
  /** Nothing may be sent: it only listens to others. */
  readonly readOnly?: boolean
  dial(events: TransportEvents): Promise<Transport>
}
