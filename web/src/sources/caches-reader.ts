/** The reading half of `caches`, in the engine's Worker or the window. */

import { checkSize, isMediaType } from '../contents.ts'
import { plainLabel, withProvenance } from '../provenance.ts'
import { redacted, redactUrl } from '../redact.ts'
import {
  BadCursorError,
  type Contents,
  type Json,
  type Listing,
  NotFoundError,
  type Resource,
  type Source,
} from '../source.ts'
import { cacheUri, requestTail, withoutFragment } from './caches-uris.ts'
import { isTextType, typeOfName } from './mime.ts'
import { OpaqueResponseError } from './opaque-response.ts'

/** The `_meta` key of the status and headers that a response was stored with. */
const responseMeta = 'io.github.pagemcp/response'

/** Headers that describe the content, not the user who requested it. */
const safeHeaders = [
  'cache-control',
  'content-language',
  'content-length',
  'content-type',
  'date',
  'expires',
  'last-modified',
  'vary',
]

/** The most requests in the listing of a cache. */
const maxEntries = 1000

/** The most responses in one read: of requests that differ in secrets, or in headers named by Vary. */
const maxVariants = 16

/** The reading half of `caches`. Caches are never created, and nothing is fetched. */
export function cachesReader(names: readonly string[]): Pick<Source, 'list' | 'read'> {
  const byUri = new Map(names.map((name) => [cacheUri(name), name]))

  /** The cache in a URI, and the rest of the URI. */
  function placeOf(uri: string): { cache: string; own: string; tail: string } | undefined {
    for (const [own, cache] of byUri) {
      if (uri === own) return { cache, own, tail: '' }
      if (uri.startsWith(`${own}/`)) return { cache, own, tail: uri.slice(own.length + 1) }
    }
    return undefined
  }

  return {
    /** The cursor is the last URI of the previous part; its resource may be gone. */
    async list(cursor, { pageSize, signal }): Promise<Listing> {
      const from = cursor === undefined ? undefined : placeOf(cursor)
      if (cursor !== undefined && from === undefined) throw new BadCursorError(cursor)
      const most = Math.max(pageSize, 1)
      const resources: Resource[] = []
      for (const name of from === undefined ? names : names.slice(names.indexOf(from.cache))) {
        const cache = await existing(name)
        signal.throwIfAborted()
        if (cache === undefined) continue
        const own = cacheUri(name)
        const after = name === from?.cache ? from.tail : undefined
        if (after === undefined) {
          if (resources.length === most) return { resources, nextCursor: resources.at(-1)?.uri }
          resources.push(cacheResource(own, name))
        }
        for (const [tail, [request]] of await requestsOf(cache)) {
          if (after !== undefined && tail <= after) continue
          if (resources.length === most) return { resources, nextCursor: resources.at(-1)?.uri }
          const response = request && (await cache.match(request))
          signal.throwIfAborted()
          if (response && response.type !== 'opaque') {
            resources.push(requestResource(`${own}/${tail}`, tail, response))
          }
        }
      }
      return { resources }
    },

    async read(uri, { signal }): Promise<Contents[]> {
      const place = placeOf(uri)
      const cache = place && (await existing(place.cache))
      signal.throwIfAborted()
      if (place === undefined || cache === undefined) throw new NotFoundError(uri)
      if (uri === place.own) {
        const text = JSON.stringify(await listingOf(cache, place.own, signal))
        return withProvenance('caches', [{ uri, mimeType: 'application/json', text }])
      }
      const contents: Contents[] = []
      for (const request of (await find(cache, place.tail)).slice(0, maxVariants)) {
        const response = await cache.match(request)
        signal.throwIfAborted()
        if (response !== undefined) contents.push({ uri, ...(await contentOf(uri, response)) })
      }
      if (contents.length === 0) throw new NotFoundError(uri)
      return withProvenance('caches', contents)
    },
  }
}

/** A cache; `undefined`: it does not exist (`open` would create it). */
export async function existing(name: string): Promise<Cache | undefined> {
  return (await globalThis.caches.has(name)) ? globalThis.caches.open(name) : undefined
}

/** All requests of a cache, by name, in the order of names. */
export async function requestsOf(cache: Cache): Promise<[string, Request[]][]> {
  const all = new Map<string, Request[]>()
  for (const request of await cache.keys()) {
    const tail = requestTail(request.url)
    const same = all.get(tail)
    if (same) same.push(request)
    else all.set(tail, [request])
  }
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1))
}

/** The requests of a name. All requests are compared only if the name is not their URL. */
async function find(cache: Cache, tail: string): Promise<Request[]> {
  if (URL.canParse(tail) && !tail.includes(redacted)) {
    const some = await cache.keys(tail, { ignoreVary: true })
    const found = some.filter(({ url }) => requestTail(url) === tail)
    if (found.length > 0) return found
  }
  const all = await cache.keys()
  return all.filter(({ url }) => requestTail(url) === tail)
}

function cacheResource(uri: string, cache: string): Resource {
  const name = plainLabel(cache)
  const description = `What the cache ${JSON.stringify(name)} has in it.`
  return { uri, name, description, mimeType: 'application/json' }
}

function requestResource(uri: string, tail: string, response: Response): Resource {
  return { uri, name: plainLabel(tail), mimeType: essenceOf(typeOf(response, tail)) }
}

async function listingOf(cache: Cache, own: string, signal: AbortSignal): Promise<Json> {
  const all = await requestsOf(cache)
  const entries: Json[] = []
  for (const [tail, requests] of all.slice(0, maxEntries)) {
    for (const request of requests) {
      const response = await cache.match(request)
      signal.throwIfAborted()
      if (response === undefined) continue
      const about = { uri: `${own}/${tail}`, url: redactUrl(withoutFragment(request.url)) }
      entries.push(
        response.type === 'opaque'
          ? { ...about, opaque: true }
          : { ...about, status: response.status, mimeType: typeOf(response, tail) },
      )
    }
  }
  return { entries, ...(all.length > maxEntries && { more: all.length - maxEntries }) }
}

async function contentOf(uri: string, response: Response): Promise<Omit<Contents, 'uri'>> {
  if (response.type === 'opaque') throw new OpaqueResponseError(uri)
  const { status, statusText, headers, redirected, url } = response
  const safe = safeHeaders.flatMap((name) => {
    const value = headers.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  const about: { [key: string]: Json } = { status, headers: Object.fromEntries(safe) }
  if (statusText !== '') about.statusText = statusText
  if (redirected) about.redirectedTo = redactUrl(withoutFragment(url))
  const _meta = { [responseMeta]: about }

  const type = typeOf(response, uri)
  const blob = await response.blob()
  checkSize(blob.size)
  const text = isTextType(type) ? decoded(await blob.arrayBuffer(), type) : undefined
  if (text !== undefined) return { mimeType: essenceOf(type), text, _meta }
  return { mimeType: type, blob, _meta }
}

/** The type of a response by its header, or else by its URL. */
function typeOf({ headers }: Response, url: string): string {
  const own = headers.get('content-type') ?? ''
  return isMediaType(own) ? own : typeOfName(url.split('?', 1)[0] ?? '')
}

function essenceOf(type: string): string {
  return (type.split(';', 1)[0] ?? '').trim().toLowerCase()
}

/** Text in the charset of its type, or UTF-8; `undefined`: the bytes do not fit. */
function decoded(bytes: ArrayBuffer, type: string): string | undefined {
  const charset = /;\s*charset\s*=\s*"?([^\s";]+)/i.exec(type)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset, { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}
