/**
 * Pages with `@mcp-b/transports`: `postMessage` between windows, with messages in an envelope. The server is a
 * page in a frame (`IframeChildTransport`) or a script in this window (`TabServerTransport`, which accepts
 * only its own window). There is no port, so all scripts of the window can read the messages. Written for
 * version 5.1.0.
 */

import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import { redactUrl } from './secrets.ts'
import type { Dialer, Transport, TransportEvents } from './transport.ts'

/** The default channel names of `@mcp-b/transports`. */
export const channels = { window: 'mcp-default', frame: 'mcp-iframe' } as const

/** Timeout until the server is ready, when the user learns of it, and the interval of the question. */
const silence = 2500 // ms
const readyTimeout = 15_000 // ms
const askInterval = 250 // ms; as in their own client

interface Envelope {
  channel: string
  type: 'mcp'
  direction: 'client-to-server' | 'server-to-client'
  payload: unknown
}

/** The window that messages go to and come from. */
export interface Target {
  window: Window
  /** Its origin: messages of other origins are ignored. */
  origin: string
  channel: string
  /** Closes the frame that was opened for it. */
  close?(): void
  /** Settles when it was closed. */
  gone?: Promise<void>
}

/** Connects to a script of this window. */
export function mcpBHere(): Dialer {
  return {
    title: t('connections.mcpBHere'),
    kind: 'mcp-b',
    url: '',
    framing: 'mcp-b',
    dial: (events) =>
      dialMcpB({ window, origin: location.origin, channel: channels.window }, events),
  }
}

/** Connects to a page, which opens in a frame. */
export function mcpBFrame(url: string, channel: string = channels.frame): Dialer {
  return {
    title: new URL(url).host,
    kind: 'mcp-b',
    url: redactUrl(url),
    framing: 'mcp-b',
    async dial(events) {
      const { openFrame } = await part(import('./frames.tsx'))
      const frame = await openFrame(url)
      return dialMcpB({ ...frame, channel }, events)
    },
  }
}

/** Repeats the question until the server is ready; rejects after the timeout. */
export function dialMcpB(target: Target, events: TransportEvents): Promise<Transport> {
  const { origin, channel } = target
  const post = (payload: unknown) =>
    target.window.postMessage(
      { channel, type: 'mcp', direction: 'client-to-server', payload } satisfies Envelope,
      origin,
    )
  return new Promise((resolve, reject) => {
    const closing = new AbortController()
    let ready = false
    const end = (reason?: string) => {
      if (closing.signal.aborted) return
      closing.abort()
      clearInterval(asking)
      clearTimeout(slow)
      clearTimeout(deadline)
      target.close?.()
      if (ready) events.closed(reason)
      else reject(new Error(reason ?? t('connections.closedBefore')))
    }
    const transport: Transport = {
      send(text) {
        if (!closing.signal.aborted) post(payloadOf(text))
      },
      close: () => end(),
    }
    const begin = () => {
      if (ready) return
      ready = true
      clearInterval(asking)
      clearTimeout(slow)
      clearTimeout(deadline)
      resolve(transport)
    }
    const receive = (event: MessageEvent<unknown>) => {
      if (event.source !== target.window || event.origin !== origin) return
      if (!isOurs(event.data, channel)) return
      const { payload } = event.data
      if (payload === 'mcp-server-ready') return begin()
      if (payload === 'mcp-server-stopped') return end(t('connections.serverStopped'))
      begin()
      // The promise settles first, so that the caller has the transport.
      queueMicrotask(() => events.received(JSON.stringify(payload) ?? 'undefined', 'mcp-b'))
    }
    addEventListener('message', receive, { signal: closing.signal })
    const ask = () => post('mcp-check-ready')
    const asking = setInterval(ask, askInterval)
    const silent = t('connections.mcpBSilent', { origin, channel })
    const slow = setTimeout(() => events.waiting(silent), silence)
    const deadline = setTimeout(() => end(silent), readyTimeout)
    target.gone?.then(() => end(t('connections.frameClosed')))
    ask()
  })
}

/** The envelope carries values: text that is not JSON is sent as a string, which the server rejects. */
function payloadOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

function isOurs(data: unknown, channel: string): data is Envelope {
  if (typeof data !== 'object' || data === null) return false
  const envelope = data as Partial<Envelope>
  return (
    envelope.type === 'mcp' &&
    envelope.channel === channel &&
    envelope.direction === 'server-to-client' &&
    'payload' in envelope
  )
}
