/**
 * A client of this page's own engine, on a port: as much of MCP as `offerToWebMcp` needs. It speaks 2025-11-25, whose
 * clients get notifications without asking.
 *
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
 */

import { isGoodbye, type Port } from './port.ts'

export interface PortClient {
  /**
   * Sends a request; an aborted signal cancels it.
   *
   * @throws Error with the message of the answer, or once the engine is closed; the signal's reason
   */
  request<R>(method: string, params: object, signal?: AbortSignal): Promise<R>
}

interface Answer {
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: object
  readonly error?: { readonly message: string }
}

/**
 * @param accept - serves the port
 * @param name - of the client, for programs
 * @param notified - gets the methods of notifications
 */
export async function portClient(
  accept: (port: Port) => () => void,
  name: string,
  notified: (method: string) => void,
  signal: AbortSignal,
): Promise<PortClient> {
  const waiting = new Map<number, (answer: Answer) => void>()
  let last = 0
  const over = { error: { message: 'the engine was closed' } }
  let isEnded = false

  const port: Port & { onmessage: ((event: { data: unknown }) => void) | null } = {
    onmessage: null,
    postMessage(message) {
      if (isGoodbye(message)) {
        isEnded = true
        for (const settle of [...waiting.values()]) settle(over)
        return
      }
      const { id, method } = message as Answer
      if (typeof method === 'string') {
        if (id === undefined) notified(method)
        else post({ id, error: { code: -32601, message: 'Method not found' } })
      } else {
        waiting.get(id as number)?.(message as Answer)
      }
    },
  }
  const end = accept(port)
  const post = (message: object) => port.onmessage?.({ data: { jsonrpc: '2.0', ...message } })
  signal.addEventListener('abort', end)

  const request = <R>(method: string, params: object, cancel?: AbortSignal): Promise<R> => {
    const id = ++last
    return new Promise<R>((resolve, reject) => {
      cancel?.throwIfAborted()
      if (isEnded) throw new Error(over.error.message)
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
    })
  }
  await request('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name, version: '1.0.0' },
  })
  post({ method: 'notifications/initialized' })
  return { request }
}
