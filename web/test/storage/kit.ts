/** What tests evaluate in a page: the source under test. Everything here runs in the browser. */

import type { Source } from '../../src/source.ts'
import { type StorageOptions, storage } from '../../src/sources/storage.ts'
import { changes, list, never } from '../harness/sources.ts'

async function read(source: Source, uri: string) {
  const [item] = await source.read(uri, { signal: never })
  return [item?.mimeType, item?.text]
}

/** The name of the error, or 'read'. */
const tryRead = (source: Source, uri: string) =>
  source.read(uri, { signal: never }).then(
    () => 'read',
    (error: Error) => error.name,
  )

const exported = {
  storage,
  list,
  read,
  tryRead,
  changes: (options: StorageOptions) => changes(storage(options)),
}

declare global {
  var storageKit: typeof exported
}

globalThis.storageKit = exported
