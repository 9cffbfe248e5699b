/** The schema of a database and its stores, with counts. */

import { result } from '../idb-request.ts'
import type { Json } from '../source.ts'
import { nameSegment } from './idb-keys.ts'
import { maySeek, type Served, type ServedDatabase } from './idb-options.ts'

/** A database: its version, and its served stores. */
export async function describeDatabase(
  { database, stores: all }: ServedDatabase,
  stores: IDBObjectStore[],
  db: IDBDatabase,
): Promise<Json> {
  const described = await Promise.all(
    stores.map((store) =>
      describeStore(store, all.find((served) => served.store === store.name) as Served),
    ),
  )
  return { database, version: db.version, stores: described }
}

/**
 * A store: its count, keys and indexes. An index that may be searched has a `path`, below the
 * store's URI.
 */
export async function describeStore(
  store: IDBObjectStore,
  { options, uri }: Served,
): Promise<{ [name: string]: Json }> {
  const { name, keyPath, autoIncrement, indexNames } = store
  const count = await result(store.count())
  const indexes = Array.from(indexNames, (called): Json => {
    const { keyPath, unique, multiEntry } = store.index(called)
    const about = { name: called, keyPath, unique, multiEntry }
    return maySeek(options, keyPath) ? { ...about, path: `index/${nameSegment(called)}` } : about
  })
  const path = uri.slice(uri.lastIndexOf('/') + 1)
  return { store: name, path, count, keyPath, autoIncrement, indexes }
}
