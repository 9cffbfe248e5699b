/**
 * Pages that listen for clients in other windows (`listen` of this package): one message requests a port, then
 * the port carries all messages. The page opens in a frame, and responds only if it lists the playground's origin.
 */

import { connectTo } from 'pagemcp/client'
import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import type { OpenedFrame } from './frames.tsx'
import { portTransport } from './port.ts'
import { redactUrl } from './secrets.ts'
import type { Dialer, Transport, TransportEvents } from './transport.ts'

/** Timeout for loading the page and for its response. */
const pageTimeout = 20_000 // ms

/** A page that has loaded and is silent for so long has probably not listed this origin. It gets more time. */
const silence = 2500 // ms

/** Opens a page in a frame of the playground. */
export function frameDialer(url: string): Dialer {
  return {
    title: new URL(url).host,
    kind: 'frame',
    url: redactUrl(url),
    framing: 'port',
    async dial(events) {
      const { openFrame } = await part(import('./frames.tsx'))
      return connectFrame(await openFrame(url), events)
    },
  }
}

async function connectFrame(
  { window, origin, close, gone }: OpenedFrame,
  events: TransportEvents,
): Promise<Transport> {
  const abort = new AbortController()
  const silent = t('connections.pageSilent', { origin, own: location.origin })
  const timer = setTimeout(() => events.waiting(silent), silence)
  gone.then(() => abort.abort(new Error(t('connections.frameClosed'))))
  try {
    const port = await connectTo(window, { origin, timeout: pageTimeout, signal: abort.signal })
    let open = true
    const transport = portTransport(port, {
      ...events,
      closed(reason) {
        open = false
        close()
        events.closed(reason)
      },
    })
    gone.then(() => {
      if (!open) return
      open = false
      port.close()
      events.closed(t('connections.frameClosed'))
    })
    return transport
  } catch (error) {
    close()
    const timedOut = error instanceof DOMException && error.name === 'TimeoutError'
    throw timedOut ? new Error(silent) : error
  } finally {
    clearTimeout(timer)
  }
}
