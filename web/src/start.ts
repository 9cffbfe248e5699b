/** What a web app uses: {@link start}, and the {@link PageMcp} that it returns. */

import type { ReadEvent } from './clients.ts'
import type { Connector } from './connector.ts'
import type { EngineState } from './engine.ts'
import type { ReadRequest } from './fill.ts'
import { listen } from './listen.ts'
import { cursorKey, instance, page } from './pages.ts'
import type { Port } from './port.ts'
import type { Icon, PortableSource, Resource, Source, Template } from './source.ts'
import { type AnyProvider, type Ears, here, inWorker, type Thread } from './thread.ts'
import type { GoRuntime } from './wasm.ts'
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
  /** Where the package's files are; default: next to this module. */
  urls?: {
    worker?: string | URL
    /** engine.wasm: its URL, or itself. */
    wasm?: string | URL | BufferSource | WebAssembly.Module
  }
}

/** What a provider may answer: the content, or a promise of it. */
export type Content =
  | string
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | Blob
  | undefined
  | null
  | boolean
  | number
  | object

/**
 * Reads a resource: a string is text, bytes and Blobs are a blob, `undefined` means that there is
 * nothing, anything else is text, as JSON. What it throws is reported to the page; the client only
 * learns that it failed. Bytes that change must be new ones.
 */
export type Provider = (request: ReadRequest) => Content | Promise<Content>

/** Reads what a template describes; `variables` are those of the URI, percent-decoded. */
export type TemplateProvider = (
  variables: Record<string, string | string[]>,
  request: ReadRequest,
) => Content | Promise<Content>

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
export interface PageMcp {
  readonly state: State
  /**
   * Mounts a source: its URIs appear with `prefix` before them. Sources of one prefix are asked in
   * the order of mounting.
   *
   * @param prefix - `''`, or a scheme prefix that ends in `+`
   * @returns how to take it out again
   */
  mount(prefix: string, source: Source | PortableSource): () => void
  /** Publishes one resource, or replaces the one with its URI. Returns how to take it away. */
  resource(description: Resource, provider: Provider): () => void
  /** Publishes many resources in one go, which is much cheaper than one by one. */
  resources(entries: Iterable<readonly [Resource, Provider]>): () => void
  /** Publishes what an RFC 6570 template describes. */
  template(description: Template, provider: TemplateProvider): () => void
  /** Hints that a copy of `uri` may be stale; without: that the list has changed. Cheap. */
  changed(uri?: string): void
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
   * @returns how to end it
   */
  accept(port: Port): () => void
  /**
   * Joins a gateway, and joins again whenever the connection is lost. Settles with the page's name
   * when that is done for the first time; rejects with `JoinError` when trying on is no use, and with
   * the signal's reason.
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

  const providers: (AnyProvider | undefined)[] = [] // by number
  const listeners = { state: new Set(), read: new Set(), error: new Set() } as {
    [K in keyof Events]: Set<(event: Events[K]) => void>
  }
  const gateways = new Map<number, GatewayState>()
  let engine: EngineState = 'restarting'
  let lastRef = 0
  let lastSource = 0
  let lastGateway = 0
  const ended = new AbortController()

  const emit = <K extends keyof Events>(type: K, event: Events[K]) => {
    for (const listener of listeners[type]) listener(event)
  }
  const report = (error: unknown) => {
    if (listeners.error.size > 0) emit('error', error)
    else globalThis.reportError?.(error) // as an uncaught error: the developer has to see it
  }
  const state = (): State => ({ engine, gateways: [...gateways.values()] })
  const ears: Ears = {
    provider: (ref) => providers[ref],
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

  const engineOptions = {
    name,
    title: options.title,
    version: options.version ?? '0.0.0',
    websiteUrl: options.websiteUrl,
    icons: options.icons,
    instructions: options.instructions,
    pageSize: options.pageSize ?? 200,
    cursorKey: cursorKey(),
  }
  const module = compile(urls?.wasm ?? new URL('./engine.wasm', import.meta.url))
  module.catch(() => {}) // it is awaited below, maybe later
  const thread: Thread = worker
    ? await inWorker(engineOptions, module, newWorker(urls?.worker), ears)
    : await here(engineOptions, await module, await goRuntime(), ears)

  /** Registers descriptions and what reads them; returns how to take them away. */
  const publish = (resources: Resource[], templates: Template[], reads: AnyProvider[]) => {
    const first = lastRef + 1
    lastRef += reads.length
    for (const [i, read] of reads.entries()) providers[first + i] = read
    thread.register(first, resources, templates)
    return once(() => {
      for (let i = 0; i < reads.length; i++) providers[first + i] = undefined
      thread.unregister(first)
    })
  }

  watchWakes(() => thread.wake(), ended.signal)
  addEventListenerIfAny(
    'pagehide',
    (event) => {
      if (!(event as PageTransitionEvent).persisted) thread.close()
    },
    ended.signal,
  )

  return {
    get state() {
      return state()
    },
    mount(prefix, source) {
      if (prefix !== '' && !/^[a-z][a-z0-9+.-]*\+$/.test(prefix)) {
        throw new TypeError(`a prefix is empty or a scheme that ends in "+", not "${prefix}"`)
      }
      const number = ++lastSource
      thread.mount(number, prefix, source)
      return once(() => thread.unmount(number))
    },
    resource: (description, provider) => publish([described(description)], [], [provider]),
    resources(entries) {
      const all = [...entries]
      return publish(
        all.map(([description]) => described(description)),
        [],
        all.map(([, provider]) => provider),
      )
    },
    template: (description, provider) =>
      publish(
        [],
        [describedTemplate(description)],
        [(request) => provider(request.variables ?? {}, request)],
      ),
    changed: (uri) => thread.changed(uri),
    listen: ({ origins, signal }) =>
      listen(
        { origins, signal: signal ? AbortSignal.any([signal, ended.signal]) : ended.signal },
        (port, origin, closed) => thread.open(port, origin, closed),
      ),
    port() {
      const { port1, port2 } = new MessageChannel()
      thread.open(port1, 'page')
      return port2
    },
    accept: (port) => thread.open(port, 'page'),
    async connect(connector, { signal } = {}) {
      signal?.throwIfAborted()
      const number = ++lastGateway
      const url = globalThis.location
      const hello = {
        page: await page(),
        instance,
        name,
        title: options.title ?? globalThis.document?.title,
        url: url === undefined ? '' : url.origin + url.pathname,
        engine: version,
      }
      signal?.addEventListener('abort', () => thread.disconnect(number))
      return thread.connect(number, { ...connector.dial, hello })
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
      ended.abort()
      thread.close()
      if (engine === 'closed') return
      engine = 'closed'
      emit('state', state())
    },
  }
}

/** Compiles while the Worker loads. */
async function compile(wasm: string | URL | BufferSource | WebAssembly.Module) {
  if (wasm instanceof WebAssembly.Module) return wasm
  if (typeof wasm !== 'string' && !(wasm instanceof URL)) return WebAssembly.compile(wasm)
  try {
    const response = await fetch(wasm)
    if (!response.ok) throw new Error(`status ${response.status}`)
    const type = response.headers.get('Content-Type')
    if (type?.startsWith('application/wasm')) return await WebAssembly.compileStreaming(response)
    return await WebAssembly.compile(await response.arrayBuffer())
  } catch (error) {
    const hint = "is it served there, and does the Content-Security-Policy have 'wasm-unsafe-eval'?"
    throw new Error(`engine.wasm did not load from ${wasm}; ${hint}`, { cause: error })
  }
}

/** The class of Go's wasm_exec.js, which the bundler puts in. */
async function goRuntime(): Promise<new () => GoRuntime> {
  const global = globalThis as { Go?: new () => GoRuntime }
  if (global.Go === undefined) await import('wasm_exec')
  if (global.Go === undefined) throw new Error('wasm_exec.js did not define Go')
  return global.Go
}

let policy: { createScriptURL(url: string): unknown } | undefined

/** The Worker, whose URL under Trusted Types comes from the policy `pagemcp`. */
function newWorker(override: string | URL | undefined): Worker {
  const own = new URL('./worker.js', import.meta.url)
  const url = String(override === undefined ? own : new URL(override, globalThis.document?.baseURI))
  const factory = (globalThis as { trustedTypes?: TrustedTypePolicyFactoryLike }).trustedTypes
  // Only what start was given goes through: the policy is not handed out.
  if (factory) policy ??= factory.createPolicy('pagemcp', { createScriptURL: (text) => text })
  const trusted = policy ? policy.createScriptURL(url) : url
  return new Worker(trusted as string, { type: 'module', name: 'pagemcp' })
}

interface TrustedTypePolicyFactoryLike {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown }
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

/** What clients may see of a description; nothing else crosses to the engine. */
function described(description: Resource): Resource {
  const { uri, name, title, mimeType, size, annotations, icons, _meta } = description
  check(uri, 'uri', name)
  const text = description.description
  return { uri, name, title, description: text, mimeType, size, annotations, icons, _meta }
}

function describedTemplate(description: Template): Template {
  const { uriTemplate, name, title, mimeType, annotations, icons, _meta } = description
  check(uriTemplate, 'uriTemplate', name)
  const text = description.description
  return { uriTemplate, name, title, description: text, mimeType, annotations, icons, _meta }
}

function check(uri: unknown, member: string, name: unknown) {
  if (typeof uri !== 'string' || !/^[A-Za-z][A-Za-z0-9+.-]*:/.test(uri)) {
    throw new TypeError(`${member} must begin with a scheme, such as notes:, but is ${String(uri)}`)
  }
  if (typeof name !== 'string' || name === '') throw new TypeError(`${uri} needs a name`)
}

function once(act: () => void): () => void {
  let past = false
  return () => {
    if (past) return
    past = true
    act()
  }
}
