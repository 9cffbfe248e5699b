/**
 * What a client, a request and a Document are to the shim (clients.ts), and what can be told of a
 * message by looking at it.
 */

import type { Gaps } from './fill.ts'
import type { Port } from './port.ts'

/** A channel that carries JSON text: a WebSocket. */
export interface TextChannel {
  send(text: string): void
  /** The program has gone, and with it the client; the channel should be opened anew. */
  lost(): void
}

/** A client, seen from its channel. */
export interface Client {
  /** Takes a message: an object of a port, a string of a text channel. */
  receive(message: unknown): void
  /** The channel is gone: all that this client has ends. */
  close(): void
  /** Ends the client from this side: its reads in flight fail, a port gets a last message. */
  end(reason: string): void
}

/** The inside of a {@link Client}. */
export interface ClientState extends Client {
  readonly number: number
  readonly principal: string
  readonly port: Port | undefined // else a text channel
  readonly channel: TextChannel | undefined
  readonly clones: boolean
  /** Requests that have no answer so far: by id (port), or by Go's key of the id (text). */
  readonly waiting: Map<unknown, PendingRequest>
  filling: number
  /** What the next program has to be told of a classic session on a port. */
  session: Session | undefined
  queue: unknown[]
  closed: boolean
}

export type Params = Record<string, unknown>

/** What a new program has to be told. */
export interface Session {
  /** Of initialize. */
  readonly params: Params
  initialized: boolean
  /** Of logging/setLevel. */
  level: Params | undefined
  readonly uris: Set<string>
}

/** A request that has no answer so far. */
export interface PendingRequest {
  readonly client: ClientState
  readonly call: number
  /** What goes back: a value (port), or the token that was sent (text). */
  readonly id: unknown
  readonly key: unknown
  readonly method: number
  readonly params: Params | undefined
  /** It repeats for a new program what an old one was told: nobody waits for the answer. */
  readonly muted: boolean
  /** Whether it is in the maps. What is answered at once never is. */
  held: boolean
  /** Whether the engine is done with it. */
  settled: boolean
  /** The era of its answer, as far as it is known. */
  modern: boolean
  /** While a provider is asked. */
  abort: ((reason?: unknown) => void) | undefined
}

/** A Document: text, and the object that is made of it when a port needs it. */
export interface CachedDocument {
  readonly text: string
  object: Record<string, unknown> | undefined
  frozen: boolean
}

export type Entry =
  | { what: 'respond'; waiting: PendingRequest; held: CachedDocument }
  | { what: 'fill'; waiting: PendingRequest; held: CachedDocument; gaps: Gaps }
  | { what: 'failed'; waiting: PendingRequest; failure: string }
  | { what: 'end'; waiting: PendingRequest; held: CachedDocument }
  | { what: 'drop'; waiting: PendingRequest }
  | { what: 'refuse'; client: ClientState; failure: string }
  | {
      what: 'notify'
      client: ClientState
      held: CachedDocument
      key: string
      call: PendingRequest | undefined
    }

/** A request whose envelope is exactly as expected, and whose id survives being a number. */
export function isRequest(
  message: unknown,
): message is { id: string | number; method: string; params?: unknown } {
  if (typeof message !== 'object' || message === null) return false
  const { jsonrpc, id, method } = message as Params
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isId(id)) return false
  for (const name in message) {
    if (name !== 'jsonrpc' && name !== 'id' && name !== 'method' && name !== 'params') return false
  }
  return true
}

export function isId(id: unknown): id is string | number {
  return typeof id === 'string' || (Number.isSafeInteger(id) && !Object.is(id, -0))
}

/** The id that Go's `jsonrpc.ID.Key` stands for: a string after a quotation mark, or a number. */
export function idOfKey(key: string): string | number {
  return key.startsWith('"') ? key.slice(1) : Number(key)
}

/** Params as reads of the classic revisions have them: a uri and nothing else. */
export function isOnlyUri(params: unknown): params is { uri: string } {
  if (typeof params !== 'object' || params === null) return false
  if (Object.getPrototypeOf(params) !== Object.prototype) return false
  for (const name in params) if (name !== 'uri') return false
  return typeof (params as Params).uri === 'string'
}

/** Whether text has more bytes of UTF-8 than limit. */
export function isLonger(text: string, limit: number): boolean {
  if (text.length * 3 <= limit) return false
  return text.length > limit || new TextEncoder().encode(text).length > limit
}

/** The error of what the engine had to answer when it ended. */
export function gone(forGood: boolean) {
  return forGood
    ? failure('The engine is down', 'down', false)
    : failure('The engine was restarted; ask again', 'restarted', true)
}

/** What is found out here, in the words of Go's errors.go. */
export function failure(message: string, reason: string, retry: boolean) {
  return { code: -32603, message, data: { origin: 'engine', reason, retry } }
}
