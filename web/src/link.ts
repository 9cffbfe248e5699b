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
