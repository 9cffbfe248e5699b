import { rankCompletions } from '../complete.ts'
import { lazily } from '../module.ts'
import { plainLabel } from '../provenance.ts'
import { type Changed, NotFoundError, type PortableSource } from '../source.ts'
import { existing, requestsOf } from './caches-reader.ts'
import { cacheUri } from './caches-uris.ts'
import { noteWrites, pollCaches } from './caches-watch.ts'
import { lazyReader } from './lazy-reader.ts'
import { commonOptions, type PollingOptions, wrongOption } from './options.ts'
import { whileUsed } from './usage.ts'

/**
 * The caches that may be read. There is no default and no wildcard. `poll`, by default 2,000 ms, compares the requests
 * of the caches; without it, only writes of this page are noticed.
 */
export interface CachesOptions extends PollingOptions {
  /** Names of caches, as in `caches.open(name)`. */
  caches: readonly [string, ...string[]]
}

/** The default interval of polling. */
const defaultPoll = 2000 // ms

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
 * Writes of this page are observed while the source is mounted, and announced after they have succeeded. For
 * service workers, other tabs and workers, only added and deleted requests are noticed, while there are listeners:
 * at most 10,000 requests of each cache are compared every {@link PollingOptions.poll} ms.
 *
 * @returns a source (Go's `engine.Source`, `engine.Templater`, `engine.Watcher`) whose list and read
 *   can run in a Worker. They reject with {@link NotFoundError}, `BadCursorError`,
 *   {@link OpaqueResponseError}, or a `DOMException` of Cache Storage
 * @throws TypeError if the options name no caches
 * @see https://w3c.github.io/ServiceWorker/#cache-interface
 */
export function caches(options: CachesOptions): PortableSource {
  const { every, signal: ends } = commonOptions('caches', options, defaultPoll)
  const names = servedCaches(options.caches)
  const listeners = new Set<Changed>()
  const announce: Changed = (what, under) => {
    for (const changed of listeners) changed(what, under)
  }
  const use = whileUsed((signal) => noteWrites(names, announce, signal), ends)
  return {
    ...lazyReader('cache:///', async () => (await load()).cachesReader(names)),
    templates: async () =>
      names.map((name) => ({
        uriTemplate: `${cacheUri(name)}/{+request}`,
        name: plainLabel(name),
        title: 'A cached response',
        description: `A response in the cache ${JSON.stringify(plainLabel(name))}, by the URL of its request.`,
      })),
    portable: { kind: 'caches', options: names },
    mounted: use,
    watch(changed, listening) {
      const signal = ends ? AbortSignal.any([listening, ends]) : listening
      if (signal.aborted) return
      use(listening)
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

/**
 * Reads the option `caches`.
 *
 * @throws TypeError if it names no caches
 */
function servedCaches(names: unknown): string[] {
  if (!Array.isArray(names) || names.length === 0 || names.some((one) => typeof one !== 'string')) {
    throw wrongOption('caches', 'caches', "an array of names such as ['v1']", names)
  }
  return [...new Set(names as string[])]
}

const load = () => lazily('files-in-window.js', import('./files-in-window.ts'))

export { OpaqueResponseError } from './opaque-response.ts'
