/** What tests evaluate in a page with caches. Everything here runs in the browser. */
import { caches as cached } from '../../src/sources/caches.ts'
import { requestTail } from '../../src/sources/caches-uris.ts'
import { changes, list, never } from '../harness/sources.ts'

/** Puts responses into a cache, by URL. */
async function fill(
  cache: string,
  responses: { [url: string]: [body: BodyInit, init?: ResponseInit] },
) {
  const opened = await caches.open(cache)
  for (const [url, [body, init]] of Object.entries(responses)) {
    await opened.put(url, new Response(body, init))
  }
  return opened
}

/** Everything that there is. */
async function everything(): Promise<string[]> {
  const all: string[] = []
  for (const name of await caches.keys()) {
    const cache = await caches.open(name)
    all.push(name)
    for (const request of await cache.keys()) {
      all.push(`${name} ${request.url} ${await (await cache.match(request))?.text()}`)
    }
  }
  return all
}

const exported = { cached, requestTail, fill, everything, list, changes, never }

declare global {
  var cacheKit: typeof exported
}

globalThis.cacheKit = exported
