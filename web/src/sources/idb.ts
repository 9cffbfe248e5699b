import { lazily } from '../module.ts'
import type { Changed, Json, PortableSource, Template } from '../source.ts'
import { nameSegment, observeWrites, reader, type Written } from './idb-open.ts'
import { whileUsed } from './wrap.ts'

/**
 * Publishes records of IndexedDB, read-only. URIs (percent-encoded by the rules of idb-open.ts):
 *
 * | URI | content |
 * |---|---|
 * | `idb:///{database}` | the schema: version, stores, key paths, indexes, counts |
 * | `idb:///{database}/{store}` | the same of one store |
 * | `idb:///{database}/{store}/{key}` | a record: JSON (idb-reader.ts says how), or a blob if it is a Blob, ArrayBuffer or view as a whole |
 * | `idb:///{database}/{store}/range{?from,to,after,direction,limit}` | records from key to key |
 * | `idb:///{database}/{store}/index/{index}{?from,to,after,direction,limit}` | records by the values of an index |
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
export function idb(options: IdbOptions): PortableSource {
  const databases = servedDatabases(options)
  const listeners = new Set<Changed>()
  const announce = (written: Written) => {
    const changes = listeners.size > 0 ? changesOf(databases, written) : []
    for (const changed of listeners) for (const change of changes) changed(...change)
  }
  const reading = reader()

  /** Observes writes, for listeners here and in other tabs. */
  const use = whileUsed((signal) => {
    const observer = {
      concerns: (database: string, store?: string) =>
        databases.some(
          (one) =>
            one.database === database &&
            (store === undefined || one.stores.some((served) => served.store === store)),
        ),
      written: announce,
      missed() {
        for (const { database } of databases) announce({ database })
      },
    }
    observeWrites(observer, signal)
    reading.keepOpen(signal)
  })

  const load = () => lazily('idb-reader.js', import('./idb-reader.ts'))
  const half = async () => (await load()).idbReader(databases, reading)
  return {
    list: async (...args) => (await half()).list(...args),
    read: async (...args) => (await half()).read(...args),
    complete: async (...args) => (await half()).complete(...args),
    templates: async () => templatesOf(databases),
    portable: { kind: 'idb', options: databases as unknown as Json },
    mounted(signal) {
      void load() // a use reports an error
      use(signal)
    },
    watch(changed, signal) {
      const own: Changed = (...change) => changed(...change)
      listeners.add(own)
      signal.addEventListener('abort', () => listeners.delete(own), { once: true })
      use(signal)
    },
  }
}

/** The resources that a write makes stale. */
function changesOf(
  databases: readonly ServedDatabase[],
  { database, store, keys }: Written,
): Parameters<Changed>[] {
  const among = databases.filter((one) => one.database === database)
  const stores = among
    .flatMap((one) => one.stores)
    .filter((served) => store === undefined || served.store === store)
  const ofStore = ({ uri }: Served): Parameters<Changed>[] =>
    keys === undefined
      ? [[uri], [`${uri}/`, true]]
      : [
          [uri],
          [`${uri}/index/`, true],
          [`${uri}/range`, true],
          ...keys.map((key): [string] => [`${uri}/${key}`]),
        ]
  if (stores.length === 0) return []
  return [...stores.flatMap(ofStore), ...among.map(({ uri }): [string] => [uri]), []]
}

const keysAre =
  'Keys are typed: n.1 is the number 1, s.one the string "one", d.2026-01-31T12:00:00.000Z a date.'
const goesOn =
  'At most 100 records are read at once, in order; the first item says which they are, and as `next` the query that goes on.'

/** One template of records for each store, and general ones for the rest. */
function templatesOf(databases: readonly ServedDatabase[]): Template[] {
  const stores = databases.flatMap(({ stores }) => stores)
  const general = (path: string, name: string, description: string): Template => ({
    uriTemplate: `idb:///{database}${path}`,
    name,
    description,
  })
  return stores.length === 0
    ? []
    : [
        ...stores.map(({ uri, database, store }) => ({
          uriTemplate: `${uri}/{key}`,
          name: store,
          description: `A record of the store ${JSON.stringify(store)} in the database ${JSON.stringify(database)}. ${keysAre}`,
        })),
        general(
          '',
          'database',
          'The schema of a database: version, stores, key paths, indexes, and how many records there are.',
        ),
        general(
          '/{store}',
          'store',
          'What a store holds: how many records, its key path and its indexes.',
        ),
        general('/{store}/{key}', 'record', `A record of a store. ${keysAre}`),
        general(
          '/{store}/range{?from,to,after,direction,limit}',
          'range',
          `Records from one key to another, both included. ${goesOn} ${keysAre}`,
        ),
        general(
          '/{store}/index/{index}{?from,to,after,direction,limit}',
          'index',
          `Records by what an index finds in them, from one value to another. ${goesOn} Values are typed like keys; direction is next or prev.`,
        ),
      ]
}

/** The error of a wrong option; `expected` follows "must be". */
export function wrongOption(
  source: string,
  option: string,
  expected: string,
  value: unknown,
): TypeError {
  return new TypeError(`${source}: ${option} must be ${expected}, not ${JSON.stringify(value)}`)
}

// The stores that may be read, and their URIs.

/**
 * The stores that may be read. There is no default and no wildcard.
 */
export interface IdbOptions {
  /**
   * Databases by name; of each, the names of its stores, or an object with options for each store:
   * `{ 'notes-app': ['notes'] }` or `{ 'notes-app': { notes: { title: 'title' } } }`.
   */
  databases: {
    readonly [database: string]: readonly string[] | { readonly [store: string]: StoreOptions }
  }
}

/**
 * How a store's records are served. Fields are own properties of a record that is a plain object.
 */
export interface StoreOptions {
  /** The field whose text is the resource's name; default: the key. */
  name?: string
  /** The field whose text is the resource's title; default: none. */
  title?: string
  /** The field whose text is the resource's description; default: none. */
  description?: string
  /**
   * The fields that may be read, besides those above in listings; default: whole records. Indexes
   * over other fields are not served then, since they would reveal values of those fields.
   */
  fields?: readonly string[]
}

/** A store that is served. */
export interface Served {
  database: string
  store: string
  options: StoreOptions
  /** Of the store; its records are below it. */
  uri: string
  /** Of its database. */
  home: string
}

/** A database of which stores are served. */
export interface ServedDatabase {
  database: string
  uri: string
  /** At least one. */
  stores: Served[]
}

/**
 * The databases that options name, in their order.
 *
 * @throws TypeError if the options name no stores in the documented way
 */
export function servedDatabases({ databases }: IdbOptions): ServedDatabase[] {
  const wrong = (value: unknown) =>
    wrongOption('idb', 'databases', 'as in { notes: [store] } or { notes: { store: {} } }', value)
  if (!isRecord(databases)) throw wrong(databases)
  return Object.entries(databases).flatMap(([database, named]) => {
    const byName = Array.isArray(named) ? [...new Set(named)].map((name) => [name, {}]) : undefined
    if (!byName && !isRecord(named)) throw wrong(databases)
    const uri = `idb:///${nameSegment(database)}`
    const stores = (byName ?? Object.entries(named)).map(([store, options]): Served => {
      if (typeof store !== 'string' || !isRecord(options)) throw wrong(databases)
      return { database, store, options, uri: `${uri}/${nameSegment(store)}`, home: uri }
    })
    return stores.length > 0 ? [{ database, uri, stores }] : []
  })
}

/** Whether a listing needs the values of records, and not only their keys. */
export function hasLabels({ name, title, description }: StoreOptions): boolean {
  return [name, title, description].some((field) => field !== undefined)
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
