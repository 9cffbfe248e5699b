/** The connection of one client. Every message through its {@link Transport} is recorded in the store. */

import { type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { readOnly } from '../base/settings.ts'
import type { Direction, HttpFacts } from '../messages/entry.ts'
import { frameOf } from '../messages/frame.ts'
import type { Store } from '../messages/store.ts'
import { answersPing, hostNeedingConsent, readsOnly } from './consent.ts'
import type { Dialer, Transport, TransportEvents } from './transport.ts'

/** Kinds of connections whose address the user enters. */
const remoteKinds: ReadonlySet<Dialer['kind']> = new Set(['http', 'ws', 'frame'])

export type ConnectionState = 'connecting' | 'open' | 'closed'

/** Called with each row of a connection, its text, and the message (undefined: no JSON), right after it was pushed. */
export type RowListener = (row: number, text: string, message: unknown) => void

let last = 0

export class Connection {
  /** From 1; also the value of the store's column. */
  readonly id = ++last
  readonly dialer: Dialer
  /** `A`, `B` … */
  readonly letter: string
  readonly state: Signal<ConnectionState> = signal('connecting')
  /** Why it closed, or does not open, for the user; `''` before. */
  readonly reason = signal('')
  readonly #store: Store
  readonly #queue: string[] = []
  readonly #listeners = new Set<RowListener>()
  readonly #failures = new Set<(row: number, text: string, reason: string) => void>()
  #transport: Transport | undefined
  #turn = 0 // counts the transports of this connection

  constructor(dialer: Dialer, letter: string, store: Store) {
    this.dialer = dialer
    this.letter = letter
    this.#store = store
  }

  /** Opens the transport, then sends queued messages in order. Settles when it is open or failed; never rejects. */
  async open(): Promise<void> {
    const turn = ++this.#turn
    this.state.value = 'connecting'
    this.reason.value = ''
    try {
      const { kind, url } = this.dialer
      const host = remoteKinds.has(kind) ? hostNeedingConsent(url) : undefined
      if (host !== undefined) throw new Error(t('connections.notAgreed', { host }))
      const transport = await this.dialer.dial(this.#events(() => turn === this.#turn))
      if (turn !== this.#turn || this.state.peek() === 'closed') {
        transport.close()
        return
      }
      this.#transport = transport
    } catch (error) {
      if (turn === this.#turn) this.#closed(error instanceof Error ? error.message : String(error))
      return
    }
    this.reason.value = ''
    this.state.value = 'open'
    for (const text of this.#queue.splice(0)) this.#transport.send(text)
  }

  /** @param present - whether this transport is still the connection's: events of an older one are ignored */
  #events(present: () => boolean): TransportEvents {
    return {
      received: (text, framing, http) => present() && this.#push('in', text, framing, http),
      observed: (direction, text, framing) => present() && this.#push(direction, text, framing),
      failed: (text, reason) => {
        if (!present()) return
        const row = this.note(`failed: ${reason}`)
        this.#store.end(this.id, frameOf(text).id, text)
        for (const fail of this.#failures) fail(row, text, reason)
      },
      note: (line, time) => present() && this.note(line, time),
      waiting: (reason) => {
        if (present()) this.reason.value = reason
      },
      closed: (reason) => present() && this.#closed(reason),
    }
  }

  /** Closes the transport and opens a new one, as a client does that starts over. Rows and ids continue. */
  async reopen(): Promise<void> {
    const old = this.#transport
    this.#turn++
    this.#transport = undefined
    this.state.value = 'closed'
    old?.close()
    this.note('reconnects')
    await this.open()
  }

  /**
   * Sends a text unchanged and returns its row. While the connection opens, the message is queued; its row
   * exists at once.
   *
   * @throws Error on a read-only connection
   */
  send(text: string): number {
    if (this.dialer.readOnly) throw new Error('this connection is read-only')
    if (readOnly && this.dialer.kind !== 'in-page' && !readsOnly(text) && !answersPing(text)) {
      const row = this.note('not sent: this view only reads')
      for (const fail of this.#failures) fail(row, text, 'this view only reads')
      return row
    }
    const facts = this.#transport?.facts?.(text)
    const row = this.#push('out', text, this.dialer.framing, facts)
    if (this.#transport) this.#transport.send(text)
    else if (this.state.peek() === 'connecting') this.#queue.push(text)
    else this.note('not sent: the connection is closed')
    return row
  }

  /** Adds a row about this connection that is not a message. */
  note(line: string, time?: number): number {
    return this.#store.push({
      connection: this.id,
      direction: 'world',
      framing: 'world',
      raw: line,
      time,
    })
  }

  /** The direction of a row. */
  direction(row: number): Direction {
    return this.#store.direction(row)
  }

  /** Calls `listener` with each further row; returns stops that. */
  watch(listener: RowListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Calls `failed` for each sent text that gets no response. */
  onFailure(failed: (row: number, text: string, reason: string) => void): void {
    this.#failures.add(failed)
  }

  close(): void {
    this.#transport?.close()
    this.#closed()
  }

  #push(direction: 'in' | 'out', raw: string, framing: Dialer['framing'], http?: HttpFacts) {
    const row = this.#store.push({ connection: this.id, direction, framing, raw, http })
    const message = this.#store.message(row)
    for (const listener of this.#listeners) listener(row, raw, message)
    return row
  }

  #closed(reason = '') {
    if (this.state.peek() === 'closed') return
    this.#transport = undefined
    this.reason.value = reason
    this.state.value = 'closed'
    this.note(reason ? `closed: ${reason}` : 'closed')
  }
}
