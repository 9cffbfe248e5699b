/**
 * Calls between the window and the engine's Worker. Either side has handlers that the other may call.
 * Requests can be cancelled by a signal. Errors are sent as name and message.
 */

import { JoinError, type JoinReason } from './handshake.ts'
import { listenToPort, type Port } from './port.ts'

/** Functions that the other side may call. The signal is aborted when the caller cancels. */
export type Handlers = Record<string, (args: never, signal: AbortSignal) => unknown>

/** The other side. */
export interface Link {
  /** Calls without waiting for an answer. */
  notify(name: string, args: unknown, transfer?: Transferable[]): void
  /** Calls; rejects with what the function threw, or with the signal's reason. */
  request(name: string, args: unknown, signal?: AbortSignal): Promise<unknown>
  /** The other side has ended: pending and later requests reject with `reason`. */
  end(reason: unknown): void
}

type Message =
  | { call: string; args: unknown; number?: number }
  | { answer: number; value?: unknown; error?: SerializedError }
  | { cancel: number }

/** The answer of a handler whose `transfer` moves to the other thread. */
class Moving {
  readonly value: unknown
  readonly transfer: Transferable[]
  constructor(value: unknown, transfer: Transferable[]) {
    this.value = value
    this.transfer = transfer
  }
}

/** Makes a handler's answer move these objects instead of copying them. */
export function moving(value: unknown, transfer: Transferable[]): unknown {
  return new Moving(value, transfer)
}

/** Connects two threads. Errors in handlers of {@link Link.notify} go to `failed`. */
export function link(port: Port, handlers: Handlers, failed: (error: unknown) => void): Link {
  // Bound now: a script that replaces methods of prototypes later would see ports and answers of other
  // clients.
  const send: Port['postMessage'] = port.postMessage.bind(port)
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>()
  const running = new Map<number, AbortController>()
  let last = 0
  let ended: { reason: unknown } | undefined

  const serve = async (call: string, args: unknown, number: number | undefined) => {
    const handler = handlers[call]
    const controller = new AbortController()
    if (number !== undefined) running.set(number, controller)
    try {
      const value = await handler?.(args as never, controller.signal)
      if (number === undefined) return
      if (value instanceof Moving) send({ answer: number, value: value.value }, value.transfer)
      else send({ answer: number, value })
    } catch (error) {
      if (number === undefined) failed(error)
      else send({ answer: number, error: serializeError(error) })
    }
    if (number !== undefined) running.delete(number)
  }

  listenToPort(
    port,
    (data) => {
      const message = data as Message
      if ('call' in message) {
        void serve(message.call, message.args, message.number)
      } else if ('cancel' in message) {
        running.get(message.cancel)?.abort()
      } else {
        const call = waiting.get(message.answer)
        waiting.delete(message.answer)
        if (message.error) call?.reject(deserializeError(message.error))
        else call?.resolve(message.value)
      }
    },
    () => {},
  )

  return {
    notify(call, args, transfer = []) {
      send({ call, args }, transfer)
    },
    request(call, args, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted || ended) {
          reject(signal?.aborted ? signal.reason : ended?.reason)
          return
        }
        const number = ++last
        const cancel = () => {
          waiting.delete(number)
          send({ cancel: number })
          reject(signal?.reason)
        }
        const end = () => signal?.removeEventListener('abort', cancel)
        waiting.set(number, {
          resolve: (value) => {
            end()
            resolve(value)
          },
          reject: (error) => {
            end()
            reject(error)
          },
        })
        signal?.addEventListener('abort', cancel, { once: true })
        try {
          send({ call, args, number })
        } catch (error) {
          waiting.get(number)?.reject(error) // what cannot be cloned
          waiting.delete(number)
        }
      })
    },
    end(reason) {
      ended = { reason }
      for (const call of [...waiting.values()]) call.reject(reason)
      waiting.clear()
    },
  }
}

/** An error in a form that can be cloned; any value may be thrown. */
export interface SerializedError {
  name: string
  message: string
  stack?: string
  /** Of a JoinError. */
  reason?: string
}

export function serializeError(error: unknown): SerializedError {
  const { name, message, stack, reason } = (error ?? {}) as Record<string, unknown>
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: textOf(message ?? error),
    ...(typeof stack === 'string' && { stack }),
    ...(typeof reason === 'string' && { reason }),
  }
}

/** A thrown value as text; one without text, such as an object without prototype, by its type. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return `a thrown ${typeof thrown}`
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
