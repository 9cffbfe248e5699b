/**
 * For clients of a page, `pagemcp/client`: in other windows, frames and Workers. It has no engine, so it is
 * small. A client of either TypeScript SDK connects by a transport:
 *
 * ```ts
 * const client = new Client({ name: 'assistant', version: '1.0.0' })
 * await client.connect(pageTransport(parent, { origin: 'https://notes.example' }))
 * ```
 */

export type { Goodbye, Port } from './link.ts'
export { connectTo } from './listen.ts'

import { clones, goodbye, isGoodbye, lastMessageTime, listenToPort, type Port } from './link.ts'
import { connectTo } from './listen.ts'

// Transports by which MCP clients of the TypeScript SDKs speak to a page over a port: those of
// `@modelcontextprotocol/sdk` (v1) and `@modelcontextprotocol/client` (v2). They fit the `Transport` interface
// of both by structure; neither package is imported.

/** A transport of a client. The SDK's `connect` sets the callbacks, and calls `start`. */
export interface ClientTransport {
  /** Opens the connection. Messages that came before are delivered. Rejects if it was called before. */
  start(): Promise<void>
  /** Posts a message. Rejects before `start`, after the end, and if the message cannot be cloned. */
  send(message: object): Promise<void>
  /** Ends the connection: the page gets a last message and abandons what is pending. */
  close(): Promise<void>
  onmessage?(message: object): void
  /** Called for messages that are not JSON-RPC, and with the reason that the page gave when it closed. */
  onerror?(error: Error): void
  /** Called once, whichever side ended the connection. */
  onclose?(): void
  /** Always absent: each port is one connection. */
  sessionId?: string
}

/**
 * Makes a transport of a port: of {@link connectTo}, of {@link PageMcp.port}, or of one that a Worker got.
 * The port is the transport's from then on.
 *
 * ```ts
 * await client.connect(portTransport(mcp.port()))
 * ```
 */
export function portTransport(port: Port): ClientTransport {
  return transport(async () => port, port)
}

/**
 * Makes a transport that requests a port of a page when it starts, with the parameters of {@link connectTo}.
 * `start`, and so the client's `connect`, rejects if the page does not answer.
 *
 * ```ts
 * await client.connect(pageTransport(frame.contentWindow, { origin: 'https://notes.example' }))
 * ```
 */
export function pageTransport(
  target: Window,
  options: { origin: string; timeout?: number; signal?: AbortSignal },
): ClientTransport {
  const closed = new AbortController()
  const { signal = closed.signal } = options
  const either = AbortSignal.any([signal, closed.signal])
  const made = transport(() => connectTo(target, { ...options, signal: either }))
  const { close } = made
  made.close = async () => {
    closed.abort(new DOMException('the transport was closed', 'AbortError'))
    await close()
  }
  return made
}

/** @param unopened - a port that exists before `start`, to be closed with the transport */
function transport(open: () => Promise<Port>, unopened?: Port): ClientTransport {
  let state: 'new' | 'opening' | 'open' | 'closed' = 'new'
  let port = unopened

  /** Ends this side; `posts`: the other side does not know yet. */
  function end(posts: boolean) {
    if (state === 'closed') return
    state = 'closed'
    const last = port
    if (last !== undefined) {
      if (posts) last.postMessage(goodbye('the client closed'))
      if (posts && clones(last)) setTimeout(() => last.close?.(), lastMessageTime)
      else last.close?.()
    }
    made.onclose?.()
  }

  function receive(message: unknown) {
    if (state === 'closed') return
    if (isGoodbye(message)) {
      const { reason } = message
      if (typeof reason === 'string') {
        made.onerror?.(new Error(`the page closed the connection: ${reason}`))
      }
      end(false)
    } else if (isJsonRpc(message)) {
      made.onmessage?.(message)
    } else {
      made.onerror?.(new Error('the page sent a message that is not JSON-RPC'))
    }
  }

  const made: ClientTransport = {
    async start() {
      if (state === 'closed')
        throw new Error('a closed transport cannot start again: make a new one')
      if (state !== 'new') throw new Error('the transport was started before')
      state = 'opening'
      try {
        port = await open()
      } catch (error) {
        end(false)
        throw error
      }
      if ((state as string) === 'closed') {
        port.close?.()
        throw new Error('the transport was closed while it started')
      }
      state = 'open'
      listenToPort(port, receive, () => end(false))
      port.addEventListener?.('messageerror', () => {
        made.onerror?.(new Error('a message of the page could not be read'))
      })
    },
    async send(message) {
      if (state !== 'open')
        throw new Error(`the transport is ${state === 'closed' ? 'closed' : 'not started'}`)
      port?.postMessage(message)
    },
    async close() {
      end(true)
    },
  }
  return made
}

function isJsonRpc(message: unknown): message is object {
  return (message as { jsonrpc?: unknown } | null | undefined)?.jsonrpc === '2.0'
}
