/** Transports: whole texts in both directions. The bindings are in this directory. */

import type { Signal } from '@preact/signals'
import type { Framing, HttpFacts } from '../messages/entry.ts'

/** An open transport. */
export interface Transport {
  /** Sends a text unchanged, valid or not. Never throws: {@link TransportEvents.failed} reports failures. */
  send(text: string): void
  /** The HTTP headers of a text that is about to be sent, without secrets. */
  facts?(text: string): HttpFacts
  close(): void
}

/** Callbacks of a transport. */
export interface TransportEvents {
  /** A message was received. */
  received(text: string, framing: Framing, http?: HttpFacts): void
  /** A monitored message of other clients, with its direction. */
  observed(direction: 'in' | 'out', text: string, framing: Framing): void
  /** A sent text gets no response, with the reason for the user. */
  failed(text: string, reason: string): void
  /** An event other than a message, in one line: a stream ended, a session expired. `time`: ms since 1970; default: now. */
  note(line: string, time?: number): void
  /** The server has not answered yet, with a possible cause for the user. */
  waiting(reason: string): void
  /** The transport closed, with the reason for the user; `undefined`: the playground closed it. */
  closed(reason?: string): void
}

/** The name of an assistant: one that the gateway vouches for, or one that it only claims. */
export interface AssistantName {
  name: string
  isVouched: boolean
}

/** Opens a transport. Rejects with an Error whose message is shown to the user. */
export interface Dialer {
  /** Shown to the user: `In-page demo`, a page's title, a URL. */
  readonly title: string
  /** The kind of connection, for icons, diagnosis and redaction. */
  readonly kind: 'in-page' | 'gateway' | 'frame' | 'ws' | 'http' | 'tap'
  /** The address without secrets; `''` within this page. */
  readonly url: string
  /** The framing of outgoing texts. */
  readonly framing: Framing
  /** Read-only: it monitors other clients, and sends nothing. */
  readonly readOnly?: boolean
  /** Monitored: the page, and its client; undefined while there is none, or if there are several. */
  readonly monitors?: {
    readonly page: string
    readonly assistant: Signal<AssistantName | undefined>
  }
  /** The server is the demo, whose page and data Explore shows. */
  readonly demo?: boolean
  /** HTTP: the same server, with headers that replace those of the messages. */
  withHeaders?(headers: readonly (readonly [string, string])[]): Dialer
  dial(events: TransportEvents): Promise<Transport>
}
