/**
 * A client of a check: a session, and what was sent and received over it, in order. Its log parses the messages and
 * pairs requests with responses. It is bounded in time and messages, and ends with the run.
 */

import { afterPatience } from '../base/patience.ts'
import type { Connection } from '../connections/connection.ts'
import { Session } from '../connections/session.ts'
import type { Store } from '../messages/store.ts'
import {
  clientInfo,
  isModern,
  isObject,
  type Params,
  type Revision,
  request,
} from '../protocol/revisions.ts'

/** A request that was sent. */
export interface Asked {
  row: number
  id: unknown
  method: string
  params: Params
}

/** A message that was received. */
export interface Got {
  row: number
  text: string
  message: Params
}

/** The outcome of a request. Without `result` and `error` there was no response. */
export interface Reply {
  row: number
  text: string
  message?: Params
  result?: Params
  error?: { code: number; message: string; data?: unknown }
}

/** What a run may still do. */
export interface Bounds {
  signal: AbortSignal
  /** Messages that may still be sent, by all clients of the run. */
  messages: number
  /** ms that a response may take. */
  timeout: number
  /** Bytes that may still be received. */
  bytes: number
}

/** The run was stopped, or reached a limit. */
export class Stopped extends Error {}

const maxUnanswered = 3

export class Peer {
  readonly got: Got[] = []
  readonly asked: Asked[] = []
  readonly revision: Revision
  readonly isModern: boolean
  readonly store: Store
  readonly #session: Session
  readonly #bounds: Bounds
  readonly #waiting = new Set<() => void>()
  /** Texts of {@link raw} in a row whose response was waited for in vain. */
  #unanswered = 0

  constructor(connection: Connection, revision: Revision, bounds: Bounds, store: Store) {
    this.revision = revision
    this.isModern = isModern(revision)
    this.store = store
    this.#session = new Session(connection, revision)
    this.#bounds = bounds
    connection.watch((row, text, message) => {
      if (connection.direction(row) !== 'in') return
      bounds.bytes -= text.length
      this.got.push({ row, text, message: isObject(message) ? message : { batch: message } })
      this.#wake()
    })
    connection.onFailure((row, text) => {
      this.got.push({ row, text, message: { failed: text } })
      this.#wake()
    })
    connection.state.subscribe(() => this.#wake())
    bounds.signal.addEventListener('abort', () => this.#wake())
  }

  get kind(): Connection['dialer']['kind'] {
    return this.#session.connection.dialer.kind
  }

  get isOpen(): boolean {
    return this.#session.connection.state.peek() === 'open'
  }

  get reason(): string {
    return this.#session.connection.reason.peek()
  }

  nextId(): number {
    return this.#session.nextId()
  }

  /** The valid request that a message responds to. */
  requestOf({ row }: Got): Asked | undefined {
    const request = this.store.partner(row)
    return this.asked.find((one) => one.row === request)
  }

  /** Sends a text unchanged. */
  send(text: string): number {
    const { signal, bytes } = this.#bounds
    if (signal.aborted || bytes < 0 || this.#bounds.messages-- <= 0) throw new Stopped()
    return this.#session.connection.send(text)
  }

  /** Sends a valid request without waiting. */
  begin(message: Params): Asked {
    const { id, method } = message
    const params = isObject(message.params) ? message.params : {}
    const asked = { row: this.send(JSON.stringify(message)), id, method: String(method), params }
    this.asked.push(asked)
    return asked
  }

  /** Sends a request in the form of the revision, and waits for its response. */
  async ask(method: string, params?: Params): Promise<Reply> {
    return this.reply(
      this.begin({ ...request(this.revision, this.nextId(), method, params) } as Params),
    )
  }

  /** Waits for the response to a request. */
  async reply(asked: Asked): Promise<Reply> {
    await this.until(() => this.#isOver(asked.row))
    const got = this.got.find(({ row }) => row === this.store.partner(asked.row))
    return got ? replyOf(got) : { row: asked.row, text: '' }
  }

  #isOver(row: number): boolean {
    const text = this.store.raw(row)
    return (
      this.store.partner(row) >= 0 || this.got.some(({ message: { failed } }) => failed === text)
    )
  }

  /**
   * Sends a text, then a request, and waits until that is answered. Returns the response that came between, and belongs
   * to no other request: the one to the text. This needs no timeout for a server that is silent, unless the text has an
   * id: servers may answer requests in any order. After some such texts without a response no more is waited.
   *
   * @param expected - whether there should be a response
   */
  async raw(text: string, expected: boolean): Promise<Reply> {
    const from = this.got.length
    const row = this.send(text)
    const sent = this.store.message(row)
    const id = isObject(sent) && typeof sent.method === 'string' ? sent.id : undefined
    const known = typeof id === 'string' || typeof id === 'number'
    const found = () =>
      this.got
        .slice(from)
        .find(
          (got) =>
            /result|error/.test(this.store.kind(got.row)) &&
            !this.requestOf(got) &&
            (!known || (got.message.id ?? id) === id),
        )
    const isDone = () => found() !== undefined || this.#isOver(row)
    await this.barrier()
    // Over HTTP each message is a request of its own, whose response may be later.
    if (this.kind === 'http' && expected) await this.until(isDone)
    else if (this.kind === 'http') await this.barrier()
    else if (expected && known && this.#unanswered < maxUnanswered) {
      await this.until(isDone)
      this.#unanswered = isDone() ? 0 : this.#unanswered + 1
    }
    const got = found()
    return got ? replyOf(got) : { row, text: '' }
  }

  /** Waits for the response to a harmless request. */
  barrier(): Promise<Reply> {
    return this.ask(this.isModern ? 'server/discover' : 'ping')
  }

  /** The handshake of a classic client; of a modern one, the description of the server. */
  async handshake(version: string = this.revision): Promise<Reply> {
    if (this.isModern) return this.ask('server/discover')
    const reply = await this.ask('initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo,
    })
    if (reply.result) this.send('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return reply
  }

  /** Waits until `holds`, the connection closes, the run stops, or the time is over. */
  async until(holds: () => boolean): Promise<void> {
    const { signal, timeout } = this.#bounds
    const isOver = () =>
      holds() || signal.aborted || this.#session.connection.state.peek() === 'closed'
    await new Promise<void>((resolve) => {
      const end = () => {
        stop()
        this.#waiting.delete(look)
        resolve()
      }
      const look = () => {
        if (isOver()) end()
      }
      const stop = afterPatience(end, timeout)
      this.#waiting.add(look)
      look()
    })
    if (signal.aborted) throw new Stopped()
  }

  close(): void {
    this.#session.connection.close()
  }

  #wake() {
    for (const look of [...this.#waiting]) look()
  }
}

export function replyOf({ row, text, message }: Got): Reply {
  const { result, error } = message as { result?: Params; error?: Reply['error'] }
  return { row, text, message, result, error }
}
