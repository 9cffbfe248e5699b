/**
 * Service worker: keeps the playground for offline use. With a network, all files come from the network.
 * Without one, all come from one complete copy, so that files of two versions never mix. The page requests a
 * copy; it is made if the list of files (files.json) has changed.
 */

/** The parts of the global scope that are used here: TypeScript's types of workers conflict with those of pages. */
interface Scope {
  readonly registration: { readonly scope: string }
  readonly clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void
  addEventListener(type: 'message', listener: (event: Extendable & { data: unknown }) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetched) => void): void
}

interface Extendable {
  waitUntil(promise: Promise<unknown>): void
}

interface Fetched extends Extendable {
  readonly request: Request
  respondWith(response: Promise<Response>): void
}

const worker = globalThis as unknown as Scope

const prefix = 'pagemcp-playground-'
const list = 'files.json'

worker.addEventListener('install', (event) => event.waitUntil(worker.skipWaiting()))
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()))

worker.addEventListener('message', (event) => {
  if (event.data === 'keep') event.waitUntil(makeCopy())
})

worker.addEventListener('fetch', (event) => {
  const { request } = event
  if (request.method !== 'GET' || !request.url.startsWith(worker.registration.scope)) return
  event.respondWith(fetch(request).catch((error: unknown) => copied(request.url, error)))
})

/** Makes a complete copy, unless one of these files exists. Older copies are deleted after that. */
async function makeCopy(): Promise<void> {
  const response = await fetch(list, { cache: 'no-cache' })
  if (!response.ok) return
  const text = await response.text()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const name = prefix + btoa(String.fromCharCode(...new Uint8Array(digest).slice(0, 12)))
  if (await caches.has(name)) {
    const whole = await (await caches.open(name)).match(list)
    if (whole !== undefined) return
  }
  const cache = await caches.open(name)
  await cache.addAll(Object.keys(JSON.parse(text) as Record<string, string>))
  await cache.put(list, new Response(text)) // last: a copy with this file is complete
  for (const other of await caches.keys()) {
    if (other.startsWith(prefix) && other !== name) await caches.delete(other)
  }
}

/** A file of the copy. Query and fragment are ignored. */
async function copied(url: string, error: unknown): Promise<Response> {
  const { origin, pathname } = new URL(url)
  const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname
  for (const name of await caches.keys()) {
    if (!name.startsWith(prefix)) continue
    const found = await (await caches.open(name)).match(origin + file)
    if (found !== undefined) return found
  }
  throw error
}
