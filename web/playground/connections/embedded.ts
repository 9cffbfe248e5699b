/**
 * Connects the playground in a frame to the page that embeds it: that page sends a port of its engine, and the
 * playground connects to nothing else. With element.ts, or by hand:
 *
 * ```html
 * <iframe src="…/embed.html?allow=https://app.example"></iframe>
 * frame.contentWindow.postMessage({ pagemcp: 'playground', title: 'My app' }, origin, [mcp.port()])
 * ```
 *
 * `allow` lists the origins, separated by commas, that may do so. The frame sends `{ pagemcp:
 * 'playground-ready' }` to its parent when it is ready for a port.
 */

import { connect } from './clients.ts'
import { portTransport } from './port.ts'

interface Offer {
  pagemcp?: unknown
  title?: unknown
}

/** The valid origins in `allow`. */
export function allowedOrigins(search: string): string[] {
  const named = (new URLSearchParams(search).get('allow') ?? '').split(',')
  return named.filter((one) => URL.canParse(one) && new URL(one).origin === one)
}

/**
 * Accepts ports from the embedding page; each opens a client.
 *
 * @returns the origins that may send one
 */
export function acceptPorts(): string[] {
  const allowed = allowedOrigins(location.search)
  addEventListener('message', ({ source, origin, data, ports }: MessageEvent<Offer | null>) => {
    const [port] = ports
    if (source !== parent || source === window || !allowed.includes(origin)) return
    if (data?.pagemcp !== 'playground' || port === undefined) return
    const title = typeof data.title === 'string' ? data.title.slice(0, 100) : origin
    connect({
      title,
      kind: 'frame',
      url: origin,
      framing: 'port',
      dial: async (events) => portTransport(port, events),
    })
  })
  // The message has no secret, and a wrong target origin would be an error.
  parent.postMessage({ pagemcp: 'playground-ready' }, '*')
  return allowed
}
