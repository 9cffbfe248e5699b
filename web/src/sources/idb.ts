import type { Changed, Json, PortableSource } from '../source.ts'
import { decodeWrites, encodeWrites, liveChannel, writesChannel } from './idb-channel.ts'
import { lazyIdb } from './idb-lazy.ts'
import { reader } from './idb-open.ts'
import {
  hasLabels,
  type IdbOptions,
  type Served,
  type StoreOptions,
  servedDatabases,
} from './idb-options.ts'
import { templatesOf } from './idb-templates.ts'
import { observeWrites, type Written } from './idb-watch.ts'
import { commonOptions, type SourceOptions } from './options.ts'
import { whileUsed } from './usage.ts'

export type { IdbOptions, StoreOptions }

/**
 * Publishes records of IndexedDB, read-only. URIs (percent-encoded by the rules of idb-keys.ts):
 *
 * | URI | content |
 * |---|---|
 * | `idb:///{database}` | the schema: version, stores, key paths, indexes, counts |
 * | `idb:///{database}/{store}` | the same of one store |
 * | `idb:///{database}/{store}/{key}` | a record: JSON (idb-values.ts says how), or a blob if it is a Blob, ArrayBuffer or view as a whole |
 * | `idb:///{database}/{store}/range{?from,to,after,direction,limit}` | records from key to key |
 * | `idb:///{database}/{store}/index/{index}{?from,to,after,direction,limit}` | records by the values of an index |
 * | `idb:///{database}/{store}/index/{index}/{value}{?after,direction,limit}` | records with one value of the index |
 *
 * Keys and values of indexes are type-tagged: `n.1`, `s.one`, …: so `range` and `index` are no keys. A
 * read of a range returns at most 100 records; its first item lists their keys, and its `next` is the
 * query of the next part, if there is one. Databases are never created, and upgrades never blocked; a
 * database or store that does not exist has no resources.
 *
 * **Changes** are announced after they have committed: each record, ranges, store, schema, and the
 * list. After the deletion of a range, the clearing of a store or an upgrade, the whole store is announced.
 * While the source is mounted, these writes are noticed:
 *
 * - of this window, with any library;
 * - of other tabs and frames of the origin that serve the same store.
 *
 * The app announces other writes, such as those of its workers, with `changed` of the engine.
 *
 * @param options.databases - which stores may be read; required
 * @returns a source (Go's `engine.Source`, `engine.Watcher` and `engine.Completer`)
 *   whose list and read can run in a Worker. They reject with `NotFoundError`, `BadCursorError`,
 *   `DatabaseBusyError`, or a `DOMException` of IndexedDB
 * @throws TypeError if the options name no stores in the documented way
 * @see https://w3c.github.io/IndexedDB/
 */
export function idb(options: IdbOptions & SourceOptions): PortableSource {
  const { signal: ends } = commonOptions('idb', options)
  const databases = servedDatabases(options)
  const stores = databases.flatMap((one) => one.stores)
  const listeners = new Set<Changed>()
  const announce = (written: Written) => {
    if (listeners.size === 0) return
    const changes = changesOf(stores, written)
    for (const changed of listeners) for (const change of changes) changed(...change)
  }
  const announceAll = (served: readonly Served[]) => {
    for (const { database, store } of served) {
      announce({ database, store, keys: new Set(), list: true, all: true })
    }
  }
  // Databases are upgraded and deleted by others, too, such as developer tools: connections are what notices that.
  const read = reader((database) => {
    announce({ database, keys: new Set(), list: true, all: true })
    for (const signal of watching) hold(database, signal)
  })
  const watching = new Set<AbortSignal>()
  /** Opens a connection, which the reader keeps; waits for an upgrade or a deletion that has begun. */
  const hold = (database: string, signal: AbortSignal) => {
    const served = stores.filter((one) => one.database === database).map(({ store }) => store)
    read.inStores({ database, stores: served }, signal, async () => {}).catch(() => {}) // a read reports it
  }

  /** Observes the writes of this window, for listeners here and in other tabs, and those of other tabs. */
  const use = whileUsed((signal) => {
    const others = liveChannel(writesChannel, {
      message(data) {
        const written = decodeWrites(data)
        if (written) announce(written)
      },
      missed: () => announceAll(stores),
    })
    const concerns = (database: string, store?: string) =>
      stores.some(
        (one) => one.database === database && (store === undefined || one.store === store),
      )
    const written = (written: Written) => {
      announce(written)
      others.post(encodeWrites(written))
      if (written.store === undefined) for (const one of watching) hold(written.database, one)
    }
    observeWrites({ concerns, written }, signal)
    signal.addEventListener('abort', () => others.close(), { once: true })
    read.keepOpen(signal)
  }, ends)

  /** Holds connections, to notice upgrades and deletions by others. */
  const useListeners = whileUsed((signal) => {
    watching.add(signal)
    signal.addEventListener('abort', () => watching.delete(signal), { once: true })
    for (const { database } of databases) hold(database, signal)
  }, ends)

  const { prepare, ...half } = lazyIdb(databases, read)
  return {
    ...half,
    templates: async () => templatesOf(databases),
    portable: { kind: 'idb', options: databases as unknown as Json },
    mounted(signal) {
      prepare()
      return use(signal)
    },
    watch(changed, listening) {
      const signal = ends ? AbortSignal.any([listening, ends]) : listening
      if (signal.aborted) return
      const listener: Changed = (what, under) => changed(what, under)
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
      use(listening)
      useListeners(listening)
    },
  }
}

/** The resources that a write makes stale. */
function changesOf(
  stores: Served[],
  { database, store, keys, list, all }: Written,
): Parameters<Changed>[] {
  const changes: Parameters<Changed>[] = []
  let home: string | undefined
  for (const served of stores) {
    if (served.database !== database || (store !== undefined && served.store !== store)) continue
    const { uri } = served
    if (all) changes.push([`${uri}/`, true])
    else {
      for (const key of keys) changes.push([`${uri}/${key}`])
      changes.push([`${uri}/index/`, true], [`${uri}/range`, true])
    }
    changes.push([uri])
    if (list) home = served.home // its counts
    list ||= hasLabels(served.options)
  }
  if (home !== undefined) changes.push([home])
  if (list) changes.push([])
  return changes
}
