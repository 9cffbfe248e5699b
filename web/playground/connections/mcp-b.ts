/**
 * Pages with `@mcp-b/transports`: messages in an envelope, by `postMessage` between windows. The server
 * is a page in a frame of ours (`IframeChildTransport`), or a script in this very window
 * (`TabServerTransport`, which hears nobody else). Whoever shares the window can read along: the
 * envelope has no port. Written to what their version 5.1.0 does.
 */

import { t } from '../base/i18n.ts'
import { redactUrl } from './secrets.ts'
import type { Dialer, Transport, TransportEvents } from './transport.ts'

/** What `@mcp-b/transports` calls its channels unless told otherwise. */
export const channels = { window: 'mcp-default', frame: 'mcp-iframe' } as const

/** How long a server may take to say that it is ready, and how often it is asked. */
const readyTimeout = 15_000 // ms
const askEvery = 250 // ms; as their own client does

interface Envelope {
  channel: string
  type: 'mcp'
  direction: 'client-to-server' | 'server-to-client'
  payload: unknown
}

/** Where messages go, and whose are taken. */
export interface Target {
  window: Window
  /** Its origin; no other gets a message, or is heard. */
  origin: string
  channel: string
  /** Ends what was opened for it. */
  close?(): void
  /** Tells when it has gone by itself. */
  gone?: Promise<void>
}

/** Talks to a script of this very window. */
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

/** Talks to a page, which is opened in a frame. */
export function mcpBFrame(url: string, channel: string = channels.frame): Dialer {
  return {
    title: new URL(url).host,
    kind: 'mcp-b',
    url: redactUrl(url),
    framing: 'mcp-b',
    async dial(events) {
      const { openFrame } = await import('./frames.tsx')
      const frame = await openFrame(url)
      return dialMcpB({ ...frame, channel }, events)
    },
  }
}

/** Asks until the server is ready; rejects if it never is. */
export function dialMcpB(target: Target, events: TransportEvents): Promise<Transport> {
  const { origin, channel } = target
  const post = (payload: unknown) =>
    target.window.postMessage(
      { channel, type: 'mcp', direction: 'client-to-server', payload } satisfies Envelope,
      origin,
    )
  return new Promise((resolve, reject) => {
    const over = new AbortController()
    let ready = false
    const end = (reason?: string) => {
      if (over.signal.aborted) return
      over.abort()
      clearInterval(asking)
      clearTimeout(deadline)
      target.close?.()
      if (ready) events.closed(reason)
      else reject(new Error(reason ?? t('connections.closedBefore')))
    }
    const transport: Transport = {
      send(text) {
        if (!over.signal.aborted) post(payloadOf(text))
      },
      close: () => end(),
    }
    const begin = () => {
      if (ready) return
      ready = true
      clearInterval(asking)
      clearTimeout(deadline)
      resolve(transport)
    }
    const hear = (event: MessageEvent<unknown>) => {
      if (event.source !== target.window || event.origin !== origin) return
      if (!isOurs(event.data, channel)) return
      const { payload } = event.data
      if (payload === 'mcp-server-ready') return begin()
      if (payload === 'mcp-server-stopped') return end(t('connections.serverStopped'))
      begin()
      // Whoever was waiting for the wire is told of it first.
      queueMicrotask(() => events.received(JSON.stringify(payload) ?? 'undefined', 'mcp-b'))
    }
    addEventListener('message', hear, { signal: over.signal })
    const ask = () => post('mcp-check-ready')
    const asking = setInterval(ask, askEvery)
    const deadline = setTimeout(
      () => end(t('connections.mcpBSilent', { origin: origin, channel })),
      readyTimeout,
    )
    target.gone?.then(() => end(t('connections.frameClosed')))
    ask()
  })
}

/** The envelope carries values: what is no JSON goes as the text that it is, and is refused there. */
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
