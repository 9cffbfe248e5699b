/**
 * Calls between the window and the engine's Worker. Either side names functions that the other may
 * call; a call that wants an answer can be given up by a signal. Errors travel as name and message.
 */

import { JoinError, type JoinReason } from './handshake.ts'
import { listenToPort, type Port } from './port.ts'

/** What the other side may call. The signal is aborted when the caller gives up. */
export type Handlers = Record<string, (args: never, signal: AbortSignal) => unknown>

/** The other side. */
export interface Link {
  /** Calls without waiting for an answer. */
  tell(name: string, args: unknown, transfer?: Transferable[]): void
  /** Calls; rejects with what the function threw, or with the signal's reason. */
  ask(name: string, args: unknown, signal?: AbortSignal): Promise<unknown>
  /** The other side answers no more: all calls that wait for it, and later ones, reject with `reason`. */
  end(reason: unknown): void
}

type Message =
  | { call: string; args: unknown; number?: number }
  | { answer: number; value?: unknown; error?: Flat }
  | { giveUp: number }

/** Joins two threads. What throws in a handler of a {@link Link.tell} goes to `failed`. */
export function link(port: Port, handlers: Handlers, failed: (error: unknown) => void): Link {
  // Now, and not when it is called: scripts that come later may replace what prototypes have, and would see
  // answers to other clients and their ports.
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
      if (number !== undefined) send({ answer: number, value })
    } catch (error) {
      if (number === undefined) failed(error)
      else send({ answer: number, error: flat(error) })
    }
    if (number !== undefined) running.delete(number)
  }

  listenToPort(
    port,
    (data) => {
      const message = data as Message
      if ('call' in message) {
        void serve(message.call, message.args, message.number)
      } else if ('giveUp' in message) {
        running.get(message.giveUp)?.abort()
      } else {
        const call = waiting.get(message.answer)
        waiting.delete(message.answer)
        if (message.error) call?.reject(raise(message.error))
        else call?.resolve(message.value)
      }
    },
    () => {},
  )

  return {
    tell(call, args, transfer = []) {
      send({ call, args }, transfer)
    },
    ask(call, args, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted || ended) {
          reject(signal?.aborted ? signal.reason : ended?.reason)
          return
        }
        const number = ++last
        const giveUp = () => {
          waiting.delete(number)
          send({ giveUp: number })
          reject(signal?.reason)
        }
        const end = () => signal?.removeEventListener('abort', giveUp)
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
        signal?.addEventListener('abort', giveUp, { once: true })
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

/** An error on its way: what is thrown may be anything, and is not cloned as it is. */
export interface Flat {
  name: string
  message: string
  stack?: string
  /** Of a JoinError. */
  reason?: string
}

export function flat(error: unknown): Flat {
  const { name, message, stack, reason } = (error ?? {}) as Record<string, unknown>
  return {
    name: typeof name === 'string' ? name : 'Error',
    message: textOf(message ?? error),
    ...(typeof stack === 'string' && { stack }),
    ...(typeof reason === 'string' && { reason }),
  }
}

/** As text; what has none, such as an object without prototype, is named by its type. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown)
  } catch {
    return `a thrown ${typeof thrown}`
  }
}

/** The error of the other side, with the stack that it has there. */
export function raise({ name, message, stack, reason }: Flat): Error {
  const error: Error =
    name === 'JoinError'
      ? new JoinError(reason as JoinReason, message)
      : Object.assign(new Error(message), { name })
  if (stack !== undefined) error.stack = stack
  return error
}
