/** What tests evaluate in a page: the source under test. Everything here runs in the browser. */

import type { Source } from '../../src/source.ts'
import { type StorageOptions, storage } from '../../src/sources/storage.ts'

const signal = new AbortController().signal

/** Every URI that is listed, page by page. */
async function uris(source: Source, pageSize = 2): Promise<string[]> {
  const all: string[] = []
  let cursor: string | undefined
  do {
    const listing = await source.list(cursor, { pageSize, signal })
    all.push(...listing.resources.map(({ uri }) => uri))
    cursor = listing.nextCursor
  } while (cursor !== undefined)
  return all
}

async function read(source: Source, uri: string) {
  const [item] = await source.read(uri, { signal })
  return [item?.mimeType, item?.text]
}

/** The name of the error, or 'read'. */
const tryRead = (source: Source, uri: string) =>
  source.read(uri, { signal }).then(
    () => 'read',
    (error: Error) => error.name,
  )

/** Changes as they come. */
function changes(options: StorageOptions) {
  const seen: string[] = []
  let look = () => {}
  const controller = new AbortController()
  storage(options).watch?.((uri) => {
    seen.push(String(uri ?? 'list'))
    look()
  }, controller.signal)
  return {
    seen,
    stop: () => controller.abort(),
    /** What came until all of `wanted` did; it is forgotten then. */
    async until(...wanted: string[]): Promise<string[]> {
      await new Promise<void>((resolve) => {
        look = () => wanted.every((one) => seen.includes(one)) && resolve()
        look()
      })
      return seen.splice(0)
    },
  }
}

const exported = { storage, uris, read, tryRead, changes }

declare global {
  var storageKit: typeof exported
}

globalThis.storageKit = exported
