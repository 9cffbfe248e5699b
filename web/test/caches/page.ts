/** What tests evaluate in a page with caches. Everything here runs in the browser. */
import { caches as cached } from '../../src/sources/caches.ts'
import { requestTail } from '../../src/sources/caches-uris.ts'

const never = new AbortController().signal

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

/** All URIs that are listed, by pages of `pageSize`. */
async function list(source: ReturnType<typeof cached>, pageSize = 100): Promise<string[]> {
  const all: string[] = []
  let cursor: string | undefined
  do {
    const page = await source.list(cursor, { pageSize, signal: never })
    if (page.resources.length > pageSize) throw new Error('more than asked for')
    all.push(...page.resources.map(({ uri }) => uri))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return all
}

/** Changes as they come: `until` waits for all of `wanted`, and forgets what came. */
function changes(source: ReturnType<typeof cached>) {
  const seen: string[] = []
  let look = () => {}
  const controller = new AbortController()
  source.watch?.((uri, under) => {
    seen.push(`${uri ?? 'list'}${under ? '*' : ''}`)
    look()
  }, controller.signal)
  return {
    seen,
    stop: () => controller.abort(),
    async until(...wanted: string[]): Promise<string[]> {
      await new Promise<void>((resolve) => {
        look = () => wanted.every((one) => seen.includes(one)) && resolve()
        look()
      })
      return [...new Set(seen.splice(0))].sort()
    },
  }
}

const exported = { cached, requestTail, fill, everything, list, changes, never }

declare global {
  var cacheKit: typeof exported
}

globalThis.cacheKit = exported
