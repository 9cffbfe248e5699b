/**
 * Where the engine runs, seen from the window: in a dedicated Worker, or in the window itself. Both
 * offer the same, {@link Thread}; what needs the document is asked back.
 */

import {
  answerCall,
  type Callee,
  type Extend,
  type HandlerCall,
  type HandlerOutcome,
  type Say,
} from './call.ts'
import type { ReadEvent } from './clients.ts'
import { confirmGateway } from './confirm-gateway.ts'
import { provided, type Ready } from './contents.ts'
import type { GatewayQuestion } from './credentials.ts'
import type { EngineOptions, EngineState } from './engine.ts'
import type { ReadRequest } from './fill.ts'
import { type Flat, link, raise } from './link.ts'
import { newPageId } from './page-id.ts'
import { Channel, isGoodbye, listenToPort, type Port } from './port.ts'
import { type Redact, redactContents, redactReady } from './redacting.ts'
import type { Descriptions } from './registry.ts'
import {
  type Changed,
  type Contents,
  type PortableSource,
  type Source,
  watchSource,
} from './source.ts'
import { abilities } from './wasm.ts'
import type { Dial, GatewayState } from './websocket.ts'

/** Answers a read of what the web app registered, by whatever {@link provided} understands. */
export type AnyProvider = (request: ReadRequest) => unknown

/** What the engine's thread needs from the window. */
export interface ThreadHost {
  /** What was registered under a number, if it can be read. */
  provider(ref: number): AnyProvider | undefined
  /** What was registered under a number, if it can be called. */
  callee(ref: number): (Callee & { extend?: Extend }) | undefined
  /** What was mounted under a number. */
  source(number: number): Source | undefined
  /** The hook that all contents go through. */
  redact: Redact | undefined
  engineState(state: EngineState): void
  gatewayState(number: number, state: GatewayState): void
  read(event: ReadEvent): void
  report(error: unknown): void
}

/** The engine's thread. Numbers are the caller's, and above 0. */
export interface Thread {
  register(first: number, added: Descriptions): void
  unregister(first: number): void
  mount(number: number, prefix: string, source: Source | PortableSource): void
  unmount(number: number): void
  changed(what: Parameters<Changed>[0]): void
  /** Serves a port until it closes. Returns how to end that: with a last message, which has the reason. */
  open(port: Port, principal: string, closed?: () => void): (reason: string) => void
  /** Joins a gateway; settles when that is done for the first time. */
  connect(number: number, dial: Dial): Promise<string>
  disconnect(number: number): void
  wake(): void
  watchReads(on: boolean): void
  close(): void
}

/** Runs the engine in a Worker. */
export async function inWorker(
  options: EngineOptions,
  module: Promise<WebAssembly.Module>,
  worker: Worker,
  host: ThreadHost,
): Promise<Thread> {
  const watches = new Map<number, AbortController>()
  const ends = new Map<number, () => void>()
  let lastPort = 0

  const source = (number: number): Source => {
    const found = host.source(number)
    if (found === undefined) throw new Error('the source was unmounted')
    return found
  }
  const handlers = {
    provide: ({ ref, uri, variables }: ReadRequest & { ref: number }, signal: AbortSignal) =>
      provide(host, ref, { uri, variables, signal }),
    list: (args: { source: number; cursor?: string; pageSize: number }, signal: AbortSignal) =>
      source(args.source).list(args.cursor, { pageSize: args.pageSize, signal }),
    readSource: (args: { source: number; uri: string }, signal: AbortSignal) =>
      source(args.source).read(args.uri, { signal }),
    redact({ prefix, uri, contents }: { prefix: string; uri: string; contents: Contents[] }) {
      if (host.redact === undefined) throw new Error('there is no hook') // nothing passes unseen
      return redactContents(host.redact, prefix, uri, contents)
    },
    templates: (args: { source: number }) => source(args.source).templates?.() ?? [],
    call(
      args: { number: number; source: number; what: number; text: string },
      signal: AbortSignal,
    ) {
      const say: Say = (what, text) => far.tell('said', { number: args.number, what, text })
      return call(host, args.source, args.what, args.text, say, signal)
    },
    watch({ source: number, on }: { source: number; on: boolean }) {
      watches.get(number)?.abort()
      watches.delete(number)
      if (!on) return
      const controller = new AbortController()
      watches.set(number, controller)
      const { signal } = controller
      const listener: Changed = (what, under) => {
        if (!signal.aborted) far.tell('watched', { source: number, what, under })
      }
      watchSource(host.source(number) ?? {}, listener, signal, host.report)
    },
    watching: () => undefined, // messages keep their order: what was to be watched is watched
    newPageId: () => newPageId(),
    confirm: (question: GatewayQuestion) => confirmGateway(question),
    closed(number: number) {
      ends.get(number)?.()
      ends.delete(number)
    },
    engineState: host.engineState,
    gatewayState: ({ number, state }: { number: number; state: GatewayState }) =>
      host.gatewayState(number, state),
    read: host.read,
    report: (error: Flat) => host.report(raise(error)),
  }
  const far = link(worker as Port, handlers, host.report)
  const failed = new Promise<never>((_, reject) => {
    worker.onerror = (event) => {
      const what = event.message || 'does worker-src of the Content-Security-Policy allow it?'
      reject(new Error(`the engine's Worker does not start: ${what}`))
      host.report(new Error(`the engine's Worker: ${what}`))
    }
  })
  try {
    await Promise.race([
      far.ask('start', { options, module: await module, redacts: host.redact !== undefined }),
      failed,
    ])
  } catch (error) {
    worker.terminate()
    throw error
  }

  return {
    register: (first, added) => far.tell('register', { first, added }),
    unregister: (first) => far.tell('unregister', first),
    mount(number, prefix, mounted) {
      const portable = 'portable' in mounted ? mounted.portable : undefined
      far.tell('mount', { number, prefix, able: abilitiesOf(mounted), portable })
    },
    unmount(number) {
      watches.get(number)?.abort()
      watches.delete(number)
      far.tell('unmount', number)
    },
    changed: (what) => far.tell('changed', { source: 0, what }),
    open(port, principal, closed) {
      const number = ++lastPort
      if (closed) ends.set(number, closed)
      const own = transferable(port, host.report)
      far.tell('open', { number, port: own, principal }, [own])
      return (reason) => far.tell('shut', { number, reason })
    },
    connect: (number, dial) => far.ask('connect', { number, dial }) as Promise<string>,
    disconnect: (number) => far.tell('disconnect', number),
    wake: () => far.tell('wake', undefined),
    watchReads: (on) => far.tell('watchReads', on),
    close() {
      for (const controller of watches.values()) controller.abort()
      far.tell('close', undefined) // it ends by itself, when all is said
      far.end(new DOMException('the engine was closed', 'AbortError'))
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

/** What a source has besides `list` and `read`. */
export function abilitiesOf(source: Source): number {
  return (
    (source.templates ? abilities.templates : 0) |
    (source.watch ? abilities.watch : 0) |
    (source.prompts && source.getPrompt ? abilities.prompts : 0) |
    (source.tools && source.callTool ? abilities.tools : 0) |
    (source.complete ? abilities.complete : 0)
  )
}

/** Answers the engine's question about prompts, tools and completions. */
export function call(
  host: ThreadHost,
  source: number,
  what: number,
  text: string,
  say: Say,
  signal: AbortSignal,
): Promise<HandlerOutcome> {
  const question = (text === '' ? {} : JSON.parse(text)) as HandlerCall
  const callee = source === 0 ? host.callee(question.ref ?? 0) : host.source(source)
  return answerCall(callee, source !== 0, what, question, say, signal, host.report)
}

/** Asks a provider, and has the hook for redaction look at what it says. */
export function provide(
  host: ThreadHost,
  ref: number,
  request: ReadRequest,
): Ready | undefined | Promise<Ready | undefined> {
  const answer = host.provider(ref)?.(request)
  const { redact } = host
  if (typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function') {
    const ready = Promise.resolve(answer).then(provided)
    return redact ? ready.then((late) => redactReady(redact, request.uri, late)) : ready
  }
  const ready = provided(answer)
  return redact ? redactReady(redact, request.uri, ready) : ready
}
