/**
 * Observes writes of this realm into caches. Cache Storage has no events, so the methods that write are
 * wrapped, and report after they have succeeded. For writes of service workers and other tabs, the names
 * of requests are compared while there are listeners.
 */

import type { Changed } from '../source.ts'
import { existing } from './caches-reader.ts'
import { cacheUri, requestTail } from './caches-uris.ts'
import { pollEvery } from './polling.ts'
import { observeCalls } from './wrap.ts'

/** A write; without `urls`: any request of the cache, or its creation or deletion. */
interface Written {
  /** `undefined`: the cache was opened before the methods were wrapped. */
  cache: string | undefined
  urls?: readonly string[]
}

/**
 * Announces what this realm writes into caches until the signal ends.
 *
 * @param names - caches that matter
 */
export function noteWrites(names: readonly string[], changed: Changed, signal: AbortSignal): void {
  if (typeof Cache === 'undefined') return // not a secure context: there are no caches
  const opened = new WeakMap<Cache, string>()
  const written = ({ cache, urls }: Written) => {
    for (const name of names) {
      if (cache !== undefined && cache !== name) continue
      if (urls === undefined) changed(`${cacheUri(name)}/`, true)
      else for (const url of urls) changed(`${cacheUri(name)}/${requestTail(url)}`)
      changed(cacheUri(name))
      changed()
    }
  }
  const some = (cache: Cache, ...requests: unknown[]) =>
    written({ cache: opened.get(cache), urls: requests.map(urlOf) })
  after(CacheStorage.prototype, 'open', signal, (_, [name], cache) => {
    opened.set(cache as Cache, String(name))
  })
  after(CacheStorage.prototype, 'delete', signal, (_, [name], done) => {
    if (done === true) written({ cache: String(name) })
  })
  after(Cache.prototype, 'put', signal, (cache, [request]) => some(cache, request))
  after(Cache.prototype, 'add', signal, (cache, [request]) => some(cache, request))
  after(Cache.prototype, 'addAll', signal, (cache, [requests]) =>
    some(cache, ...(requests as Iterable<unknown>)),
  )
  after(Cache.prototype, 'delete', signal, (cache, [request, options], done) => {
    if (done !== true) return
    // With options that ignore parts of the request, it may have deleted several.
    if (options === undefined) some(cache, request)
    else written({ cache: opened.get(cache) })
  })
}

/** The URL of a request, as the cache has it. */
function urlOf(request: unknown): string {
  if (request instanceof Request) return request.url
  return new URL(String(request), globalThis.document?.baseURI ?? globalThis.location.href).href
}

/** Calls `note` after a method has succeeded. Errors of `note` do not reach the app. */
function after<T extends object>(
  prototype: T,
  name: keyof T & string,
  signal: AbortSignal,
  note: (self: T, args: unknown[], result: unknown) => void,
): void {
  const after = (self: T, args: unknown[], result: unknown) => {
    // An iterator can be read once, by the method.
    ;(result as Promise<unknown>)
      .then((value) => {
        if (!signal.aborted) note(self, args, value)
      })
      .catch(() => {})
  }
  observeCalls(prototype, name, { after }, signal)
}

/** The most requests of a cache that are compared. */
const maxPolled = 10_000

/** Compares the requests in caches with those of the previous poll. */
export function pollCaches(
  names: readonly string[],
  changed: Changed,
  every: number,
  signal: AbortSignal,
): void {
  const known = new Map<string, ReadonlySet<string> | undefined>()
  pollEvery(every, signal, async () => {
    for (const name of names) {
      const now = await tailsOf(name)
      if (signal.aborted) return
      const own = cacheUri(name)
      const first = !known.has(name)
      const before = known.get(name)
      known.set(name, now)
      if (first) changed(`${own}/`, true) // changes since the first listener
      const tails = first ? [] : [...differing(before, now), ...differing(now, before)]
      for (const tail of tails) changed(`${own}/${tail}`)
      if (!first && tails.length === 0 && (before === undefined) === (now === undefined)) continue
      changed(own)
      changed()
    }
  })
}

/** What is in one set and not in the other one. */
function differing(one: ReadonlySet<string> = new Set(), other?: ReadonlySet<string>): string[] {
  return [...one].filter((tail) => !other?.has(tail))
}

async function tailsOf(name: string): Promise<ReadonlySet<string> | undefined> {
  const cache = await existing(name)
  if (cache === undefined) return undefined
  const keys = await cache.keys()
  return new Set(keys.slice(0, maxPolled).map(({ url }) => requestTail(url)))
}
