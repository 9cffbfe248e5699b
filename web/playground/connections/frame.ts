/**
 * Pages that listen for clients in other windows (`listen` of this package): asked for a port by one
 * message, then everything runs on that. The page is opened in a frame of ours or in a window of its
 * own; it answers only if it lists the playground's origin.
 */

import { connectTo } from 'pagemcp'
import { t } from '../base/i18n.ts'
import type { OpenedWindow } from './opened-window.ts'
import { portTransport } from './port.ts'
import { redactUrl } from './secrets.ts'
import type { Dialer, Transport, TransportEvents } from './transport.ts'

/** How long a page may take to load and to answer. */
const pageTimeout = 20_000 // ms

/** A window of another origin has no event, neither for being there nor for having been closed. */
const lookEvery = 250 // ms

/** Opens a page in a frame of the playground. */
export function frameDialer(url: string): Dialer {
  return {
    title: new URL(url).host,
    kind: 'frame',
    url: redactUrl(url),
    framing: 'port',
    async dial(events) {
      const { openFrame } = await import('./frames.tsx')
      const frame = await openFrame(url)
      return dialWindow(frame, events)
    },
  }
}

/** Opens a page in a window; to be called while the browser still takes it as the visitor's wish. */
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
        }, lookEvery)
      })
      const close = () => clearInterval(timer) // the window is the visitor's
      return dialWindow({ window: opened, origin: new URL(url).origin, close, gone }, events)
    },
  }
}

/** Whether a window has nothing in it yet: what has another origin does not say where it is. */
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
  const given = new AbortController()
  gone.then(() => given.abort(new Error(t('connections.frameClosed'))))
  try {
    const port = await connectTo(window, { origin, timeout: pageTimeout, signal: given.signal })
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
    const silent = error instanceof DOMException && error.name === 'TimeoutError'
    throw silent ? new Error(t('connections.pageSilent', { origin, own: location.origin })) : error
  }
}
