import { rankCompletions } from '../complete.ts'
import { type Changed, type Json, NotFoundError, type PortableSource } from '../source.ts'
import { cachesReader, existing, requestsOf, servedCaches } from './caches-reader.ts'
import { cacheUri } from './caches-uris.ts'
import { noteWrites, pollCaches } from './caches-watch.ts'
import { pollInterval } from './polling.ts'

/** What may be read. There is no default and no wildcard: a cache that is not named is not served. */
export interface CachesOptions {
  /** Names of caches, as in `caches.open(name)`. */
  caches: readonly [string, ...string[]]
  /**
   * How often the requests of the caches are compared while somebody watches, in ms; default 2,000, at
   * least 250. `false`: never; then only what this page writes is noticed.
   */
  poll?: number | false
  /** Ends the noticing for good; default: it lasts as long as the page. */
  signal?: AbortSignal
}

/**
 * Publishes responses of Cache Storage, read only: `cache:///{cache}` says what a cache has in it:
 * `{ entries: [{ uri, url, status, mimeType }], more? }`, JSON, at most 1,000 of them; and
 * `cache:///{cache}/{+request}` is the body of the response to a request, by its URL: as text if its
 * `Content-Type` is one of text and its bytes fit, else as a blob. Its status and those of its headers
 * that tell of content are in `_meta["io.github.pagemcp/response"]`.
 *
 * Secrets are taken out of URLs; requests that differ in nothing else share a URI, and a read answers
 * with all of them, at most 16. An opaque response has nothing that could be read: its entry says
 * `"opaque": true`, and a read rejects with {@link OpaqueResponseError}. Caches are never created, and
 * nothing is fetched.
 *
 * What this page writes is noticed from this call on, and announced after it has succeeded. Of what
 * service workers, other tabs and workers write, only that requests come and go, while anybody
 * watches: at most 10,000 requests of each cache are compared every {@link CachesOptions.poll} ms.
 *
 * @returns a source (Go's `engine.Source`, `engine.Templater`, `engine.Watcher`) whose list and read
 *   can run in a Worker. They reject with {@link NotFoundError}, `BadCursorError`,
 *   {@link OpaqueResponseError}, or a `DOMException` of Cache Storage
 * @throws TypeError if the options name no caches
 * @see https://w3c.github.io/ServiceWorker/#cache-interface
 */
export function caches(options: CachesOptions): PortableSource {
  const names = servedCaches(options.caches)
  const every = pollInterval(options.poll)
  const listeners = new Set<Changed>()
  const signal = options.signal ?? new AbortController().signal
  noteWrites(
    names,
    (what, under) => {
      for (const changed of listeners) changed(what, under)
    },
    signal,
  )
  return {
    ...cachesReader(options),
    portable: { kind: 'caches', options: { caches: names } satisfies Json },
    watch(changed, signal) {
      const listener: Changed = (what, under) => changed(what, under)
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
      if (every > 0) pollCaches(names, changed, every, signal)
    },

    /** The requests of the cache that the template is of. */
    async complete(ref, { name, value }) {
      const uri = ref.type === 'ref/resource' ? ref.uri : ref.name
      const cache = names.find((one) => uri.startsWith(`${cacheUri(one)}/`))
      if (ref.type !== 'ref/resource' || cache === undefined || name !== 'request') {
        throw new NotFoundError(uri)
      }
      const opened = await existing(cache)
      const tails = opened === undefined ? [] : await requestsOf(opened)
      return rankCompletions(
        tails.map(([tail]) => tail),
        value,
      )
    },
  }
}

export { OpaqueResponseError } from './caches-reader.ts'
