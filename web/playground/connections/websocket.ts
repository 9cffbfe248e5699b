/**
 * MCP over WebSocket: one JSON-RPC message per text frame, subprotocol `mcp`. No revision of MCP defines this
 * binding; the TypeScript SDK's WebSocket client and a gateway at `/ws` support it.
 */

import { t } from '../base/i18n.ts'
import { redactUrl } from './secrets.ts'
import type { Dialer, Transport, TransportEvents } from './transport.ts'

/** The requested subprotocol. */
const subprotocol = 'mcp'

/** Timeout for opening. */
const openTimeout = 10_000 // ms

/**
 * @param url - `ws:` or `wss:`
 * @param title - shown to the user; default: the host
 */
export function webSocketDialer(url: string, title = new URL(url).host): Dialer {
  return {
    title,
    kind: 'ws',
    url: redactUrl(url),
    framing: 'ws',
    dial: (events) => dialSocket(url, events),
  }
}

function dialSocket(url: string, events: TransportEvents): Promise<Transport> {
  const shown = redactUrl(url)
  return new Promise((resolve, reject) => {
    let socket: WebSocket
    try {
      socket = new WebSocket(url, [subprotocol])
    } catch (error) {
      reject(new Error(t('connections.socketForbidden', { url: shown, why: String(error) })))
      return
    }
    let opened = false
    const deadline = setTimeout(() => {
      reject(new Error(t('connections.timeout', { url: shown })))
      socket.close()
    }, openTimeout)
    socket.onopen = () => {
      opened = true
      clearTimeout(deadline)
      if (socket.protocol !== subprotocol) events.note(`opened without the subprotocol mcp`)
      resolve(socketTransport(socket))
    }
    socket.onmessage = ({ data }: MessageEvent<unknown>) => {
      if (typeof data === 'string') events.received(data, 'ws')
      else events.note('received a binary frame, which is no message of MCP')
    }
    socket.onclose = (event) => {
      clearTimeout(deadline)
      if (opened) events.closed(closeReason(event))
      else reject(new Error(t('connections.socketRefused', { url: shown })))
    }
  })
}

/** A transport for an open socket. */
export function socketTransport(socket: WebSocket): Transport {
  return {
    send(text) {
      if (socket.readyState === WebSocket.OPEN) socket.send(text)
    },
    close: () => socket.close(1000),
  }
}

/** Why a socket closed, for the user. The reason is the server's own text. */
export function closeReason({ code, reason }: { code: number; reason: string }): string {
  if (reason) return t('connections.socketClosedWhy', { code: String(code), reason })
  return code === 1006
    ? t('connections.socketLost')
    : t('connections.socketClosed', { code: String(code) })
}
