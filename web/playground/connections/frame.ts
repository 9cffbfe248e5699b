/**
 * Pages that listen for clients in other windows (`listen` of this package): one message requests a port, then
 * the port carries all messages. The page opens in a frame or in a window of its own, and responds only if it
 * lists the playground's origin.
 */

import { connectTo } from 'pagemcp/client'
import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import type { OpenedWindow } from './opened-window.ts'
import { portTransport } from './port.ts'
import { redactUrl } from './secrets.ts'
import type { Dialer, Transport, TransportEvents } from './transport.ts'

/** Timeout for loading the page and for its response. */
const pageTimeout = 20_000 // ms

/** A page that has loaded and is silent for so long has probably not listed this origin. It gets more time. */
const silence = 2500 // ms

/** Poll interval: windows of another origin have no events for loading or closing. */
const pollInterval = 250 // ms

/** Opens a page in a frame of the playground. */
export function frameDialer(url: string): Dialer {
  return {
    title: new URL(url).host,
    kind: 'frame',
    url: redactUrl(url),
    framing: 'port',
    async dial(events) {
      const { openFrame } = await part(import('./frames.tsx'))
      const frame = await openFrame(url)
      return dialWindow(frame, events)
    },
  }
}

/** Opens a page in a window. Browsers require a click or key just before. */
export function windowDialer(url: string): Dialer {
  return {
    title: new URL(url).host,
    kind: 'frame',
    url: redactUrl(url),
    framing: 'port',
    async dial(events) {
      const opened = open(url)
      if (opened === null) throw new Error(t('connections.popupBlocked'))
      let leave = () => {}
      const gone = new Promise<void>((resolve) => {
        leave = resolve
      })
      let timer: ReturnType<typeof setInterval> | undefined
      await new Promise<void>((resolve) => {
        timer = setInterval(() => {
          if (opened.closed) leave()
          if (opened.closed || !isBlank(opened)) resolve()
        }, pollInterval)
      })
      const close = () => clearInterval(timer) // the window stays open: it belongs to the user
      return dialWindow({ window: opened, origin: new URL(url).origin, close, gone }, events)
    },
  }
}

/** Whether a window is still blank: reading the location of another origin throws. */
function isBlank(opened: Window): boolean {
  try {
    return opened.location.href === 'about:blank'
  } catch {
    return false
  }
}

async function dialWindow(
  { window, origin, close, gone }: OpenedWindow,
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
