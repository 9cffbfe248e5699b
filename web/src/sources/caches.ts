import { rankCompletions } from '../complete.ts'
import { type Changed, type Json, NotFoundError, type PortableSource } from '../source.ts'
import { cachesReader, existing, requestsOf, servedCaches } from './caches-reader.ts'
import { cacheUri } from './caches-uris.ts'
import { noteWrites, pollCaches } from './caches-watch.ts'
import { pollInterval } from './polling.ts'

/** The caches that may be read. There is no default and no wildcard. */
export interface CachesOptions {
  /** Names of caches, as in `caches.open(name)`. */
  caches: readonly [string, ...string[]]
  /**
   * The interval in which requests of the caches are compared while there are listeners, in ms; default
   * 2,000, at least 250. `false`: never; then only writes of this page are noticed.
   */
  poll?: number | false
  /** Stops observing writes for good; default: at the end of the page. */
  signal?: AbortSignal
}

/**
 * Publishes responses of Cache Storage, read-only: `cache:///{cache}` is the listing of a cache,
 * `{ entries: [{ uri, url, status, mimeType }], more? }`, JSON, at most 1,000 of them; and
 * `cache:///{cache}/{+request}` is the body of the response to a request, by its URL: as text if its
 * `Content-Type` is a text type and its bytes fit, otherwise as a blob. Its status and the headers that
 * describe its content are in `_meta["io.github.pagemcp/response"]`.
 *
 * Secrets are removed from URLs. Requests that differ in nothing else share a URI, and a read returns all
 * of them, at most 16. An opaque response cannot be read: its entry has
 * `"opaque": true`, and a read rejects with {@link OpaqueResponseError}. Caches are never created, and
 * nothing is fetched.
 *
 * Writes of this page are observed from this call on, and announced after they have succeeded. For service
 * workers, other tabs and workers, only added and deleted requests are noticed, while there are listeners:
 * at most 10,000 requests of each cache are compared every {@link CachesOptions.poll} ms.
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

    /** Requests of the template's cache. */
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
