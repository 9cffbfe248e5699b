/**
 * Calls between two threads or windows. Either side has handlers that the other may call, by a table. Requests can be
 * cancelled by a signal. Errors are sent as name and message.
 */

import { JoinError, type JoinReason } from './handshake.ts'
import { listenToPort, type Port } from './port.ts'

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
  const post = port.postMessage.bind(port) as (message: Message, transfer?: Transferable[]) => void
  const waiting = new Map<number, { resolve(value: never): void; reject(error: unknown): void }>()
  const running = new Map<number, AbortController>()
  let last = 0
  let ended: { reason: unknown } | undefined

  const serve = (name: string, args: unknown, number = 0) => {
    let controller: AbortController | undefined
    const signal = () => {
      controller ??= new AbortController()
      return controller.signal
    }
    const answered = (value: unknown) => {
      if (number === 0) return
      running.delete(number)
      post({ answer: number, value })
    }
    const threw = (error: unknown) => {
      if (number === 0) return failed(error)
      running.delete(number)
      post({ answer: number, error: serializeError(error) })
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

  function receive(message: Message) {
    if (ended) return
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
  listenToPort(
    port,
    (message) => receive(message as Message),
    () => {},
  )

  return {
    notify(call, args, transfer) {
      post({ call, args }, transfer)
    },
    async request(call, args, signal) {
      signal?.throwIfAborted()
      if (ended) throw ended.reason
      const number = ++last
      const { promise, resolve, reject } = Promise.withResolvers<never>()
      const cancelled = () => {
        post({ cancel: number })
        reject(signal?.reason)
      }
      waiting.set(number, { resolve, reject })
      signal?.addEventListener('abort', cancelled)
      try {
        post({ call, args, number }) // throws if it cannot be cloned
        return await promise
      } finally {
        waiting.delete(number)
        signal?.removeEventListener('abort', cancelled)
      }
    },
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
