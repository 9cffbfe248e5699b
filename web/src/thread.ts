/**
 * The thread of the engine, seen from the window: a dedicated Worker. Calls that need the document come
 * back to the window.
 */

import type { AccessAnswer, AccessDecision, AccessRequest, GrantTable } from './access-types.ts'
import {
  answerCall,
  type HandlerCall,
  type HandlerOutcome,
  type RegisteredCallee,
  type SendUpdate,
} from './call.ts'
import { signalOf } from './cancellation.ts'
import type { ReadEvent } from './clients.ts'
import { confirmGateway } from './confirm-gateway.ts'
import { provided, type Ready, transfersOf } from './contents.ts'
import type { EngineOptions, EngineState, PublishedValues } from './engine-types.ts'
import type { Provide } from './fill.ts'
import type { Dial, GatewayState } from './gateway-types.ts'
import { jsonCopy } from './json.ts'
import { deserializeError, type Handlers, link, moving } from './link.ts'
import type { StartingWorker } from './loading.ts'
import { newPageId, presentPageId } from './page-id.ts'
import { Channel, isGoodbye, listenToPort, type Port } from './port.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import { type Redact, redactContents, redactReady } from './redacting.ts'
import type { Descriptions } from './registry.ts'
import { type Changed, type PortableSource, type Source, watchSource } from './source.ts'
import type { EngineCalls, WindowCalls } from './thread-calls.ts'
import { abilities, access as accessQuestion, none } from './wasm-numbers.ts'
import { watchWorker } from './worker-life.ts'

/** Reads a resource that the web app has registered; {@link provided} accepts its answer. */
export type AnyProvider = (request: ReadRequest) => unknown

/** A published value that the window keeps. */
export interface Kept {
  readonly ready: Ready | undefined
}

/** What the engine's thread needs from the window. */
export interface ThreadHost {
  /** The provider that was registered under a number. */
  provider(ref: number): AnyProvider | undefined
  /** The value that was published under a number and is kept in the window, for the hook `redact`. */
  kept(ref: number): Kept | undefined
  /** The prompt, tool or template that was registered under a number. */
  callee(ref: number): RegisteredCallee | undefined
  /** The source that was mounted under a number. */
  source(number: number): Source | undefined
  /** The hook that all contents pass. */
  redact: Redact | undefined
  engineState(state: EngineState): void
  gatewayState(number: number, state: GatewayState): void
  read(event: ReadEvent): void
  /** Settles when the engine has the decisions that are stored. */
  refreshAccess(): Promise<void>
  /** A gateway does not know this app any more. */
  forgotten(): void
  /** Decides about a request that the grants do not decide; aborted if the client waits no longer. */
  ask(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer>
  /** A request was decided by grants, and answered. */
  decided(decision: AccessDecision): void
  report(error: unknown): void
}

/** The engine's thread. The caller chooses the numbers, above 0. */
export interface Thread {
  register(first: number, added: Descriptions, published?: PublishedValues): void
  /** Removes what was registered under `first`, `count` descriptions. */
  unregister(first: number, count: number): void
  publish(ref: number, uri: string, ready: Ready | undefined): void
  mount(number: number, prefix: string, source: Source | PortableSource): void
  unmount(number: number): void
  changed(what: Parameters<Changed>[0]): void
  /** Serves a port until it closes. Returns a function that ends it, with a last message and the reason. */
  open(port: Port, principal: string, closed?: () => void): (reason: string) => void
  /** Joins a gateway; resolves after the first time. `token` is for {@link Dial.hasToken}. */
  connect(number: number, dial: Dial, token?: () => unknown): Promise<string>
  disconnect(number: number): void
  wake(asleep: boolean): void
  watchReads(on: boolean): void
  /** Replaces the decisions about assistants: requests that run and are denied now fail. */
  setAccess(table: GrantTable): void
  close(): void
}

/** A Worker for the engine, with the events that its supervisor needs. */
export interface SupervisedWorker extends StartingWorker {
  /** Called once, with the reason, if the Worker is gone before it is closed. */
  died(why: string): void
  /** See {@link watchWorker}. */
  prepare(answered: AbortSignal): Promise<unknown>
  /** No engine is started, and each request is answered so. */
  isDown: boolean
}

/**
 * Runs the engine in a Worker.
 *
 * @throws if it does not start
 */
export async function engineThread(
  options: EngineOptions,
  module: Promise<WebAssembly.Module>,
  supervised: SupervisedWorker,
  host: ThreadHost,
): Promise<Thread> {
  const { worker, hint, died, prepare, isDown } = supervised
  const watches = new Map<number, AbortController>()
  const closeListeners = new Map<number, () => void>()
  const tokens = new Map<number, () => unknown>()
  let lastPort = 0
  let watchLock: (name: string) => void = () => {}
  let works = () => {} // answers the last question whether the Worker lives

  const source = (number: number): Source => {
    const found = host.source(number)
    if (found === undefined) throw new Error('the source was unmounted')
    return found
  }
  const handlers: Handlers<WindowCalls> = {
    provide({ ref, uri, variables }, cancellation) {
      const cross = (ready: Ready | undefined) =>
        ready?.transfers ? moving(ready, transfersOf(ready)) : ready
      const ready = provideOf(host)(ref, uri, variables, cancellation)
      return ready instanceof Promise ? ready.then(cross) : cross(ready)
    },
    async list({ source: number, cursor, ...options }, call) {
      return jsonCopy(await source(number).list(cursor, { ...options, signal: signalOf(call) }))
    },
    async readSource({ source: number, uri, client }, call) {
      const contents = await source(number).read(uri, { signal: signalOf(call), client })
      return contents.map(({ text, blob, ...item }) => ({ ...jsonCopy(item), text, blob }))
    },
    redact({ prefix, uri, contents }) {
      if (host.redact === undefined) throw new Error('no redact hook') // contents must not pass without it
      return redactContents(host.redact, prefix, uri, contents)
    },
    templates: async (args) => jsonCopy((await source(args.source).templates?.()) ?? []),
    call({ number, source, what, text }, cancellation) {
      const sendUpdate: SendUpdate = (kind, params) =>
        engine.notify('update', { number, what: kind, text: params })
      return call(host, source, what, text, sendUpdate, signalOf(cancellation))
    },
    watch({ source: number, on }) {
      watches.get(number)?.abort()
      watches.delete(number)
      if (!on) return
      const controller = new AbortController()
      watches.set(number, controller)
      const { signal } = controller
      const listener: Changed = (what, under) => {
        if (!signal.aborted) {
          engine.notify('watched', { source: number, what: jsonCopy(what), under })
        }
      }
      watchSource(host.source(number) ?? {}, listener, signal, host.report)
    },
    watching: () => undefined,
    async pageId() {
      await host.refreshAccess() // before the page joins a gateway, perhaps after the browser has stopped it
      return presentPageId()
    },
    newPageId,
    forgotten: host.forgotten,
    token: (number) => tokens.get(number)?.(),
    loaded() {
      const ask = () =>
        new Promise<void>((resolve, reject) => {
          works = resolve
          engine.request('alive', undefined).then(resolve, reject)
        })
      watchLock = watchWorker(ask, prepare, fail, closed.signal)
    },
    alive: () => works(),
    held: (name) => watchLock(name),
    confirm: (question, call) => confirmGateway(question, signalOf(call)),
    closed(number) {
      closeListeners.get(number)?.()
      closeListeners.delete(number)
    },
    engineState: host.engineState,
    gatewayState: ({ number, state }) => host.gatewayState(number, state),
    read: host.read,
    decided: (decisions) => decisions.forEach(host.decided),
    report: (error) => host.report(deserializeError(error)),
  }
  const engine = link<WindowCalls, EngineCalls>(worker, handlers, host.report)
  const lock = `pagemcp.worker:${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
  const closed = new AbortController()
  let started = false
  let rejectStart: (error: Error) => void = () => {}
  const failed = new Promise<never>((_, reject) => {
    rejectStart = reject
  })
  /** The Worker does nothing any more. */
  const fail = (why: string) => {
    const error = new Error(why)
    closed.abort()
    worker.terminate()
    engine.end(error)
    for (const controller of watches.values()) controller.abort()
    if (!started) rejectStart(error)
    else died(why)
    for (const closed of closeListeners.values()) closed()
  }
  worker.onerror = (event) => {
    event.preventDefault() // it is reported here
    const what = event.message || hint
    if (started) host.report(new Error(`the engine's Worker: ${what}`))
    else rejectStart(new Error(`the engine's Worker does not start: ${what}`))
  }
  const redacts = host.redact !== undefined
  const starting = module.then((module) =>
    engine.request('start', { options, module, redacts, lock, isDown }),
  )
  try {
    await Promise.race([starting, failed])
    started = true
  } catch (error) {
    closed.abort()
    worker.terminate()
    throw error
  }

  return {
    register: (first, added, published) =>
      engine.notify(
        'register',
        { first, added, published },
        published?.flatMap(([, ready]) => transfersOf(ready)),
      ),
    publish: (ref, uri, ready) => engine.notify('publish', { ref, uri, ready }, transfersOf(ready)),
    unregister: (first) => engine.notify('unregister', first),
    mount(number, prefix, mounted) {
      const portable = jsonCopy((mounted as Partial<PortableSource>).portable)
      engine.notify('mount', { number, prefix, able: abilitiesOf(mounted), portable })
    },
    unmount(number) {
      watches.get(number)?.abort()
      watches.delete(number)
      engine.notify('unmount', number)
    },
    changed: (what) => engine.notify('changed', jsonCopy(what)),
    open(port, principal, closed) {
      const number = ++lastPort
      if (closed) closeListeners.set(number, closed)
      const own = transferable(port, host.report)
      engine.notify('open', { number, port: own, principal }, [own])
      return (reason) => engine.notify('shut', { number, reason })
    },
    connect(number, dial, token) {
      if (token) tokens.set(number, token)
      return engine.request('connect', { number, dial })
    },
    disconnect(number) {
      tokens.delete(number)
      engine.notify('disconnect', number)
    },
    wake: (asleep) => engine.notify('wake', asleep),
    watchReads: (on) => engine.notify('watchReads', on),
    setAccess: (table) => engine.notify('setAccess', table),
    close() {
      closed.abort()
      for (const controller of watches.values()) controller.abort()
      engine.notify('close', undefined) // it ends by itself after its last messages
      engine.end(new DOMException('the engine was closed', 'AbortError'))
    },
  }
}

/** A port that can go to the Worker: itself, or one end of a channel to it. */
function transferable(port: Port, report: (error: unknown) => void): MessagePort {
  if (typeof MessagePort === 'function' && port instanceof MessagePort) return port
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

/** The optional methods of a source, as a sum of {@link abilities}. */
function abilitiesOf(source: Source): number {
  return (
    (source.templates ? abilities.templates : 0) |
    (source.watch ? abilities.watch : 0) |
    (source.prompts && source.getPrompt ? abilities.prompts : 0) |
    (source.tools && source.callTool ? abilities.tools : 0) |
    (source.complete ? abilities.complete : 0)
  )
}

/** Answers a call by the engine of a prompt, tool or completion. */
function call(
  host: ThreadHost,
  source: number,
  what: number,
  text: string,
  sendUpdate: SendUpdate,
  signal: AbortSignal,
): Promise<HandlerOutcome> {
  if (what === accessQuestion) {
    const answer = host.ask(JSON.parse(text) as AccessRequest, signal)
    return answer.then((own) => ({ reason: none, text: JSON.stringify(own) }))
  }
  const question = (text === '' ? {} : JSON.parse(text)) as HandlerCall
  if (/\d{16}/.test(text)) question.text = text // of whole numbers that JavaScript may round
  const callee = source === 0 ? host.callee(question.ref ?? 0) : host.source(source)
  return answerCall(callee, source !== 0, what, question, sendUpdate, signal, host.report)
}

/** Calls a provider, and the hook for redaction with its answer. */
const provideOf =
  (host: ThreadHost): Provide =>
  (ref, uri, variables, call) => {
    const { redact } = host
    const kept = redact && host.kept(ref)
    if (kept) return redactReady(redact, uri, kept.ready)
    const answer = host.provider(ref)?.(readRequest(uri, variables, call))
    if (typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function') {
      const ready = Promise.resolve(answer).then(provided)
      return redact ? ready.then((late) => redactReady(redact, uri, late)) : ready
    }
    const ready = provided(answer)
    return redact ? redactReady(redact, uri, ready) : ready
  }
