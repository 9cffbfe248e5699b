/** URIs of cached requests. */

import { redactUrl } from '../redact.ts'
import { nameSegment } from './idb-keys.ts'

/** The URI of the listing of a cache. */
export function cacheUri(cache: string): string {
  return `cache:///${nameSegment(cache)}`
}

/**
 * The name of a request in its cache: its URL without secrets and fragment, as RFC 6570 expands
 * `{+request}`: characters outside of RFC 3986 are percent-encoded. Requests that differ only in secrets
 * share a name.
 */
export function requestTail(url: string): string {
  return redactUrl(withoutFragment(url)).replace(
    /[^\w.~!$&'()*+,;=:@\/?[\]%-]+/g,
    encodeURIComponent,
  )
}

export function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? ''
}
