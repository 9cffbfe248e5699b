/**
 * Calls between two threads or windows. Either side has handlers that the other may call, by a table. Requests can be
 * cancelled by a signal. Errors are sent as name and message.
 */

import type { HandlerOutcome } from './answer-call.ts'
import type { ReadEvent } from './clients.ts'
import type { Ready } from './contents.ts'
import type { GatewayQuestion } from './credentials.ts'
import type { EngineOptions } from './engine.ts'
import type { AccessDecision, GrantTable } from './page-access.ts'
import type { Change } from './registry.ts'
import type { Changed, Contents, Listing, Portable, Template } from './source.ts'
import {
  type Dial,
  type GatewayState,
  JoinError,
  type JoinReason,
  type Place,
} from './websocket.ts'

type Argument<F> = F extends (args: infer A) => unknown ? A : never
type Result<F> = F extends (...args: never) => infer R ? R : never

/** Functions of a table that the other side may call. `signal` is aborted when the caller cancels; it is made when it is used. */
export type Handlers<Calls> = {
  readonly [K in keyof Calls]: (
    args: Argument<Calls[K]>,
    signal: () => AbortSignal,
  ) => Result<Calls[K]> | Promise<Result<Calls[K]>>
}

/** The other side, and the table of its functions. */
export interface Link<Calls> {
  /** Calls without waiting for an answer. */
  notify<K extends keyof Calls & string>(
    name: K,
    args: Argument<Calls[K]>,
    transfer?: Transferable[],
  ): void
  /** Calls; rejects with what the function threw, or with the reason of the signal. */
  request<K extends keyof Calls & string>(
    name: K,
    args: Argument<Calls[K]>,
    signal?: AbortSignal,
  ): Promise<Result<Calls[K]>>
  /** Runs `act`, and sends the calls that it makes in one message, unless they move something. */
  together(act: () => void): void
  /** The other side has ended: pending and later requests reject with `reason`, and its calls are cancelled. */
  end(reason: unknown): void
}

type Message =
  | { call: string; args: unknown; number?: number }
  | { answer: number; value?: unknown; error?: SerializedError }
  | { cancel: number }

/** Connects two threads. Errors in handlers of {@link Link.notify} go to `failed`. */
export function link<Own, Theirs>(
  port: Port,
  handlers: Handlers<Own>,
  failed: (error: unknown) => void,
): Link<Theirs> {
  // Bound now: a script that replaces methods of prototypes later would see ports and answers of other clients.
  const post: Port['postMessage'] = port.postMessage.bind(port)
  const waiting = new Map<number, { resolve(value: never): void; reject(error: unknown): void }>()
  const running = new Map<number, AbortController>()
  let gathered: Message[] | undefined // while `together` runs
  let last = 0
  let ended: { reason: unknown } | undefined

  const send = (message: Message, transfer: Transferable[] = []) => {
    if (gathered && transfer.length === 0) gathered.push(message)
    else {
      flush()
      post(message, transfer)
    }
  }
  const flush = () => {
    const messages = gathered?.splice(0) ?? []
    try {
      if (messages.length > 0) post(messages)
    } catch {
      messages.forEach(postAlone) // one cannot be cloned
    }
  }
  const postAlone = (message: Message) => {
    try {
      post(message)
    } catch (error) {
      if ('answer' in message) post({ answer: message.answer, error: serializeError(error) })
      else if ('call' in message && message.number) waiting.get(message.number)?.reject(error)
      else failed(error)
    }
  }
  const together = (act: () => void) => {
    if (gathered) return act()
    gathered = []
    try {
      act()
    } finally {
      flush()
      gathered = undefined
    }
  }

  const serve = (name: string, args: unknown, number = 0) => {
    let controller: AbortController | undefined
    const signal = () => {
      controller ??= new AbortController()
      return controller.signal
    }
    const answered = (value: unknown) => {
      if (number === 0) return
      running.delete(number)
      send({ answer: number, value })
    }
    const threw = (error: unknown) => {
      if (number === 0) return failed(error)
      running.delete(number)
      send({ answer: number, error: serializeError(error) })
    }
    try {
      const value = handlers[name as keyof Own]?.(args as never, signal)
      if (typeof (value as PromiseLike<unknown> | undefined)?.then !== 'function') {
        return answered(value)
      }
      signal()
      if (ended) controller?.abort(ended.reason)
      else if (number > 0 && controller) running.set(number, controller)
      Promise.resolve(value).then(answered).catch(threw) // also what cannot be cloned
    } catch (error) {
      threw(error)
    }
  }

  function received(message: Message) {
    if ('call' in message) {
      serve(message.call, message.args, message.number)
    } else if ('cancel' in message) {
      running.get(message.cancel)?.abort(new DOMException('the call was cancelled', 'AbortError'))
    } else {
      const call = waiting.get(message.answer)
      if (message.error) call?.reject(deserializeError(message.error))
      else call?.resolve(message.value as never)
    }
  }
  const receive = (data: unknown) => {
    if (ended) return
    if (Array.isArray(data)) together(() => data.forEach(received))
    else received(data as Message)
  }
  listenToPort(port, receive, () => {})

  return {
    notify(call, args, transfer) {
      send({ call, args }, transfer)
    },
    async request(call, args, signal) {
      signal?.throwIfAborted()
      if (ended) throw ended.reason
      const number = ++last
      const { promise, resolve, reject } = Promise.withResolvers<never>()
      const cancelled = () => {
        send({ cancel: number })
        reject(signal?.reason)
      }
      waiting.set(number, { resolve, reject })
      signal?.addEventListener('abort', cancelled)
      try {
        send({ call, args, number }) // throws if it cannot be cloned
        return await promise
      } finally {
        waiting.delete(number)
        signal?.removeEventListener('abort', cancelled)
      }
    },
    together,
    end(reason) {
      ended = { reason }
      for (const { reject } of [...waiting.values()]) reject(reason)
      for (const call of running.values()) call.abort(reason)
    },
  }
}

/** An error in a form that can be cloned; any value may be thrown. */
export interface SerializedError {
  name: string
  message: string
  stack?: string | undefined
  /** Of a JoinError. */
  reason?: string | undefined
}

export function serializeError(error: unknown): SerializedError {
  try {
    const { name, message, stack, reason } = (error ?? {}) as Record<string, unknown>
    const text = (member: unknown) => (typeof member === 'string' ? member : undefined)
    return {
      name: text(name) ?? 'Error',
      message: String(message ?? error),
      stack: text(stack),
      reason: text(reason),
    }
  } catch {
    return { name: 'Error', message: typeof error } // without text, or with getters that throw
  }
}

/** The error of the other side, with the stack that it has there. */
export function deserializeError({ name, message, stack, reason }: SerializedError): Error {
  const error: Error =
    name === 'JoinError'
      ? new JoinError(reason as JoinReason, message)
      : Object.assign(new Error(message), { name })
  if (stack !== undefined) error.stack = stack
  return error
}

// The calls between the window and the engine's thread, one table for each direction: link.ts types both sides by them. Each
// function has one argument, which is cloned unless it is moved, and those that return something are requests.

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
  moved(place: Place): void
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

// Carries the messages of one client: a `MessagePort`, or an object with the same methods. One message is
// one JSON-RPC object, as a plain object. Ports have no reliable close event, so either side may send a
// last message, {@link goodbye}. testdata/wire.md describes the binding.

/**
 * A port, by structure: a `MessagePort`, a Worker, one end of a pair in a test. Its `onmessage` is set, or,
 * if it has none, a listener is added.
 */
export interface Port {
  postMessage(message: unknown, transfer?: Transferable[]): void
  onmessage?: unknown
  addEventListener?(type: string, listener: (event: MessageEvent) => void): void
  start?(): void
  close?(): void
}

/**
 * The class at the time when index.js was loaded: a script that replaces the global later would get the
 * ports of clients. Files that are loaded later get it from there.
 */
export const Channel = globalThis.MessageChannel

/** A task behind all tasks that wait already: timers of hidden windows are slow, and nested ones are delayed. */
export const nextTask = () =>
  new Promise<void>((resolve) => {
    const { port1, port2 } = new Channel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })

/** The last message of either side of a port. It is not a JSON-RPC message, and is not answered. */
export interface Goodbye {
  pagemcp: 'close'
  /** For people. */
  reason?: string
}

/**
 * The time between a last message on a `MessagePort` and its close, ms. Firefox drops posted messages of a
 * port that is closed while its other end is being transferred.
 */
export const lastMessageTime = 1_000

/** Makes the last message on a port. */
export function goodbye(reason: string): Goodbye {
  return { pagemcp: 'close', reason }
}

/** Whether a message is the other side's last one. */
export function isGoodbye(message: unknown): message is Goodbye {
  return (message as Partial<Goodbye> | null | undefined)?.pagemcp === 'close'
}

let heard = () => {}

/** Calls a function when messages arrive at ports of this thread, before they are handled, at most once in `interval` ms. */
export function onMessages(act: () => void, interval: number): void {
  let next = 0
  heard = () => {
    if (performance.now() < next) return
    next = performance.now() + interval
    act()
  }
}

/**
 * Listens to a port, in place of earlier handlers.
 *
 * @param closed - called when the port closes, in browsers that have the event (Chromium)
 */
export function listenToPort(
  port: Port,
  message: (data: unknown) => void,
  closed: () => void,
): void {
  const listener = (event: { data: unknown }) => {
    heard()
    message(event.data)
  }
  if ('onmessage' in port)
    port.onmessage = listener // starts a MessagePort, too
  else port.addEventListener?.('message', listener)
  port.addEventListener?.('close', closed)
  port.start?.()
}

/** Whether a port clones messages: other ports share objects with the receiver. */
export function clones(port: Port): boolean {
  return typeof MessagePort === 'function' && port instanceof MessagePort
}

/** @throws TypeError for a text that is not an origin */
export function checkedOrigin(text: string): string {
  const origin = URL.canParse(text) ? new URL(text).origin : 'null'
  if (origin === 'null' || origin !== text) {
    throw new TypeError(`not an origin: ${JSON.stringify(text)}; write it like https://a.example`)
  }
  return origin
}
