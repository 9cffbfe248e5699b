/**
 * The calls between the window and the engine's thread, one table for each direction: link.ts types both sides by them. Each
 * function has one argument, which is cloned unless it is moved, and those that return something are requests.
 */

import type { AccessDecision, GrantTable } from './access-types.ts'
import type { HandlerOutcome } from './call.ts'
import type { ReadEvent } from './clients.ts'
import type { Ready } from './contents.ts'
import type { GatewayQuestion } from './credentials.ts'
import type { EngineOptions } from './engine.ts'
import type { Dial, GatewayState } from './gateway-types.ts'
import type { SerializedError } from './link.ts'
import type { Port } from './port.ts'
import type { Change } from './registry.ts'
import type { Changed, Contents, Listing, Portable, Template } from './source.ts'

/** What has changed: a URI, a list, or the list of resources. */
export type What = Parameters<Changed>[0]

/** Calls of the engine's thread by the window. The window chooses the numbers, above 0. */
export interface EngineCalls {
  start(args: Start): void
  /** Adds or removes registrations. */
  apply(change: Change): void
  publish(args: { ref: number; uri: string; ready: Ready | undefined; isServed: boolean }): void
  mount(args: {
    number: number
    prefix: string
    able: number
    portable: Portable | undefined
  }): void
  unmount(number: number): void
  /** What was registered has changed. */
  changed(what: What): void
  /** A source in the window has changed. */
  watched(args: { source: number; what: What; under: boolean | undefined }): void
  /** Serves a port until it closes; {@link WindowCalls.closed} follows. */
  open(args: { number: number; port: Port; principal: string }): void
  /** Ends a port, with a last message. */
  shut(args: { number: number; reason: string }): void
  /** Joins a gateway; the page's name there, after the first time. */
  connect(args: { number: number; dial: Dial }): string
  disconnect(number: number): void
  /** A handler has sent progress or a log message of a running {@link WindowCalls.call}. */
  update(args: { number: number; what: number; text: string }): void
  /** Replaces the decisions about assistants. */
  setAccess(table: GrantTable): void
  alive(): void
  /** An event has woken the page, or the browser stops it now. */
  wake(asleep: boolean): void
  watchReads(on: boolean): void
  close(): void
}

export interface Start {
  options: EngineOptions
  module: WebAssembly.Module
  /** Whether the window has a hook that contents pass. */
  redacts: boolean
  /** The name of a Web Lock: the window notices its release. */
  lock: string
}

/** What the engine's thread needs from the window. */
export interface WindowCalls {
  /** Reads what was registered. */
  provide(args: ProvideArguments): Ready | undefined
  list(args: {
    source: number
    cursor: string | undefined
    pageSize: number
    client?: string | undefined
  }): Listing
  readSource(args: { source: number; uri: string; client?: string | undefined }): Contents[]
  templates(args: { source: number }): Template[]
  redact(args: { prefix: string; uri: string; contents: Contents[] }): Contents[]
  /** Calls a prompt, tool or completion; source 0 is what was registered. */
  call(args: { number: number; source: number; what: number; text: string }): HandlerOutcome
  watch(args: { source: number; on: boolean }): void
  /** Answers when earlier calls of `watch` have been handled: messages keep their order. */
  watching(): void
  pageId(): string
  newPageId(): string
  /** A gateway has refused the key of the page. */
  forgotten(): void
  /** A token for the gateway with this number, from the app. */
  token(number: number): unknown
  confirm(question: GatewayQuestion): boolean
  /** The Worker runs. */
  loaded(): void
  /** The Worker works off messages. */
  alive(): void
  /** The Worker holds the lock of {@link Start.lock}. */
  held(lock: string): void
  /** A port has closed. */
  closed(number: number): void
  /** The Go program has ended, and the Worker ends. */
  ended(why: string): void
  gatewayState(args: { number: number; state: GatewayState }): void
  read(event: ReadEvent): void
  /** Requests that were decided by grants, and answered. */
  decided(decisions: AccessDecision[]): void
  report(error: SerializedError): void
}

export interface ProvideArguments {
  ref: number
  uri: string
  /** JSON text, or `''`. */
  variables: string
}
