/**
 * Service worker: keeps the playground for offline use. With a network, all files come from the network.
 * Without one, all come from the newest complete copy, so that files of two versions never mix. The page requests a
 * copy; it is made if the list of files (files.json) has changed. A tab that was open before a new deployment gets the
 * chunks of its version, which the server has no longer, from an older copy.
 */

/** The parts of the global scope that are used here: TypeScript's types of workers conflict with those of pages. */
interface Scope {
  readonly registration: { readonly scope: string }
  readonly clients: {
    claim(): Promise<void>
    matchAll(): Promise<readonly unknown[]>
  }
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
  event.respondWith(
    fetch(request).then(
      async (response) =>
        response.status < 400 ? response : ((await copied(request.url)) ?? response),
      async (error: unknown) => {
        const found = await copied(request.url)
        if (found === undefined) throw error
        return found
      },
    ),
  )
})

/** How many older copies are kept while several tabs are open: each may be of another version. */
const olderCopies = 3

/**
 * Makes a complete copy, unless one of these files exists. After that, the oldest copies are deleted; one is left for
 * the tab itself, which may have been loaded before the deployment.
 */
async function makeCopy(): Promise<void> {
  const response = await fetch(list, { cache: 'no-cache' })
  if (!response.ok) return
  const text = await response.text()
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const name = prefix + btoa(String.fromCharCode(...new Uint8Array(digest).slice(0, 12)))
  const copies = await completeCopies()
  if (copies.includes(name)) return
  const cache = await caches.open(name)
  const files = Object.keys(JSON.parse(text) as Record<string, string>)
  await Promise.all(files.map((file) => keep(cache, file)))
  await cache.put(list, new Response(text)) // last: a copy with this file is complete
  const kept = copies.slice(0, (await worker.clients.matchAll()).length > 1 ? olderCopies : 1)
  for (const other of await caches.keys()) {
    if (other.startsWith(prefix) && other !== name && !kept.includes(other))
      await caches.delete(other)
  }
}

/**
 * Stores a file in a response of its own: browsers answer no navigation with one that was redirected, and some hosts
 * redirect `index.html` to its directory.
 */
async function keep(cache: Cache, file: string): Promise<void> {
  const response = await fetch(file, { cache: 'no-cache' })
  if (!response.ok) throw new Error(`${file}: status ${response.status}`)
  const headers = new Headers(response.headers)
  for (const name of ['content-encoding', 'content-length']) headers.delete(name) // of the body on its way
  await cache.put(file, new Response(await response.blob(), { headers }))
}

/** The names of the complete copies, newest first. */
async function completeCopies(): Promise<string[]> {
  const complete: string[] = []
  for (const name of await caches.keys()) {
    if (name.startsWith(prefix) && (await (await caches.open(name)).match(list)))
      complete.unshift(name)
  }
  return complete
}

/** A file of the newest copy that has it. Query and fragment are ignored. */
async function copied(url: string): Promise<Response | undefined> {
  const { origin, pathname } = new URL(url)
  const file = pathname.endsWith('/') ? `${pathname}index.html` : pathname
  for (const name of await completeCopies()) {
    const found = await (await caches.open(name)).match(origin + file)
    if (found !== undefined) return found
  }
  return undefined
}
