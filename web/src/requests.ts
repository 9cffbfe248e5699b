/** Clients, requests and Documents as clients.ts keeps them, and checks of messages by their shape. */

import type { AccessDecision } from './access-types.ts'
import type { Bodies } from './bodies.ts'
import type { Provide, ReadResult } from './fill.ts'
import type { Port } from './port.ts'
import type { ListName } from './source.ts'

/** A client has read a resource; for the page's own display. */
export interface ReadEvent {
  uri: string
  /** The client's principal: an origin, `page`, `gateway`, `webmcp`, or what `accept` was given. */
  client: string
}

/** What the clients need from the engine and the page. */
export interface ClientsHost {
  provide: Provide
  /** Of registrations. */
  readonly contents: Bodies
  /** A client has read contents; called only while `watchReads` is on. */
  read(event: ReadEvent): void
  /** A request was decided by grants, and answered. */
  decided(decision: AccessDecision): void
  /** An error for the developer, not for clients. */
  report(error: unknown): void
  /** The program has exited. May be called more than once for the same one. */
  died(): void
  /** Lists whose changes are announced. */
  readonly lists: readonly ListName[]
}

/** A channel that carries JSON text: a WebSocket. */
export interface TextChannel {
  send(text: string): void
  /** The program has ended, and with it the client: the channel should be opened again. */
  lost(): void
}

/** A client, seen from its channel. */
export interface Client {
  /** Receives a message: an object from a port, a string from a text channel. */
  receive(message: unknown): void
  /** The channel has closed: ends all requests and subscriptions of this client. */
  close(): void
  /** Closes the client from this side: its running reads fail, a port gets a last message. */
  end(reason: string): void
}

/** What a client, which is a gateway, keeps. */
export interface Mirrored {
  /** By the number of the registration. */
  readonly values: Map<number, MirroredValue>
  /** Values that were sent within the second that began at `since`. */
  sent: number // UTF-16 code units
  since: number // ms
  /** Whether it knows that the browser stops this page. */
  isAsleep: boolean
}

export interface MirroredValue {
  readonly uri: string
  readonly skeleton: ReadResult
  /** Whether the gateway has the present value. */
  isSent: boolean
  /** Values that were sent since the last read that came here. */
  unread: number
  /** The time from which on a further value may be sent, ms. */
  next: number
  timer: ReturnType<typeof setTimeout> | undefined
}

/** The state of a {@link Client}. */
export interface ClientState extends Client {
  readonly number: number
  readonly principal: string
  readonly port: Port | undefined // else a text channel
  readonly channel: TextChannel | undefined
  /** Requests that have no answer yet: by id (port), or by Go's key of the id (text). */
  readonly pending: Map<unknown, PendingRequest>
  /** Number of reads that wait for providers. */
  pendingReads: number
  /** Of a classic session on a port. */
  session: Session | undefined
  /** Messages that wait for the next program. */
  queue: unknown[]
  /** What a gateway keeps of published values; `undefined`: nothing. */
  mirrored: Mirrored | undefined
  isClosed: boolean
}

export type Params = Record<string, unknown>

/** A classic session, as the next program needs it; classic-session.ts. */
export interface Session {
  /** Of `initialize`. */
  readonly params: Params
  initialized: boolean
  /** Of `logging/setLevel`. */
  level: Params | undefined
  readonly uris: Set<string>
}

/** A request that has no answer yet. */
export interface PendingRequest {
  readonly client: ClientState
  readonly call: number
  /** In the answer: a value (port), or the token as it was received (text). */
  readonly id: unknown
  readonly key: unknown
  readonly method: number
  readonly params: Params | undefined
  /** It repeats a request of a classic session for a new program: its answer is for no client. */
  readonly isReplay: boolean
  /** Whether it is in the maps. A request that is answered at once never is. */
  isAdded: boolean
  /** Whether the engine has answered it. */
  isSettled: boolean
  /** Whether its answer is of a modern revision, as far as that is known. */
  isModern: boolean
  /** By grants: an AccessDecision without `bytes` and `ms`, and when it was made; until the answer. */
  decision: { text: string; since: () => number } | undefined
  /** Set while a provider is running. */
  abort: ((reason?: unknown) => void) | undefined
}

/** A Document: text, and the object that is parsed from it when a port needs it. */
export interface CachedDocument {
  readonly text: string
  object: Record<string, unknown> | undefined
}

/** A request that has exactly the expected members, and an id that a number or string holds exactly. */
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

/** Params of a read in the classic revisions: only a uri. */
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

/** The error of requests that a program had not answered when it ended. */
export function endedError(forGood: boolean) {
  return forGood
    ? engineError('The engine is down', 'down', false)
    : engineError('The engine was restarted; ask again', 'restarted', true)
}

/** An error that is detected in JavaScript, in the form of Go's errors.go. */
export function engineError(message: string, reason: string, retry: boolean) {
  return { code: -32603, message, data: { origin: 'engine', reason, retry } }
}
