/** The engine as its thread sees it: what it is started with, what it needs, and what it can be made to do. */

import type { AccessDecision, GrantTable } from './access-types.ts'
import type { HandlerOutcome, SendUpdate } from './call.ts'
import type { Clients, ReadEvent } from './clients.ts'
import type { Ready } from './contents.ts'
import type { Provide } from './fill.ts'
import type { Descriptions, WireCacheHints } from './registry.ts'
import type { Contents, Icon, Json, ListName, Source } from './source.ts'
import type { GoRuntime } from './wasm.ts'

/** The engine's description of itself, and its settings. */
export interface EngineOptions {
  /** For programs. */
  name: string
  /** For people. */
  title?: string
  version: string
  websiteUrl?: string
  icons?: Icon[]
  /** For models: how to use what this engine serves. */
  instructions?: string
  /** Resources in a page of a list; at most 1,000. */
  pageSize: number
  /** The capabilities that are declared and served. */
  tools?: boolean
  prompts?: boolean
  completions?: boolean
  logging?: boolean
  noSubscribe?: boolean
  noListChanged?: boolean
  /** Of lists. */
  cacheHints?: WireCacheHints
  extensions?: Record<string, Json>
  /** Nothing is allowed before {@link Engine.setGrants}. */
  asks?: boolean
}

/** `down`: the program ended three times within a minute, and is not started again. */
export type EngineState = 'running' | 'restarting' | 'down' | 'closed'

/** What the engine needs from its thread. */
export interface EngineHost {
  module: WebAssembly.Module
  /** The program is not started: clients and gateways learn from each answer that the engine is down. */
  isDown?: boolean
  /** The class of Go's wasm_exec.js. */
  Go: new () => GoRuntime
  provide: Provide
  /**
   * Answers prompts, tools and completions, where their handlers are: of the source, or, if that is 0,
   * of what was registered. `what` and `text` are the engine's question.
   */
  call(
    source: number,
    what: number,
    text: string,
    sendUpdate: SendUpdate,
    signal: AbortSignal,
  ): Promise<HandlerOutcome>
  state(state: EngineState): void
  read(event: ReadEvent): void
  /** A request was decided by grants, and answered. */
  decided?(decision: AccessDecision): void
  /** The hook that what sources read goes through; absent: there is none. Rejects if it throws. */
  redact?(prefix: string, uri: string, contents: Contents[]): Promise<Contents[]>
  /** An error for the developer: a provider threw, Go panicked. */
  report(error: unknown): void
}

/** Calls of the engine by the thread. The caller chooses the numbers, above 0. */
export interface Engine {
  readonly state: EngineState
  readonly clients: Clients
  /**
   * Adds descriptions; the one with index i, resources first, then templates, prompts, tools, has the
   * number `first + i`.
   *
   * @param published - values by the index of their descriptions; the provider of the others is asked
   */
  register(first: number, added: Descriptions, published?: PublishedValues): void
  /** Removes what was added under `first`: of each name, what was registered before is served again. */
  unregister(first: number): void
  /** Replaces a published value, and announces the change. Without effect after its removal. */
  publish(ref: number, uri: string, ready: Ready | undefined): void
  /** `able` is a sum of {@link abilities}. */
  mount(number: number, prefix: string, able: number, source: ThreadSource): void
  unmount(number: number): void
  /** Source 0 is what was registered. A URI of its own, or the name of a list. */
  changed(source: number, what: string | { list: ListName } | undefined): void
  /** Replaces the decisions about assistants: requests that run and are denied now fail. */
  setGrants(table: GrantTable): void
  /** Ends subscriptions with their result, closes all ports. For good. */
  close(): void
}

/** Values by the index of their descriptions in a batch; `undefined`: without content. */
export type PublishedValues = readonly (readonly [index: number, ready: Ready | undefined])[]

/**
 * A source whose `watch` may be in another thread: `watching` settles when it has been called. Its
 * prompts and tools are called by {@link EngineHost.call}.
 */
export interface ThreadSource extends Pick<Source, 'list' | 'read' | 'templates' | 'watch'> {
  watching?(): Promise<void>
}
