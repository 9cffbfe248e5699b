/** What a web app uses: {@link start}, and the {@link PageMcp} that it returns. */

import type { ReadEvent } from './clients.ts'
import { confirmGateway } from './confirm-gateway.ts'
import type { Connector } from './connector.ts'
import type { EngineOptions, EngineState } from './engine.ts'
import { flat, raise } from './link.ts'
import { listen } from './listen.ts'
import { compile, newWorker } from './loading.ts'
import { cursorKey, instance, newPageId, pageId } from './page-id.ts'
import { Channel, goodbye, type Port } from './port.ts'
import { once, type Publishing, publishing } from './publish.ts'
import type { Redact } from './redacting.ts'
import { redactContents } from './redacting.ts'
import { wireCacheHints } from './registry.ts'
import type { CacheHints, Changed, Icon, Json, PortableSource, Source } from './source.ts'
import { abilitiesOf, call, inWorker, provide, type Thread, type ThreadHost } from './thread.ts'
import type { GatewayState } from './websocket.ts'

/** The version of this package, and of the engine. */
export const version = '0.1.0'

/** What the engine is called and how it runs. Only `name` is required. */
export interface StartOptions {
  /** For programs, and the page's name at a gateway: letters, digits, hyphens. */
  name: string
  /** For people. */
  title?: string
  /** Of the web app; default `0.0.0`. */
  version?: string
  websiteUrl?: string
  icons?: Icon[]
  /** How a model should use what is served. Never put page content here. */
  instructions?: string
  /** Whether the engine runs in a dedicated Worker; default true. `false`: in this window. */
  worker?: boolean
  /** Resources in a page of a list; default 200, at most 1,000. */
  pageSize?: number
  /** What is declared to clients, and answered. All is, by default, but for `logging`. */
  capabilities?: {
    tools?: boolean
    prompts?: boolean
    completions?: boolean
    /** Log messages of calls; MCP 2026-07-28 has deprecated them. */
    logging?: boolean
    /** Subscriptions to single resources. */
    subscribe?: boolean
    /** Notifications that a list has changed. */
    listChanged?: boolean
  }
  /** How long lists may be kept by whoever got them; default: not at all. */
  cache?: CacheHints
  /**
   * Extensions of the protocol that are spoken here: settings by the extension's id. Their methods are
   * answered by {@link PageMcp.method}.
   */
  extensions?: Record<string, { [name: string]: Json }>
  /**
   * Sees every text and blob last, before it leaves as the content of a resource: of what was
   * registered and of every source, in the Worker too. What it returns leaves instead; `undefined`:
   * not found. If it throws, or returns another type than it was given, the read fails with an
   * internal error that says nothing of it, and the error is reported here. It sees no names and
   * titles of lists, and not what prompts and tools answer: those are the developer's own words.
   */
  redact?: Redact
  /** Where the package's files are; default: next to this module. */
  urls?: {
    worker?: string | URL
    /** engine.wasm: its URL, or itself. */
    wasm?: string | URL | BufferSource | WebAssembly.Module
  }
}

/** How things are. */
export interface State {
  engine: EngineState
  /** One for each {@link PageMcp.connect}. */
  gateways: readonly GatewayState[]
}

/** What can be listened to. */
export interface Events {
  /** How things are has changed. */
  state: State
  /** A client was given contents. */
  read: ReadEvent
  /** A provider threw, a registration was refused, the engine was restarted … */
  error: unknown
}

/** An engine that serves this page. */
export interface PageMcp extends Publishing {
  readonly state: State
  /**
   * Mounts a source: its URIs appear with `prefix` before them. Sources of one prefix are asked in
   * the order of mounting.
   *
   * @param prefix - `''`, or a scheme prefix that ends in `+`
   * @returns how to take it out again
   */
  mount(prefix: string, source: Source | PortableSource): () => void
  /**
   * Hints that a copy of a resource may be stale: `changed(uri)`. Without a URI: that the list of
   * resources has changed; `changed({ list: 'prompts' })`: that one. Cheap.
   */
  changed(what?: Parameters<Changed>[0]): void
  /**
   * Lets windows of these origins ask for a port, by {@link connectTo}.
   *
   * @throws TypeError for what is no origin
   */
  listen(options: { origins: readonly [string, ...string[]]; signal?: AbortSignal }): void
  /** A port to the engine, for whoever it is handed to: a Worker, another part of this page. */
  port(): MessagePort
  /**
   * Serves a client on a port of its own: a `MessagePort`, or anything shaped like one. Its handler
   * of messages is taken over.
   *
   * @returns a function that ends this: the client gets a last message
   */
  accept(port: Port): () => void
  /**
   * Joins a gateway, and joins again whenever the connection is lost. Settles with the page's name
   * when that is done for the first time. Rejects with `JoinError` when further attempts are useless,
   * with the signal's reason, and with a `DOMException` named `InvalidStateError` once the engine is
   * closed. An invitation of a gateway that the connector does not name is an `error` event.
   *
   * @param options.signal - leaves the gateway
   */
  connect(connector: Connector, options?: { signal?: AbortSignal }): Promise<string>
  /** Listens to events; returns how to stop. */
  on<K extends keyof Events>(type: K, listener: (event: Events[K]) => void): () => void
  /** Ends everything: subscriptions with a result, ports with a last message. For good. */
  close(): void
}

/**
 * Starts an engine for this page. Nothing is served until it is mounted or registered, and nobody
 * can ask until {@link PageMcp.listen}, {@link PageMcp.port} or {@link PageMcp.connect}.
 *
 * @throws Error if engine.wasm or the Worker does not load; the message says what to look at
 */
export async function start(options: StartOptions): Promise<PageMcp> {
  const { name, worker = true, urls } = options
  if (typeof name !== 'string' || name === '') throw new TypeError('start needs a name')

  const sources = new Map<number, Source>()
  const listeners = { state: new Set(), read: new Set(), error: new Set() } as {
    [K in keyof Events]: Set<(event: Events[K]) => void>
  }
  const gateways = new Map<number, GatewayState>()
  let engine: EngineState = 'restarting'
  let lastSource = 0
  let lastGateway = 0
  const ended = new AbortController()

  /** Calls all listeners. What one throws is reported, and never reaches the engine. */
  const emit = <K extends keyof Events>(type: K, event: Events[K]) => {
    for (const listener of listeners[type]) {
      try {
        listener(event)
      } catch (error) {
        if (type === 'error') uncaught(error)
        else report(error)
      }
    }
  }
  const report = (error: unknown) => {
    if (listeners.error.size > 0) emit('error', error)
    else uncaught(error)
  }
  const state = (): State => ({ engine, gateways: [...gateways.values()] })
  const host: ThreadHost = {
    provider: (ref) => published.provider(ref),
    callee: (ref) => published.callee(ref),
    source: (number) => sources.get(number),
    redact: options.redact,
    engineState(next) {
      engine = next
      emit('state', state())
    },
    gatewayState(number, next) {
      gateways.set(number, next)
      emit('state', state())
    },
    read: (event) => emit('read', event),
    report,
  }

  const { subscribe = true, listChanged = true, ...declared } = options.capabilities ?? {}
  const { tools = true, prompts = true, completions = true, logging = false } = declared
  const engineOptions = {
    name,
    title: options.title,
    version: options.version ?? '0.0.0',
    websiteUrl: options.websiteUrl,
    icons: options.icons,
    instructions: options.instructions,
    pageSize: options.pageSize ?? 200,
    cursorKey: cursorKey(),
    tools,
    prompts,
    completions,
    logging,
    noSubscribe: !subscribe,
    noListChanged: !listChanged,
    cacheHints: wireCacheHints(options.cache),
    extensions: options.extensions,
  }
  const module = compile(urls?.wasm ?? new URL('./engine.wasm', import.meta.url))
  module.catch(() => {}) // it is awaited below, maybe later
  const thread: Thread = worker
    ? await inWorker(engineOptions, module, newWorker(urls?.worker), host)
    : await inWindow(engineOptions, await module, host)

  const published = publishing(thread)

  watchWakes(() => thread.wake(), ended.signal)
  addEventListenerIfAny(
    'pagehide',
    (event) => {
      if (!(event as PageTransitionEvent).persisted) thread.close()
    },
    ended.signal,
  )

  /** Serves a client of the page's own; after close, it gets a last message at once. */
  const admit = (port: Port) => {
    if (!ended.signal.aborted) return thread.open(port, 'page')
    port.postMessage(goodbye('the page stopped serving'))
    port.close?.()
    return () => {}
  }
  const throwIfOver = (signal: AbortSignal | undefined) => {
    signal?.throwIfAborted()
    ended.signal.throwIfAborted()
  }

  return {
    get state() {
      return state()
    },
    mount(prefix, source) {
      if (prefix !== '' && !/^[a-z][a-z0-9+.-]*\+$/.test(prefix)) {
        throw new TypeError(`a prefix is empty or a scheme that ends in "+", not "${prefix}"`)
      }
      const number = ++lastSource
      sources.set(number, source)
      thread.mount(number, prefix, source)
      return once(() => {
        sources.delete(number)
        thread.unmount(number)
      })
    },
    ...published.methods,
    changed: (what) => thread.changed(what),
    listen: ({ origins, signal }) =>
      listen(
        { origins, signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal },
        (port, origin, closed) => thread.open(port, origin, closed),
      ),
    port() {
      const { port1, port2 } = new Channel()
      admit(port1)
      return port2
    },
    accept(port) {
      const end = admit(port)
      return () => end('the page ended this connection')
    },
    async connect(connector, { signal } = {}) {
      throwIfOver(signal)
      if (connector.ignored) report(connector.ignored)
      const url = globalThis.location
      const own = await pageId()
      throwIfOver(signal)
      const number = ++lastGateway
      const hello = {
        page: own,
        instance,
        name,
        title: options.title ?? globalThis.document?.title,
        url: url === undefined ? '' : url.origin + url.pathname,
        engine: version,
      }
      const leave = () => thread.disconnect(number)
      signal?.addEventListener('abort', leave, { once: true, signal: ended.signal })
      const joined = thread.connect(number, { ...connector.dial, hello })
      return unlessAborted(joined, signal ? AbortSignal.any([signal, ended.signal]) : ended.signal)
    },
    on(type, listener) {
      const all = listeners[type] as Set<typeof listener>
      all.add(listener)
      if (type === 'read') thread.watchReads(true)
      return () => {
        all.delete(listener)
        if (type === 'read' && all.size === 0) thread.watchReads(false)
      }
    },
    close() {
      if (ended.signal.aborted) return
      thread.close() // first: clients get the results of their subscriptions and a last message
      ended.abort(new DOMException('the engine was closed', 'InvalidStateError'))
      if (engine === 'closed') return
      engine = 'closed'
      emit('state', state())
    },
  }
}

/** As an uncaught error, where the developer sees it. */
function uncaught(error: unknown) {
  globalThis.reportError?.(error)
}

/** What the promise settles with; or rejects with the signal's reason, if that is aborted first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    const settled = () => signal.removeEventListener('abort', abort)
    promise.finally(settled).then(resolve, reject)
  })
}

/** Starts the engine in this window. Its errors are converted: apps test for the `JoinError` of this module. */
async function inWindow(
  options: EngineOptions,
  module: WebAssembly.Module,
  host: ThreadHost,
): Promise<Thread> {
  const { startInWindow } = await import('./in-window.ts')
  const functions = { abilitiesOf, call, confirmGateway, newPageId, provide, redactContents }
  const thread = await startInWindow(options, module, host, functions)
  const connect: Thread['connect'] = (number, dial) =>
    thread.connect(number, dial).catch((error: unknown) => {
      throw raise(flat(error))
    })
  return { ...thread, connect }
}

/** Says when the window comes back to life, or to the network. */
function watchWakes(wake: () => void, signal: AbortSignal) {
  for (const type of ['online', 'pageshow']) addEventListenerIfAny(type, wake, signal)
  const { document } = globalThis
  if (document === undefined) return
  document.addEventListener('resume', wake, { signal })
  document.addEventListener(
    'visibilitychange',
    () => {
      if (document.visibilityState === 'visible') wake()
    },
    { signal },
  )
}

function addEventListenerIfAny(type: string, act: (event: Event) => void, signal: AbortSignal) {
  globalThis.addEventListener?.(type, act, { signal })
}
