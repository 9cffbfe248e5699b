/**
 * The thread of the engine, seen from the window: a dedicated Worker, or the window itself. Both have the
 * same interface, {@link Thread}. Calls that need the document come back to the window.
 */

import {
  answerCall,
  type HandlerCall,
  type HandlerOutcome,
  type RegisteredCallee,
  type SendUpdate,
} from './call.ts'
import { type Cancellation, signalOf } from './cancellation.ts'
import type { ReadEvent } from './clients.ts'
import { confirmGateway } from './confirm-gateway.ts'
import { provided, type Ready, transfersOf } from './contents.ts'
import type { GatewayQuestion } from './credentials.ts'
import type { EngineOptions, EngineState, PublishedValues } from './engine-types.ts'
import type { Dial, GatewayState } from './gateway-types.ts'
import { jsonCopy } from './json.ts'
import { crossing, dropTexts, type LargeTexts } from './large-texts.ts'
import { deserializeError, type Handlers, link, moving, type SerializedError } from './link.ts'
import type { StartingWorker } from './loading.ts'
import { newPageId, presentPageId } from './page-id.ts'
import { Channel, isGoodbye, listenToPort, type Port } from './port.ts'
import { type ReadRequest, readRequest } from './read-request.ts'
import { type Redact, redactContents, redactReady } from './redacting.ts'
import type { Descriptions } from './registry.ts'
import {
  type Changed,
  type Contents,
  type PortableSource,
  type Source,
  watchSource,
} from './source.ts'
import { abilities } from './wasm-numbers.ts'
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
  report(error: unknown): void
}

/** The engine's thread. The caller chooses the numbers, above 0. */
export interface Thread {
  register(first: number, added: Descriptions, published?: PublishedValues): void
  /** Removes what was registered under `first`, with the contents of its `count` descriptions. */
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
  wake(): void
  watchReads(on: boolean): void
  close(): void
}

/**
 * Runs the engine in a Worker.
 *
 * @param died - called once, with the reason, if the Worker is gone before it is closed
 * @param prepare - see {@link watchWorker}
 * @param isDown - no engine is started, and each request is answered so
 * @throws if it does not start
 */
export async function inWorker(
  options: EngineOptions,
  module: Promise<WebAssembly.Module>,
  { worker, hint }: StartingWorker,
  host: ThreadHost,
  died: (why: string) => void,
  prepare: (answered: AbortSignal) => Promise<unknown>,
  isDown: boolean,
): Promise<Thread> {
  const sentTexts: LargeTexts = new Map()
  const watches = new Map<number, AbortController>()
  const closeListeners = new Map<number, () => void>()
  let lastPort = 0
  let watchLock: (name: string) => void = () => {}

  const source = (number: number): Source => {
    const found = host.source(number)
    if (found === undefined) throw new Error('the source was unmounted')
    return found
  }
  const handlers: Handlers = {
    provide({ ref, uri, variables, has }: ProvideArguments, cancellation: Cancellation) {
      const cross = (ready: Ready | undefined) => {
        if (ready?.transfers) return moving(ready, transfersOf(ready))
        const isOne = variables === '' && host.provider(ref) !== undefined
        return crossing(sentTexts, ref, has, isOne, ready)
      }
      const ready = provide(host, ref, uri, variables, cancellation)
      return ready instanceof Promise ? ready.then(cross) : cross(ready)
    },
    async list(args: { source: number; cursor?: string; pageSize: number }, call: Cancellation) {
      const { cursor, pageSize } = args
      return jsonCopy(await source(args.source).list(cursor, { pageSize, signal: signalOf(call) }))
    },
    async readSource(args: { source: number; uri: string }, call: Cancellation) {
      const contents = await source(args.source).read(args.uri, { signal: signalOf(call) })
      return contents.map(({ text, blob, ...item }) => ({ ...jsonCopy(item), text, blob }))
    },
    redact({ prefix, uri, contents }: { prefix: string; uri: string; contents: Contents[] }) {
      if (host.redact === undefined) throw new Error('no redact hook') // contents must not pass without it
      return redactContents(host.redact, prefix, uri, contents)
    },
    templates: async (args: { source: number }) =>
      jsonCopy(await source(args.source).templates?.()),
    call(
      args: { number: number; source: number; what: number; text: string },
      cancellation: Cancellation,
    ) {
      const sendUpdate: SendUpdate = (what, text) =>
        engineThread.notify('update', { number: args.number, what, text })
      return call(host, args.source, args.what, args.text, sendUpdate, signalOf(cancellation))
    },
    watch({ source: number, on }: { source: number; on: boolean }) {
      watches.get(number)?.abort()
      watches.delete(number)
      if (!on) return
      const controller = new AbortController()
      watches.set(number, controller)
      const { signal } = controller
      const listener: Changed = (what, under) => {
        if (!signal.aborted) {
          engineThread.notify('watched', { source: number, what: jsonCopy(what), under })
        }
      }
      watchSource(host.source(number) ?? {}, listener, signal, host.report)
    },
    watching: () => undefined, // messages keep their order: an earlier `watch` has been handled
    pageId: () => presentPageId(),
    newPageId: () => newPageId(),
    loaded() {
      watchLock = watchWorker(
        () => engineThread.request('alive', undefined),
        prepare,
        fail,
        closed.signal,
      )
    },
    held: (name: string) => watchLock(name),
    confirm: (question: GatewayQuestion, call: Cancellation) =>
      confirmGateway(question, signalOf(call)),
    closed(number: number) {
      closeListeners.get(number)?.()
      closeListeners.delete(number)
    },
    engineState: host.engineState,
    gatewayState: ({ number, state }: { number: number; state: GatewayState }) =>
      host.gatewayState(number, state),
    read: host.read,
    report: (error: SerializedError) => host.report(deserializeError(error)),
  }
  const engineThread = link(worker as Port, handlers, host.report)
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
    engineThread.end(error)
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
    engineThread.request('start', { options, module, redacts, lock, isDown }),
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
      engineThread.notify(
        'register',
        { first, added, published },
        published?.flatMap(([, ready]) => transfersOf(ready)),
      ),
    publish: (ref, uri, ready) =>
      engineThread.notify('publish', { ref, uri, ready }, transfersOf(ready)),
    unregister(first, count) {
      dropTexts(sentTexts, first, count)
      engineThread.notify('unregister', { first, count })
    },
    mount(number, prefix, mounted) {
      const portable = jsonCopy((mounted as Partial<PortableSource>).portable)
      engineThread.notify('mount', { number, prefix, able: abilitiesOf(mounted), portable })
    },
    unmount(number) {
      watches.get(number)?.abort()
      watches.delete(number)
      engineThread.notify('unmount', number)
    },
    changed: (what) => engineThread.notify('changed', { source: 0, what: jsonCopy(what) }),
    open(port, principal, closed) {
      const number = ++lastPort
      if (closed) closeListeners.set(number, closed)
      const own = transferable(port, host.report)
      engineThread.notify('open', { number, port: own, principal }, [own])
      return (reason) => engineThread.notify('shut', { number, reason })
    },
    connect(number, dial, token) {
      if (token) handlers[`token ${number}`] = token
      return engineThread.request('connect', { number, dial }) as Promise<string>
    },
    disconnect(number) {
      delete handlers[`token ${number}`]
      engineThread.notify('disconnect', number)
    },
    wake: () => engineThread.notify('wake', undefined),
    watchReads: (on) => engineThread.notify('watchReads', on),
    close() {
      closed.abort()
      for (const controller of watches.values()) controller.abort()
      engineThread.notify('close', undefined) // it ends by itself after its last messages
      engineThread.end(new DOMException('the engine was closed', 'AbortError'))
    },
  }
}

/** The arguments of a call for a provider. */
export interface ProvideArguments {
  ref: number
  uri: string
  /** JSON text, or `''`. */
  variables: string
  /** The number of the large text that the Worker has. */
  has?: number
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
export function abilitiesOf(source: Source): number {
  return (
    (source.templates ? abilities.templates : 0) |
    (source.watch ? abilities.watch : 0) |
    (source.prompts && source.getPrompt ? abilities.prompts : 0) |
    (source.tools && source.callTool ? abilities.tools : 0) |
    (source.complete ? abilities.complete : 0)
  )
}

/** Answers a call by the engine of a prompt, tool or completion. */
export function call(
  host: ThreadHost,
  source: number,
  what: number,
  text: string,
  sendUpdate: SendUpdate,
  signal: AbortSignal,
): Promise<HandlerOutcome> {
  const question = (text === '' ? {} : JSON.parse(text)) as HandlerCall
  const callee = source === 0 ? host.callee(question.ref ?? 0) : host.source(source)
  return answerCall(callee, source !== 0, what, question, sendUpdate, signal, host.report)
}

/** Calls a provider, and the hook for redaction with its answer. */
export function provide(
  host: ThreadHost,
  ref: number,
  uri: string,
  variables: string,
  call: Cancellation,
): Ready | undefined | Promise<Ready | undefined> {
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
