/**
 * A client of this page's own engine, on a port: as much of MCP as `offerToWebMcp` needs. It speaks 2025-11-25, whose
 * clients get notifications without asking. It connects with a request, and again when the engine was restarted.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */

import { isGoodbye, type Port } from './port.ts'

export interface PortClient {
  /**
   * Sends a request; an aborted signal cancels it.
   *
   * @throws Error with the message of the answer, or once the engine has ended; the signal's reason
   */
  request<R>(method: string, params: object, signal?: AbortSignal): Promise<R>
}

interface Message {
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: object
  readonly error?: { readonly message: string }
}

/**
 * @param accept - serves the port
 * @param notified - gets the methods of notifications, and nothing when the connection has ended
 */
export function portClient(
  accept: (port: Port) => () => void,
  notified: (method?: string) => void,
  signal: AbortSignal,
): PortClient {
  const waiting = new Map<unknown, (answer: Message) => void>()
  let last = 0
  let connected: ((message: object) => void) | undefined

  function connect() {
    const port: Port & { onmessage: ((event: { data: unknown }) => void) | null } = {
      onmessage: null,
      postMessage(message) {
        if (isGoodbye(message)) {
          connected = undefined
          const error = { message: message.reason ?? 'the engine has ended' }
          for (const settle of [...waiting.values()]) settle({ error })
          return notified()
        }
        const { id, method } = message as Message
        if (typeof method !== 'string') waiting.get(id)?.(message as Message)
        else if (id === undefined) notified(method)
        else post({ id, error: { code: -32601, message: 'Method not found' } })
      },
    }
    signal.addEventListener('abort', accept(port))
    const post = (message: object) => port.onmessage?.({ data: { jsonrpc: '2.0', ...message } })
    const clientInfo = { name: 'webmcp', version: '1.0.0' }
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo }
    post({ id: 0, method: 'initialize', params })
    post({ method: 'notifications/initialized' })
    return post
  }

  return {
    request: <R>(method: string, params: object, cancel?: AbortSignal) =>
      new Promise<R>((resolve, reject) => {
        cancel?.throwIfAborted()
        signal.throwIfAborted()
        const id = ++last
        connected ??= connect()
        const post = connected
        const abort = () => {
          waiting.delete(id)
          post({ method: 'notifications/cancelled', params: { requestId: id } })
          reject(cancel?.reason)
        }
        cancel?.addEventListener('abort', abort)
        waiting.set(id, ({ result, error }) => {
          waiting.delete(id)
          cancel?.removeEventListener('abort', abort)
          if (error) reject(new Error(error.message))
          else resolve(result as R)
        })
        post({ id, method, params })
      }),
  }
}
