/** What cached requests are called. */

import { redactUrl } from '../redact.ts'
import { nameSegment } from './idb-keys.ts'

/** The URI of a cache: what is in it. */
export function cacheUri(cache: string): string {
  return `cache:///${nameSegment(cache)}`
}

/**
 * What a request is called within its cache: its URL without secrets and fragment, as RFC 6570 makes
 * it of `{+request}`: what RFC 3986 does not know is percent-encoded. Requests that differ in their
 * secrets alone share a name.
 */
export function requestTail(url: string): string {
  return redactUrl(withoutFragment(url)).replace(
    /[^\w.~!$&'()*+,;=:@/?[\]%-]+/g,
    encodeURIComponent,
  )
}

export function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? ''
}
