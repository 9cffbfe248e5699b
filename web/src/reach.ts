/**
 * What a browser does to sockets that fail.
 *
 * Firefox delays WebSockets to a host after each that failed: by 0.2 to 0.4 s at first, growing by half up to a
 * minute, for all tabs. It forgets a failure a minute after that delay. It does not delay `fetch`.
 */

/** Firefox has forgotten a failure after this time, ms: then a socket may be opened without a probe. */
const forgotten = 90_000

/** How long a probe may take, ms: a gateway that starts has bound its port before it answers. */
const probeTimeout = 10_000

const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/

/**
 * Whether to open a socket after one has failed, at `lastFailure` of `performance.now()`: whether a server answers HTTP
 * at its address. Also true if a Content-Security-Policy forbids the probe: it may allow the socket.
 */
export async function worthTrying(address: string, lastFailure: number): Promise<boolean> {
  if (!loopback.test(self.origin)) return true
  // A Service Worker may block the probe, but not the socket.
  if (performance.now() - lastFailure > forgotten) return true
  const url = address.replace(/^ws/, 'http')
  let forbidden = false
  const violated = (event: Event) => {
    forbidden ||= url.startsWith((event as SecurityPolicyViolationEvent).blockedURI)
  }
  const global: EventTarget = globalThis.document ?? self // events about a window's violations are dispatched at the document
  global.addEventListener('securitypolicyviolation', violated)
  try {
    const signal = AbortSignal.timeout(probeTimeout)
    await fetch(url, { mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal })
    return true
  } catch {
    await new Promise((resolve) => setTimeout(resolve)) // the event is a task of its own
    return forbidden
  } finally {
    global.removeEventListener('securitypolicyviolation', violated)
  }
}

/** Possible causes when a socket cannot be opened. */
export const blocked =
  'does connect-src of the Content-Security-Policy allow it, and the local network permission?'

/**
 * Whether the browser blocks this page from the local network, so that quick retries are useless and may
 * show a permission prompt each time. A page of a loopback origin is in that network itself. The permission says `prompt`
 * also where the browser does not enforce it: a page that has joined before is not blocked.
 */
export async function deniedByBrowser(everJoined: boolean): Promise<boolean> {
  if (loopback.test(self.origin)) return false
  try {
    const name = 'loopback-network' as PermissionName
    const { state } = await navigator.permissions.query({ name })
    return state === 'denied' || (state === 'prompt' && !everJoined)
  } catch {
    return false // a browser without that permission
  }
}
