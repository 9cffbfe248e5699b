/**
 * A client of a conformance run: a connection, and what was sent and received over it, in order. It is bounded
 * in time and messages, and ends with the run.
 */

import { afterPatience } from '../base/patience.ts'
import type { Connection } from '../connections/connection.ts'
import type { Store } from '../messages/store.ts'
import { clientInfo, type Params, type Revision, request } from '../protocol/revisions.ts'

/** The revision of each era that a run speaks. */
export const revisionOf = { D: '2025-11-25', E: '2026-07-28' } as const satisfies Record<
  string,
  Revision
>

/** The classic era, and the modern one. */
export type Era = keyof typeof revisionOf

/** A request that was sent. */
export interface Asked {
  row: number
  id: unknown
  method: string
  params: Params
  era: Era
  reply?: Got
}

/** A message that was received. */
export interface Got {
  row: number
  text: string
  message: Params
  /** The request that it responds to. */
  asked?: Asked
}

/** The outcome of a request. Without `result` and `error` there was no response. */
export interface Reply {
  row: number
  text: string
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

export const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const silent: Omit<Reply, 'row'> = { text: '' }

const maxUnanswered = 3

/** The id of a text that is a request, also one whose other members are not valid. */
function idOf(text: string): string | number | undefined {
  try {
    const message: unknown = JSON.parse(text)
    if (!isObject(message) || typeof message.method !== 'string') return undefined
    return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : undefined
  } catch {
    return undefined
  }
}

/** Whether a message responds to a request. */
export const isResponse = ({ message }: Got): boolean =>
  message.method === undefined && ('result' in message || 'error' in message)

export class Peer {
  readonly got: Got[] = []
  readonly asked: Asked[] = []
  /** The era of the handshake. */
  readonly era: Era
  /** The HTTP status of a response, if it has one. */
  readonly status: (row: number) => number | undefined
  readonly #connection: Connection
  readonly #bounds: Bounds
  readonly #waiting = new Set<() => void>()
  #lastId = 0
  /** Texts of {@link raw} in a row whose response was waited for in vain. */
  #unanswered = 0

  constructor(connection: Connection, era: Era, bounds: Bounds, store: Store) {
    this.era = era
    this.status = (row) => store.http(row)?.status
    this.#connection = connection
    this.#bounds = bounds
    connection.watch((row, text) => {
      if (connection.direction(row) !== 'in') return
      bounds.bytes -= text.length
      let message: unknown
      try {
        message = JSON.parse(text)
      } catch {
        // recorded as an empty object
      }
      const got: Got = { row, text, message: isObject(message) ? message : { batch: message } }
      if (isResponse(got)) {
        got.asked = this.asked.find(
          ({ id, reply }) => !reply && JSON.stringify(id) === JSON.stringify(got.message.id),
        )
        if (got.asked) got.asked.reply = got
      }
      this.got.push(got)
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
    return this.#connection.dialer.kind
  }

  get isOpen(): boolean {
    return this.#connection.state.peek() === 'open'
  }

  get reason(): string {
    return this.#connection.reason.peek()
  }

  nextId(): number {
    return ++this.#lastId
  }

  /** Sends a text unchanged. */
  send(text: string): number {
    const { signal, bytes } = this.#bounds
    if (signal.aborted || bytes < 0 || this.#bounds.messages-- <= 0) throw new Stopped()
    return this.#connection.send(text)
  }

  notify(method: string, params?: Params): number {
    return this.send(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  /** Sends a request without waiting. `as` is its era, by default that of the handshake. */
  begin(method: string, params?: Params, { as = this.era, id = this.nextId() as unknown } = {}) {
    const message =
      as === 'E'
        ? { ...request(revisionOf.E, 0, method, params), id }
        : { jsonrpc: '2.0', id, method, params }
    // The row is known only afterwards, and a response may come during `send`.
    const asked: Asked = { row: -1, id, method, params: { ...message.params }, era: as }
    this.asked.push(asked)
    asked.row = this.send(JSON.stringify(message))
    return asked
  }

  /** Sends a request, and waits for its response. */
  async ask(method: string, params?: Params, options?: { as?: Era; id?: unknown }): Promise<Reply> {
    return this.reply(this.begin(method, params, options))
  }

  /** Waits for the response to a request. */
  async reply(asked: Asked): Promise<Reply> {
    const failed = () =>
      this.got.some(({ message }) => {
        if (typeof message.failed !== 'string') return false
        const { id } = JSON.parse(message.failed) as Params
        return JSON.stringify(id) === JSON.stringify(asked.id)
      })
    await this.until(() => asked.reply !== undefined || failed())
    return asked.reply ? replyOf(asked.reply) : { row: asked.row, ...silent }
  }

  /**
   * Sends a text, then a request, and waits until that is answered. Returns the responses that came between,
   * and belong to no other request: those to the text. This needs no timeout for a server that is silent, unless the text
   * has an id: servers may answer requests in any order. After some such texts without a response no more is waited.
   *
   * @param options.expected - whether there should be a response
   */
  async raw(text: string, { expected = false } = {}): Promise<Reply[]> {
    const from = this.got.length
    const row = this.send(text)
    const id = idOf(text)
    const belongs = ({ message }: Got) => id === undefined || (message.id ?? id) === id
    const found = () =>
      this.got.slice(from).filter((got) => isResponse(got) && !got.asked && belongs(got))
    const refused = () => this.got.slice(from).some(({ message }) => message.failed === text)
    const isDone = () => found().length > 0 || refused()
    await this.barrier()
    // Over HTTP each message is a request of its own, whose response may be later.
    if (this.kind === 'http' && expected) await this.until(isDone)
    else if (this.kind === 'http') await this.barrier()
    else if (expected && id !== undefined && this.#unanswered < maxUnanswered) {
      await this.until(isDone)
      this.#unanswered = isDone() ? 0 : this.#unanswered + 1
    }
    return found().length > 0 ? found().map(replyOf) : [{ row, ...silent }]
  }

  /** Waits for the response to a harmless request. */
  barrier(as: Era = this.era): Promise<Reply> {
    return this.ask(as === 'E' ? 'server/discover' : 'ping', undefined, { as })
  }

  /** The handshake of a classic client; of a modern one, the description of the server. */
  async handshake(version: string = revisionOf[this.era]): Promise<Reply> {
    if (this.era === 'E') return this.ask('server/discover')
    const reply = await this.ask('initialize', {
      protocolVersion: version,
      capabilities: {},
      clientInfo,
    })
    if (reply.result) this.notify('notifications/initialized')
    return reply
  }

  /** Waits until `holds`, the connection closes, the run stops, or the time is over. */
  async until(holds: () => boolean): Promise<void> {
    const { signal, timeout } = this.#bounds
    const isOver = () => holds() || signal.aborted || this.#connection.state.peek() === 'closed'
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
    this.#connection.close()
  }

  #wake() {
    for (const look of [...this.#waiting]) look()
  }
}

function replyOf({ row, text, message }: Got): Reply {
  const { result, error } = message as { result?: Params; error?: Reply['error'] }
  return { row, text, result, error }
}
