import {
  BadCursorError,
  type Changed,
  type Contents,
  type Json,
  type Listing,
  NotFoundError,
  type PortableSource,
  type Resource,
  type Source,
} from '../source.ts'
import { keyFromSegment, keyLabel, keySegment, nameSegment } from './idb-keys.ts'
import { reader, result } from './idb-open.ts'
import { asBinary, encodeValue, fieldText, isPlainObject, withFields } from './idb-values.ts'
import { observeWrites, type Written } from './idb-watch.ts'

/**
 * What may be read. There is no default and no wildcard: a store that is not named is not served.
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
  /** The fields that may be read, besides those above in listings; default: whole records. */
  fields?: readonly string[]
}

/** Most resources of one page. */
const maxPageSize = 1000 // resources

/**
 * How many records are in memory at once when a page needs fields of them: any may be megabytes.
 */
const labelBatch = 32 // records

const json = 'application/json'

/**
 * Says in a read's `_meta` which parts could not be kept exactly: JSON Pointers (RFC 6901) into its
 * text.
 */
const lossyMeta = 'io.github.pagemcp/lossy'

/**
 * Publishes records of IndexedDB, read only: `idb:///{database}/{store}` says what a store holds
 * (count, key path, indexes), and `idb:///{database}/{store}/{key}` is a record, as JSON
 * (idb-values.ts says how), or as a blob if it is a Blob, ArrayBuffer or view as a whole. Keys are
 * type-tagged: `n.1`, `s.one`, … (idb-keys.ts). Databases are never created, and never kept from
 * being upgraded; a database or store that does not exist has no resources.
 *
 * What this realm writes, by whatever library, is noticed from this call on, and announced after the
 * transaction has committed: each record, its store, and the list. When a range is deleted, a store
 * cleared, a database upgraded or deleted, all records of the store are announced that anybody
 * watches.
 * What other tabs and workers write is not noticed: `changed` of the engine announces that.
 *
 * @param options.databases - which stores may be read; required
 * @param options.signal - ends the noticing for good; default: it lasts as long as the page
 * @returns a source (Go's `engine.Source`, `engine.Templater` and `engine.Watcher`) whose list and
 *   read can run in a Worker. They reject with {@link NotFoundError}, {@link BadCursorError},
 *   `DatabaseBusyError`, or a `DOMException` of IndexedDB
 * @throws TypeError if the options name no stores in the documented way
 * @see https://w3c.github.io/IndexedDB/
 */
export function idb(options: IdbOptions & { signal?: AbortSignal }): PortableSource {
  const stores = servedStores(options)
  const listeners = new Set<Changed>()
  const stop = observeWrites({
    concerns: (database, store) =>
      stores.some(
        (one) => one.database === database && (store === undefined || one.store === store),
      ),
    written(written) {
      const changes = changesOf(stores, written)
      for (const changed of listeners) for (const change of changes) changed(...change)
    },
  })
  options.signal?.addEventListener('abort', stop, { once: true })
  return {
    ...idbReader(options),
    portable: { kind: 'idb', options: { databases: options.databases as unknown as Json } },
    watch(changed, signal) {
      const listener: Changed = (uri, under) => changed(uri, under)
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    },
  }
}

/** The reading half of {@link idb}: what the engine's Worker makes from `portable.options`. */
export function idbReader(options: IdbOptions): Source {
  const stores = servedStores(options)
  const byUri = new Map(stores.map((one) => [one.uri, one]))
  const read = reader()

  /** The store and the key that a URI is about; undefined if nothing here is called so. */
  function place(uri: string): { served: Served; key?: IDBValidKey } | undefined {
    const whole = byUri.get(uri)
    if (whole !== undefined) return { served: whole }
    const slash = uri.lastIndexOf('/')
    const served = byUri.get(uri.slice(0, slash))
    const key = keyFromSegment(uri.slice(slash + 1))
    return served === undefined || key === undefined ? undefined : { served, key }
  }

  return {
    /** The cursor is the URI after which to go on: it names database, store and the last key. */
    async list(cursor, { pageSize, signal }): Promise<Listing> {
      const from = cursor === undefined ? undefined : place(cursor)
      if (cursor !== undefined && from === undefined) throw new BadCursorError(cursor)
      const most = Math.min(Math.max(pageSize, 1), maxPageSize)
      const resources: Resource[] = []
      for (const served of from === undefined
        ? stores
        : stores.slice(stores.indexOf(from.served))) {
        if (resources.length === most) return { resources, nextCursor: resources.at(-1)?.uri }
        const begun = served === from?.served
        const page = await read(served, signal, async (store) => {
          const own = begun ? [] : [storeResource(served)]
          const room = most - resources.length - own.length
          // One more than there is room for tells whether there are more.
          const records = await recordsAfter(store, begun ? from.key : undefined, room + 1, served)
          return { resources: [...own, ...records.slice(0, room)], more: records.length > room }
        })
        if (page === undefined) continue
        resources.push(...page.resources)
        if (page.more) return { resources, nextCursor: resources.at(-1)?.uri }
      }
      return { resources }
    },

    async read(uri, { signal }): Promise<Contents[]> {
      const found = place(uri)
      if (found === undefined) throw new NotFoundError(uri)
      const { served, key } = found
      if (key === undefined) {
        const about = await read(served, signal, describeStore)
        if (about === undefined) throw new NotFoundError(uri)
        return [
          { uri, mimeType: json, text: JSON.stringify({ database: served.database, ...about }) },
        ]
      }
      const record = await read(served, signal, (store) => recordAt(store, key))
      if (record === undefined) throw new NotFoundError(uri)
      return [{ uri, ...(await contentsOf(record.value, served.options)) }]
    },

    templates: async () =>
      stores.map(({ uri, database, store }) => ({
        uriTemplate: `${uri}/{key}`,
        name: store,
        description:
          `A record of the store ${quoted(store)} in the database ${quoted(database)}. ` +
          'Keys are typed: n.1 is the number 1, s.one the string "one", d.2026-01-31T12:00:00.000Z a date.',
      })),
  }
}

interface Served {
  database: string
  store: string
  uri: string
  options: StoreOptions
}

function servedStores({ databases }: IdbOptions): Served[] {
  if (!isRecord(databases))
    throw new TypeError('idb: databases must be an object: { database: [store, …] }')
  return Object.entries(databases).flatMap(([database, named]) => {
    if (!Array.isArray(named) && !isRecord(named)) {
      throw new TypeError(`idb: stores of ${quoted(database)} must be an array or an object`)
    }
    const stores: [string, StoreOptions][] = Array.isArray(named)
      ? [...new Set(named as string[])].map((store) => [store, {}])
      : Object.entries(named as { [store: string]: StoreOptions })
    return stores.map(([store, options]) => {
      if (typeof store !== 'string' || !isRecord(options)) {
        throw new TypeError(`idb: stores of ${quoted(database)} must be names, or objects by name`)
      }
      return {
        database,
        store,
        options,
        uri: `idb:///${nameSegment(database)}/${nameSegment(store)}`,
      }
    })
  })
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What a write makes stale. */
function changesOf(
  stores: Served[],
  { database, store, keys, list, all }: Written,
): Parameters<Changed>[] {
  const changes: Parameters<Changed>[] = []
  for (const served of stores) {
    if (served.database !== database || (store !== undefined && served.store !== store)) continue
    if (all) changes.push([`${served.uri}/`, true])
    else for (const key of keys) changes.push([`${served.uri}/${key}`])
    changes.push([served.uri])
    list ||= hasLabels(served.options)
  }
  if (list) changes.push([])
  return changes
}

function hasLabels({ name, title, description }: StoreOptions): boolean {
  return name !== undefined || title !== undefined || description !== undefined
}

function storeResource({ uri, database, store }: Served): Resource {
  const description = `What the store ${quoted(store)} in the database ${quoted(database)} holds.`
  return { uri, name: store.toWellFormed(), description, mimeType: json }
}

async function describeStore(store: IDBObjectStore) {
  const { name, keyPath, autoIncrement, indexNames } = store
  const count = await result(store.count())
  return { store: name, count, keyPath, autoIncrement, indexes: Array.from(indexNames) }
}

/**
 * The first `count` records after a key. Values are looked at only for what the listing says of
 * them.
 */
async function recordsAfter(
  store: IDBObjectStore,
  after: IDBValidKey | undefined,
  count: number,
  served: Served,
): Promise<Resource[]> {
  const beyond = (key: IDBValidKey | undefined) =>
    key === undefined ? null : IDBKeyRange.lowerBound(key, true)
  if (!hasLabels(served.options)) {
    const mimeType = alwaysJson(store.keyPath) ? json : undefined
    const keys = await result(store.getAllKeys(beyond(after), count))
    return keys.map((key) => ({
      uri: `${served.uri}/${keySegment(key)}`,
      name: nameOf(key),
      mimeType,
    }))
  }
  const resources: Resource[] = []
  for (let last = after; resources.length < count; ) {
    const wanted = Math.min(labelBatch, count - resources.length)
    const [keys, values] = await entries(store, beyond(last), wanted)
    resources.push(...keys.map((key, i) => recordResource(served, key, values[i])))
    if (keys.length < wanted) break
    last = keys.at(-1)
  }
  return resources
}

function recordResource({ uri, options }: Served, key: IDBValidKey, value: unknown): Resource {
  const binary = options.fields === undefined ? asBinary(value) : undefined
  return {
    uri: `${uri}/${keySegment(key)}`,
    name: fieldText(value, options.name) ?? nameOf(key),
    title: fieldText(value, options.title),
    description: fieldText(value, options.description),
    mimeType: binary?.mimeType ?? json,
    size: binary && (binary.blob instanceof Blob ? binary.blob.size : binary.blob.byteLength),
  }
}

/** The newest way to read keys and values together, where there is one. */
type Records = {
  getAllRecords?(options: {
    query: IDBKeyRange | null
    count: number
  }): IDBRequest<{ primaryKey: IDBValidKey; value: unknown }[]>
}

async function entries(
  store: IDBObjectStore & Records,
  range: IDBKeyRange | null,
  count: number,
): Promise<[IDBValidKey[], unknown[]]> {
  if (store.getAllRecords === undefined) {
    return Promise.all([result(store.getAllKeys(range, count)), result(store.getAll(range, count))])
  }
  const records = await result(store.getAllRecords({ query: range, count }))
  return [records.map((record) => record.primaryKey), records.map((record) => record.value)]
}

/**
 * Records with a key inside are objects, never bytes; but a Blob has properties that may be the key
 * as well.
 */
function alwaysJson(keyPath: string | string[] | null): boolean {
  return (
    keyPath !== null &&
    ![keyPath].flat().every((path) => /^(size|type|name|lastModified|length)?$/.test(path))
  )
}

function nameOf(key: IDBValidKey): string {
  const label = keyLabel(key)
  return label.length > maxName ? `${label.slice(0, maxName).toWellFormed()}…` : label
}

/** How much of a key stands for a name. */
const maxName = 120 // UTF-16 code units

/** The record at a key, even if it is the value undefined. */
async function recordAt(
  store: IDBObjectStore,
  key: IDBValidKey,
): Promise<{ value: unknown } | undefined> {
  try {
    const [found, value] = await Promise.all([result(store.getKey(key)), result(store.get(key))])
    return found === undefined ? undefined : { value }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'DataError') return undefined // a key too deep for this browser
    throw error
  }
}

async function contentsOf(
  value: unknown,
  { fields }: StoreOptions,
): Promise<Omit<Contents, 'uri'>> {
  const binary = fields === undefined ? asBinary(value) : undefined
  if (binary !== undefined) return binary
  const { text, lossy } = await encodeValue(
    fields === undefined ? value : withFields(value, fields),
  )
  if (fields !== undefined && !isPlainObject(value)) lossy.push('')
  return { mimeType: json, text, _meta: lossy.length > 0 ? { [lossyMeta]: lossy } : undefined }
}

function quoted(name: string): string {
  return JSON.stringify(name)
}
