/** The main function of the package, {@link start}, and the {@link PageMcp} that it returns. */

import type { ReadEvent } from './clients.ts'
import {
  type ConnectOptions,
  type Connector,
  forgetInvitation,
  instance,
  pageId,
  profile,
  webSocket,
} from './connector.ts'
import type { Redact } from './contents.ts'
import { jsonCopy } from './json.ts'
import { Channel, checkedOrigin, goodbye, isGoodbye, listenToPort, type Port } from './link.ts'
import { lazily } from './module.ts'
import type { AccessOption, PageAccess } from './page-access.ts'
import { pageAccess } from './page-access.ts'
import {
  disposable,
  ending,
  type Publishing,
  publishing,
  type Registering,
  type Registration,
} from './publish.ts'
import { wireCacheHints } from './registry.ts'
import {
  type CacheHints,
  type Changed,
  type Icon,
  orReport,
  type PortableSource,
  type Source,
} from './source.ts'
import type { EngineState } from './supervisor.ts'
import { engineThread, type ThreadHost } from './thread.ts'
import type { WebMcpOptions } from './webmcp.ts'
import type { Dial, GatewayState } from './websocket.ts'
import { canJoinLater, type JoinError } from './websocket.ts'

/** The version of this package, and of the engine. */
export const version = '0.1.0'

/** The engine's description and settings. Only `name` is required. */
export interface StartOptions {
  /** For programs, and the page's name at a gateway: letters, digits, hyphens. */
  name: string
  /** For people. */
  title?: string
  /** Of the web app; default `0.0.0`. */
  version?: string
  websiteUrl?: string
  icons?: Icon[]
  /** For models: how to use what the page serves. Never put page content here. */
  instructions?: string
  /** Resources in a page of a list; default 200, at most 1,000. */
  pageSize?: number
  /** The capabilities that are declared to clients. All by default, except `logging`. */
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
  /** How long clients may cache lists; default: not at all. */
  cache?: CacheHints
  /**
   * Gets every text and blob before it leaves as the content of a resource: of registrations and of all
   * sources, also those in the Worker. Its result replaces the value; `undefined`: not found. If it throws,
   * or returns another type than it got, the client gets an internal error without details, and the page an
   * `error` event. It does not get names and titles in lists, nor answers of prompts and tools, because the
   * developer's own code makes them.
   */
  redact?: Redact
  /**
   * Who may use what the page serves. `open`: every client that a gateway, `accept` or `listen` admits. `ask`: assistants
   * whom the user has allowed to; the page asks at first use. A function: its answer, or with `ask` the user's; if
   * it throws, the request is denied. What the user has denied stays denied in each case. Default: `open` if the page is on
   * this machine (`http:` at localhost, 127.0.0.1 or [::1]), else `ask`. A tool with `destructiveHint` asks in each case. The page's own clients are always allowed.
   */
  access?: AccessOption
  /**
   * Offers the tools that you register to the browser's assistant by WebMCP (`document.modelContext`), and serves those that
   * scripts and forms of this document have registered there. Without WebMCP in this document nothing happens.
   */
  webMcp?: boolean | WebMcpOptions
  /** The location of the package's files; default: next to this module. */
  urls?: {
    worker?: string | URL
    /** engine.wasm: its URL, or itself. */
    wasm?: string | URL | BufferSource | WebAssembly.Module
  }
}

/** The state of the engine and its gateways. */
export interface State {
  engine: EngineState
  /** One for each {@link PageMcp.connect}, in order; one that was left until the next connect. */
  gateways: readonly GatewayState[]
}

/** A connection to a gateway, which {@link PageMcp.connect} has begun. */
export interface GatewayConnection extends Disposable {
  /**
   * Resolves with the page's name when it has joined for the first time, which may never happen: a gateway may start
   * days later. Rejects with `JoinError` when retries would not help, with a `DOMException` named `AbortError` after
   * {@link GatewayConnection.leave}, and with one named `InvalidStateError` once the engine is closed. A rejection that
   * the app ignores is reported nowhere: {@link GatewayConnection.state} has its text.
   */
  readonly joined: Promise<string>
  /** The present state, also an item of {@link State.gateways}; `undefined` until the first attempt. */
  readonly state: GatewayState | undefined
  /** Leaves the gateway for good. */
  leave(): void
}

/** The events of {@link PageMcp.on}. */
export interface Events {
  /** The state has changed. */
  state: State
  /** A client has read a resource. */
  read: ReadEvent
  /** Decisions about assistants, a pause or their use have changed; that of other tabs, too. */
  access: PageAccess
  /** A provider threw, a registration was rejected, the engine was restarted … */
  error: unknown
}

/** An engine that serves this page. */
export interface PageMcp extends Publishing, Disposable {
  /**
   * Settles when the engine has started, and serves what was registered. Nothing has to wait for it. Rejects with an Error
   * that names the URL and possible causes if engine.wasm or the Worker does not load; that is an `error` event if the
   * app has not used this before.
   */
  readonly ready: Promise<void>
  readonly state: State
  /** Which assistants may use this page. */
  readonly access: PageAccess
  /**
   * Mounts a source: its URIs appear with `prefix` before them. Sources of one prefix are tried in
   * the order of mounting.
   *
   * @param prefix - a scheme prefix that ends in `+`; default: none
   * @returns what unmounts the source, as the signal of `options` does
   */
  mount(source: Source | PortableSource, prefix?: string, options?: Registering): Registration
  /**
   * Hints that a copy of a resource, in any spelling of its URI, may be stale: `changed(uri)`. Without a URI: that the list of
   * resources has changed; `changed({ list: 'prompts' })`: that one. Cheap.
   */
  changed(what?: Parameters<Changed>[0]): void
  /**
   * Accepts requests of windows of these origins for a port, by {@link connectTo}.
   *
   * @throws TypeError for a text that is not an origin
   */
  listen(options: { origins: readonly [string, ...string[]] } & Registering): Registration
  /** Returns a port to the engine, for a Worker or another part of this page. */
  port(): MessagePort
  /**
   * Serves a client on a given port: a `MessagePort`, or an object with the same methods. Replaces its
   * message handler.
   *
   * @param options.principal - who the client is, such as its origin: the user decides about that name, and it is `client` of
   *   read events and of the requests that handlers get. `page` is the page itself, which may do all
   * @returns what ends the connection: the client gets a last message
   * @throws TypeError without a principal
   */
  accept(port: Port, options: { principal: string } & Registering): Registration
  /**
   * Joins a gateway by WebSocket, and joins again whenever the connection is lost, until the app leaves it: with the
   * saved key of an earlier connection, or else with the invitation that this document was opened with. Returns at once.
   *
   * A link never chooses the gateway: an invitation is used only if its address is one that is named here. Others are
   * ignored, which is an `error` event. If the page has a key for a gateway already, another gateway is joined only
   * after the user has confirmed it.
   *
   * @param gateway - its address, `ws://127.0.0.1:8808/page` by default, or the options
   * @throws TypeError if an address is not `wss:`, or `ws:` on this machine; if `options.invitation` is no
   *   link, or that of another gateway; the link is not in the message
   */
  connect(gateway?: string | ConnectOptions, options?: ConnectOptions): GatewayConnection
  /** Adds a listener; returns what removes it. */
  on<K extends keyof Events>(
    type: K,
    listener: (event: Events[K]) => void,
    options?: Registering,
  ): Registration
  /** Stops the engine for good: subscriptions end with a result, ports with a last message. */
  close(): void
}

interface OwnConnection {
  /** The addresses that the app names. */
  readonly gateways: readonly string[]
  state: GatewayState | undefined
  isOver: boolean
  leave(): void
}

/** The engines of this document, by name. */
const running = new Map<string, PageMcp>()

/**
 * Starts an engine for this page. Returns at once: what you mount or register is served as soon as it runs. No client can
 * connect until you call {@link PageMcp.listen}, {@link PageMcp.port} or {@link PageMcp.connect}.
 *
 * Another call with the name of an engine of this document returns that engine, until it is closed or down: a module that a
 * development server loads again, or a component that is mounted twice, starts no second one. On a server, where
 * frameworks run components too, it returns an engine that never starts.
 */
export function start(options: StartOptions): PageMcp {
  const { name } = options
  if (typeof name !== 'string' || name === '')
    throw new TypeError("start needs a name, such as start({ name: 'notes' })")
  const known = globalThis.document && running.get(name)
  if (known && known.state.engine !== 'down') return known
  const mcp = startNew(options)
  if (globalThis.document) running.set(name, mcp)
  return mcp
}

function startNew(options: StartOptions): PageMcp {
  const { name, urls = {}, redact, cache, capabilities, access, webMcp, ...described } = options
  const listeners = { state: new Set(), read: new Set(), access: new Set(), error: new Set() } as {
    [K in keyof Events]: Set<(event: Events[K]) => void>
  }
  /** Those that are over are shown until the next one. */
  const connections = new Map<number, OwnConnection>()
  let engine: EngineState = 'starting'
  let lastSource = 0
  let lastGateway = 0
  const ended = new AbortController()

  /** Calls all listeners. Errors of a listener are reported, and do not reach the engine. */
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
  const ownAccess = pageAccess({
    name,
    title: described.title,
    access,
    setAccess: (table) => thread.setAccess(table),
    changed: () => emit('access', ownAccess.page),
    report,
  })
  const state = (): State => ({
    engine,
    gateways: [...connections.values()].flatMap(({ state }) => state ?? []),
  })
  const published = publishing(
    () => thread.registry,
    (uri) => thread.changed(uri),
    (source) => mcp.mount(source),
    redact,
    report,
  )
  const host: ThreadHost = {
    redact,
    urls,
    prepare: ownAccess.serve,
    engineState(next) {
      engine = next
      emit('state', state())
    },
    gatewayState(number, next) {
      const connection = connections.get(number)
      if (connection === undefined || connection.state?.is === 'closed') return
      connection.state = next
      if (next.is === 'joined' || next.is === 'refused') forgetInvitation()
      emit('state', state())
    },
    read: (event) => emit('read', event),
    refreshAccess: ownAccess.refresh,
    forgotten: ownAccess.forgotten,
    ask: ownAccess.ask,
    decided: ownAccess.decided,
    report,
  }

  const { subscribe = true, listChanged = true, ...declared } = capabilities ?? {}
  const { tools = true, prompts = true, completions = true, logging = false } = declared
  const engineOptions = {
    version: '0.0.0',
    pageSize: 200,
    ...jsonCopy({ ...described, name, cacheHints: wireCacheHints(cache) }), // without what is undefined
    tools,
    prompts,
    completions,
    logging,
    noSubscribe: !subscribe,
    noListChanged: !listChanged,
    asks: ownAccess.asks,
  }
  const thread = engineThread(engineOptions, host)
  let isAwaited = false
  let isLeft = false
  thread.ready.catch((error) => {
    if (isLeft || ended.signal.aborted) return // it was closed before
    ended.abort(error)
    ownAccess.close()
    if (!isAwaited) report(error)
  })

  let wakes = 0
  const wake = (asleep: boolean) => {
    const own = ++wakes
    if (asleep) return thread.wake(true)
    // The gateway learns that the page is awake when its engine has the newest decisions.
    ownAccess.refresh().then(() => own === wakes && thread.wake(false), report)
  }
  watchWakes(wake, ended.signal)
  addEventListenerIfAny(
    'pagehide',
    (event) => {
      if ((event as PageTransitionEvent).persisted) return
      isLeft = true
      thread.close()
    },
    ended.signal,
  )

  const untilClosed = (signal = ended.signal) => AbortSignal.any([signal, ended.signal])
  /** The description of this page, for a gateway. */
  const dialOf = ({ dial }: Connector, page: string): Dial => {
    const hello = { page, instance, profile: profile(), name, ...placeNow(), engine: version }
    return { ...dial, hello }
  }
  const placeNow = () => {
    const url = globalThis.location
    return {
      title: described.title ?? globalThis.document?.title,
      url: url === undefined ? '' : url.origin + url.pathname,
    }
  }

  const mcp: Omit<PageMcp, keyof Disposable> = {
    get ready() {
      isAwaited = true
      return thread.ready
    },
    get state() {
      return state()
    },
    access: ownAccess.page,
    mount(source, prefix = '', { signal } = {}) {
      if (prefix !== '' && !/^[a-z][a-z0-9+.-]*\+$/.test(prefix)) {
        throw new TypeError(`a prefix is empty or a scheme that ends in "+", not "${prefix}"`)
      }
      if (ended.signal.aborted || signal?.aborted) return ending(() => {})
      const number = ++lastSource
      const unmounted = new AbortController()
      const mounted = untilClosed(unmounted.signal)
      void orReport(() => source.mounted?.(mounted), mounted, report)
      thread.mount(number, prefix, source)
      const unmount = () => {
        thread.unmount(number)
        unmounted.abort()
      }
      return ending(unmount, signal)
    },
    ...published,
    changed: (what) => thread.changed(what),
    listen({ origins, signal }) {
      const stopped = new AbortController()
      const own = { origins: origins.map(checkedOrigin), signal: untilClosed(stopped.signal) }
      // Clients repeat their request until it is loaded.
      lazily('listen.js', import('./listen.ts'))
        .then(({ listen }) =>
          listen(own, (port, origin, closed) => thread.open(port, origin, closed), Channel),
        )
        .catch((error) => own.signal.aborted || report(error))
      return ending(() => stopped.abort(), signal)
    },
    port() {
      const { port1, port2 } = new Channel()
      const own = new WeakRef(port2)
      thread.open(port1, 'page', (reason) => {
        const data = reason && goodbye(reason)
        if (data) own.deref()?.dispatchEvent(new MessageEvent('message', { data }))
      })
      return port2
    },
    accept(port, options) {
      const { principal, signal } = options ?? {}
      if (typeof principal !== 'string' || principal === '') {
        throw new TypeError('accept needs { principal }: who the client is, such as its origin')
      }
      const isMoved = typeof MessagePort === 'function' && port instanceof MessagePort
      const end = thread.open(isMoved ? port : relayed(port, report), principal, (reason) => {
        if (reason && !isMoved) port.postMessage(goodbye(reason))
        if (reason && !isMoved) port.close?.()
      })
      return ending(() => end('the page ended this connection'), signal)
    },
    connect(gateway, options) {
      const connector = webSocket(gateway, options)
      const { ignored } = connector
      const { gateways, hasToken } = connector.dial
      for (const [old, other] of connections) {
        const isReplaced = other.gateways.some((address) => gateways.includes(address))
        if (other.state?.is === 'refused' && isReplaced) other.leave() // it goes on trying
        if (other.isOver) connections.delete(old)
      }
      const number = ++lastGateway
      if (number === 1) watchPlace(() => thread.moved(placeNow()), ended.signal)
      const own: OwnConnection = { gateways, state: undefined, isOver: false, leave }
      connections.set(number, own)
      const over = new AbortController() // left, closed, or not joined
      const { signal } = over
      signal.addEventListener('abort', () => {
        own.isOver = true
        thread.disconnect(number)
      })
      const closed = () => over.abort(ended.signal.reason)
      if (ended.signal.aborted) closed()
      else ended.signal.addEventListener('abort', closed, { signal })
      const join = async () => {
        signal.throwIfAborted()
        if (ignored) report(ignored)
        const { token } = connector
        if (token) ownAccess.consented()
        await thread.ready
        const page = await pageId(signal)
        signal.throwIfAborted()
        return thread.connect(number, dialOf(connector, page), token)
      }
      const failed = (error: Partial<JoinError>) => {
        throw ignored && error?.reason === 'not-invited' ? ignored : error
      }
      const joined = unlessAborted(join().catch(failed), signal)
      joined.catch((error) => {
        if (hasToken || !canJoinLater(error)) over.abort(error)
        // biome-ignore lint/suspicious/noConsole: the developer has to do something, which the error says
        if (error?.reason === 'not-invited') console.info(`pagemcp: ${error.message}`)
      }) // the app may ignore it
      function leave() {
        if (signal.aborted) return
        over.abort(new DOMException('the page left the gateway', 'AbortError'))
        if (own.state) host.gatewayState(number, { url: own.state.url, is: 'closed' })
      }
      const leaving = ending(leave, (typeof gateway === 'object' ? gateway : options)?.signal)
      const connection = {
        joined,
        get state() {
          return own.state
        },
        leave: () => leaving(),
      }
      return disposable(connection, leaving)
    },
    on(type, listener, { signal } = {}) {
      const all = listeners[type] as Set<typeof listener>
      all.add(listener)
      if (type === 'read') thread.watchReads(true)
      if (type === 'access') ownAccess.load()
      return ending(() => {
        all.delete(listener)
        if (type === 'read' && all.size === 0) thread.watchReads(false)
      }, signal)
    },
    close() {
      if (ended.signal.aborted) return
      running.delete(name)
      thread.close() // first: clients get the results of their subscriptions and a last message
      ownAccess.close()
      ended.abort(new DOMException('the engine was closed', 'InvalidStateError'))
      if (engine === 'closed') return
      engine = 'closed'
      emit('state', state())
    },
  }
  const made = disposable(mcp, mcp.close)
  if (webMcp) {
    const own = webMcp === true ? {} : webMcp
    lazily('webmcp.js', import('./webmcp.ts'))
      .then(({ joinWebMcp }) => {
        if (!ended.signal.aborted) joinWebMcp(made, thread.registry, own, ended.signal, report)
      })
      .catch(report)
  }
  return made
}

/** A port that can go to the Worker, for one that cannot. */
function relayed(port: Port, report: (error: unknown) => void): MessagePort {
  const { port1, port2 } = new Channel()
  port1.onmessage = ({ data }) => {
    try {
      port.postMessage(data)
      if (isGoodbye(data)) port.close?.()
    } catch (error) {
      report(error)
    }
  }
  const stop = () => port1.close()
  listenToPort(port, (data) => port1.postMessage(data), stop)
  return port2
}

/** Reports to the console and `window.onerror`. */
function uncaught(error: unknown) {
  globalThis.reportError?.(error)
}

/** Settles like the promise, or rejects with the signal's reason if that is aborted first. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    const settled = () => signal.removeEventListener('abort', abort)
    promise.then(resolve, reject).then(settled)
  })
}

/** Calls `wake` when the window is shown again or the network returns, and with `true` when the browser stops it. */
function watchWakes(wake: (asleep: boolean) => void, signal: AbortSignal) {
  for (const type of ['online', 'pageshow', 'resume', 'visibilitychange', 'freeze']) {
    addEventListenerIfAny(
      type,
      () => {
        if (type !== 'visibilitychange' || !document.hidden) wake(type === 'freeze')
        // The Worker is stopped after this: it needs the time to tell the gateway.
        const end = performance.now() + (type === 'freeze' ? 20 : 0) // ms
        while (performance.now() < end);
      },
      signal,
    )
  }
}

/**
 * Calls `moved` when title or URL of the document may have changed, at most once a second. Without the Navigation API, a
 * `pushState` is noticed when the title or something else in the head changes.
 */
function watchPlace(moved: () => void, signal: AbortSignal) {
  const { document, navigation } = globalThis as { document?: Document; navigation?: EventTarget }
  if (document === undefined) return
  let isDue = false
  const soon = () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      if (!signal.aborted) moved()
    }, 1000)
  }
  addEventListenerIfAny('popstate', soon, signal)
  navigation?.addEventListener('currententrychange', soon, { signal })
  const observer = new MutationObserver(soon)
  const all = { subtree: true, childList: true, characterData: true }
  observer.observe(document.head ?? document, all)
  signal.addEventListener('abort', () => observer.disconnect())
}

/** Listens to events of the window and of its document. */
function addEventListenerIfAny(type: string, act: (event: Event) => void, signal: AbortSignal) {
  globalThis.addEventListener?.(type, act, { capture: true, signal })
}
