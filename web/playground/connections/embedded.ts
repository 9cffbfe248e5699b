/**
 * The playground in a frame of another page: that page hands it a port to its engine, and nothing else is
 * talked to. Of element.ts, or by hand:
 *
 * ```html
 * <iframe src="…/embed.html?allow=https://app.example"></iframe>
 * frame.contentWindow.postMessage({ pagemcp: 'playground', title: 'My app' }, origin, [mcp.port()])
 * ```
 *
 * `allow` names the origins (separated by commas) that may do so. When the frame is ready for a port it
 * says `{ pagemcp: 'playground-ready' }` to the page around it.
 */

import { connect } from './clients.ts'
import { portTransport } from './port.ts'

interface Offer {
  pagemcp?: unknown
  title?: unknown
}

/** The origins that `allow` names. What is no origin counts for nothing. */
export function allowedOrigins(search: string): string[] {
  const named = (new URLSearchParams(search).get('allow') ?? '').split(',')
  return named.filter((one) => URL.canParse(one) && new URL(one).origin === one)
}

/**
 * Takes ports from the page around, each as a client of its own.
 *
 * @returns the origins that may hand one over; none: nobody may
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
  // There is nothing in it that anybody may not know, and a name that is wrong would be an error.
  parent.postMessage({ pagemcp: 'playground-ready' }, '*')
  return allowed
}
