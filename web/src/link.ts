/**
 * Calls between the window and the engine's thread. Either side has handlers that the other may call, by a table.
 * Requests can be cancelled by a signal. Errors are sent as name and message.
 */

import { type Cancellation, cancel, cancellation } from './cancellation.ts'
import { JoinError, type JoinReason } from './handshake.ts'
import { listenToPort, type Port } from './port.ts'

type Argument<F> = F extends (args: infer A) => unknown ? A : never
type Result<F> = F extends (...args: never) => infer R ? R : never

/** Functions of a table that the other side may call. The second argument is cancelled when the caller cancels. */
export type Handlers<Calls> = {
  readonly [K in keyof Calls]: (
    args: Argument<Calls[K]>,
    call: Cancellation,
  ) => Result<Calls[K]> | Promise<Result<Calls[K]>>
}

/** The other side, and the table of its functions. */
export interface Link<Calls> {
  /** Calls without waiting for an answer. */
  notify<K extends keyof Calls & string>(
    name: K,
    args: Argument<Calls[K]>,
    transfer?: readonly Transferable[],
  ): void
  /** Calls; rejects with what the function threw, or with the reason of its cancellation. */
  request<K extends keyof Calls & string>(
    name: K,
    args: Argument<Calls[K]>,
    by?: AbortSignal | Cancellation,
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

/** A call that the other side has not answered. */
interface Waiting {
  resolve(value: unknown): void
  reject(error: unknown): void
  /** Removes the listener for cancellation. */
  settle(): void
}

/** Answers of handlers that move objects to the other thread instead of copying them. */
const moves = new WeakMap<object, Transferable[]>()

/** Makes a handler's answer move these objects. */
export function moving<T extends object>(answer: T, transfer: Transferable[]): T {
  moves.set(answer, transfer)
  return answer
}

/** Connects two threads. Errors in handlers of {@link Link.notify} go to `failed`. */
export function link<Own, Theirs>(
  port: Port,
  handlers: Handlers<Own>,
  failed: (error: unknown) => void,
): Link<Theirs> {
  // Bound now: a script that replaces methods of prototypes later would see ports and answers of other
  // clients.
  const post: Port['postMessage'] = port.postMessage.bind(port)
  let gathered: Message[] | undefined // while `together` runs
  const send = (message: Message, moved: readonly Transferable[] = []) => {
    const transfer = [...moved]
    if (gathered === undefined) {
      post(message, transfer)
    } else if (transfer.length === 0) {
      gathered.push(message)
    } else {
      flush()
      post(message, transfer)
    }
  }
  const flush = () => {
    const messages = gathered ?? []
    if (messages.length === 0) return
    gathered = []
    try {
      post(messages)
    } catch {
      messages.forEach(postOrFail) // one cannot be cloned
    }
  }
  const postOrFail = (message: Message) => {
    try {
      post(message)
    } catch (error) {
      if ('answer' in message) post({ answer: message.answer, error: serializeError(error) })
      else if ('call' in message && message.number !== undefined) settleWith(message.number, error)
      else failed(error)
    }
  }
  const settleWith = (number: number, error: unknown) => {
    const call = waiting.get(number)
    waiting.delete(number)
    call?.settle()
    call?.reject(error)
  }
  const together = (act: () => void) => {
    if (gathered !== undefined) return act()
    gathered = []
    try {
      act()
    } finally {
      flush()
      gathered = undefined
    }
  }
  const waiting = new Map<number, Waiting>()
  const running = new Map<number, Cancellation>()
  let last = 0
  let ended: { reason: unknown } | undefined

  const serve = (name: string, args: unknown, number: number | undefined) => {
    const call = cancellation()
    const answered = (value: unknown) => {
      if (number === undefined) return
      running.delete(number)
      send({ answer: number, value }, moves.get(value as object))
    }
    const threw = (error: unknown) => {
      if (number === undefined) {
        failed(error)
        return
      }
      running.delete(number)
      send({ answer: number, error: serializeError(error) })
    }
    try {
      const value = handlers[name as keyof Own]?.(args as never, call)
      if (typeof (value as PromiseLike<unknown> | undefined)?.then !== 'function') {
        answered(value)
        return
      }
      if (number !== undefined) running.set(number, call)
      Promise.resolve(value).then(answered).catch(threw) // also what cannot be cloned
    } catch (error) {
      threw(error)
    }
  }

  listenToPort(
    port,
    (data) => {
      if (Array.isArray(data)) together(() => data.forEach(received))
      else received(data as Message)
    },
    () => {},
  )

  function received(message: Message) {
    if ('call' in message) {
      serve(message.call, message.args, message.number)
    } else if ('cancel' in message) {
      const call = running.get(message.cancel)
      if (call) cancel(call, new DOMException('the call was cancelled', 'AbortError'))
    } else {
      const call = waiting.get(message.answer)
      if (call === undefined) return // cancelled
      waiting.delete(message.answer)
      call.settle()
      if (message.error) call.reject(deserializeError(message.error))
      else call.resolve(message.value)
    }
  }

  return {
    notify(call, args, transfer = []) {
      send({ call, args }, transfer)
    },
    request(call, args, by) {
      return new Promise<never>((resolve: (value: never) => void, reject) => {
        const signal = by instanceof AbortSignal ? by : undefined
        const cancellation = by instanceof AbortSignal ? undefined : by
        if (signal?.aborted || cancellation?.isCancelled || ended) {
          reject((by?.reason as unknown) ?? ended?.reason)
          return
        }
        const number = ++last
        const cancelled = () => {
          waiting.delete(number)
          send({ cancel: number })
          reject(by?.reason)
        }
        const settle = () => {
          signal?.removeEventListener('abort', cancelled)
          if (cancellation) cancellation.onCancel = undefined
        }
        waiting.set(number, { resolve: resolve as Waiting['resolve'], reject, settle })
        signal?.addEventListener('abort', cancelled, { once: true })
        if (cancellation) cancellation.onCancel = cancelled
        try {
          send({ call, args, number })
        } catch (error) {
          settleWith(number, error) // it cannot be cloned
        }
      })
    },
    together,
    end(reason) {
      ended = { reason }
      for (const { settle, reject } of [...waiting.values()]) {
        settle()
        reject(reason)
      }
      waiting.clear()
      for (const call of running.values()) cancel(call, reason)
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
