import { metaLossy } from '../contents.ts'
import { result } from '../idb-request.ts'
import {
  BadCursorError,
  type Contents,
  type Listing,
  NotFoundError,
  type Resource,
  type Source,
} from '../source.ts'
import { keyFromSegment, keySegment, nameFromSegment } from './idb-keys.ts'
import { recordsAfter } from './idb-list.ts'
import { type Reader, reader } from './idb-open.ts'
import { quoted, type Served, type ServedDatabase, type StoreOptions } from './idb-options.ts'
import { type Found, type Query, queryAfter, queryOf, recordsIn } from './idb-range.ts'
import { describeDatabase, describeStore } from './idb-schema.ts'
import { asBinary, encodeValue, isPlainObject, json, withFields } from './idb-values.ts'

/** The most resources in one page of a list. */
const maxPageSize = 1000 // resources

/** The approximate size limit of one answer; it has at least one record. */
const maxRangeBytes = 4 << 20 // bytes of blobs, and UTF-16 code units of text

/** The database, store, record or query of a URI. */
interface Place {
  database: ServedDatabase
  /** undefined: the database itself */
  served?: Served
  key?: IDBValidKey
  query?: Query
}

/**
 * The reading half of {@link idb}; the engine's Worker makes it from `portable.options`.
 *
 * @param read - default: a reader of its own
 */
export function idbReader(
  databases: readonly ServedDatabase[],
  read: Reader = reader(),
): Pick<Source, 'list' | 'read'> & Required<Pick<Source, 'mounted'>> {
  /** The place that a URI names; `undefined` if there is none. */
  function place(uri: string): Place | undefined {
    const question = uri.indexOf('?')
    const [path, text] = question < 0 ? [uri] : [uri.slice(0, question), uri.slice(question + 1)]
    const [scheme, , authority, home = '', store, ...rest] = path.split('/')
    if (scheme !== 'idb:' || authority !== '') return undefined
    const database = databases.find(({ database }) => database === nameFromSegment(home))
    if (database === undefined) return undefined
    if (store === undefined) return text === undefined ? { database } : undefined
    const served = database.stores.find((one) => one.store === nameFromSegment(store))
    if (served === undefined) return undefined
    if (rest.length === 0) return text === undefined ? { database, served } : undefined
    const key = rest.length === 1 && text === undefined ? keyFromSegment(rest[0] ?? '') : undefined
    if (key !== undefined) return { database, served, key }
    const query = queryOf(rest, text)
    return query && { database, served, query }
  }

  /** The resources of a database from a place on. */
  async function* listed(
    database: ServedDatabase,
    from: Place | undefined,
    room: () => number,
    signal: AbortSignal,
  ): AsyncGenerator<{ resources: Resource[]; more: boolean }> {
    const { uri, stores } = database
    if (from === undefined) {
      const at = { database: database.database, stores: stores.map(({ store }) => store) }
      const there = await read.inStores(at, signal, async () => true)
      if (!there) return
      yield { resources: [databaseResource(uri, database.database)], more: false }
    }
    for (const served of from?.served ? stores.slice(stores.indexOf(from.served)) : stores) {
      if (room() === 0) {
        yield { resources: [], more: true }
        return
      }
      const begun = served === from?.served
      const page = await read.inStore(served, signal, async (store) => {
        const own = begun ? [] : [storeResource(served)]
        const most = room() - own.length
        // One more than the limit shows whether there are more.
        const records = await recordsAfter(store, begun ? from.key : undefined, most + 1, served)
        return { resources: [...own, ...records.slice(0, most)], more: records.length > most }
      })
      if (page !== undefined) yield page
    }
  }

  return {
    mounted: read.keepOpen,

    /** The cursor is the last URI of the previous part: it names database, store and key. */
    async list(cursor, { pageSize, signal }): Promise<Listing> {
      const from = cursor === undefined ? undefined : place(cursor)
      if (cursor !== undefined && (from === undefined || from.query))
        throw new BadCursorError(cursor)
      const most = Math.min(Math.max(pageSize, 1), maxPageSize)
      const resources: Resource[] = []
      for (const database of from ? databases.slice(databases.indexOf(from.database)) : databases) {
        if (resources.length === most) return { resources, nextCursor: resources.at(-1)?.uri }
        const begun = database === from?.database ? from : undefined
        for await (const page of listed(database, begun, () => most - resources.length, signal)) {
          resources.push(...page.resources)
          if (page.more) return { resources, nextCursor: resources.at(-1)?.uri }
        }
      }
      return { resources }
    },

    async read(uri, { signal }): Promise<Contents[]> {
      const found = place(uri)
      const contents = found && (await contentsAt(read, uri, found, signal))
      if (contents === undefined) throw new NotFoundError(uri)
      return contents
    },
  }
}

/** The content of a place; `undefined` if it does not exist. */
async function contentsAt(
  read: Reader,
  uri: string,
  { database, served, key, query }: Place,
  signal: AbortSignal,
): Promise<Contents[] | undefined> {
  if (served === undefined) {
    const at = { database: database.database, stores: database.stores.map(({ store }) => store) }
    const about = await read.inStores(at, signal, (stores, db) =>
      describeDatabase(database, stores, db),
    )
    if (about === undefined) return undefined
    return [{ uri, mimeType: json, text: JSON.stringify(about) }]
  }
  if (query !== undefined) {
    const records = await read.inStore(served, signal, (store) =>
      recordsIn(store, served.options, query),
    )
    return records && rangeContents(uri, served, query, records)
  }
  if (key !== undefined) {
    const record = await read.inStore(served, signal, (store) => recordAt(store, key))
    return record && [{ uri, ...(await contentsOf(record.value, served.options)) }]
  }
  const about = await read.inStore(served, signal, (store) => describeStore(store, served))
  if (about === undefined) return undefined
  return [{ uri, mimeType: json, text: JSON.stringify({ database: served.database, ...about }) }]
}

/**
 * The records of a range, each under its own URI, after an item that lists their keys and has the query of
 * the next part, if there is one.
 */
async function rangeContents(
  uri: string,
  served: Served,
  query: Query,
  found: Found[],
): Promise<Contents[]> {
  const records: Contents[] = []
  let size = 0
  for (const { key, value } of found.slice(0, query.limit)) {
    const contents = await contentsOf(value, served.options)
    size += sizeOf(contents)
    if (records.length > 0 && size > maxRangeBytes) break
    records.push({ uri: `${served.uri}/${keySegment(key)}`, ...contents })
  }
  const last = found[records.length - 1]
  const exact = uri.split('?')[0]?.split('/').length === 8 // idb:///database/store/index/index/value
  const about = {
    database: served.database,
    store: served.store,
    ...(query.index !== undefined && { index: query.index }),
    records: found.slice(0, records.length).map(({ key, indexKey }) => ({
      key: keySegment(key),
      ...(query.index !== undefined && { value: keySegment(indexKey) }),
    })),
    ...(last && records.length < found.length && { next: queryAfter(query, last, exact) }),
  }
  return [{ uri, mimeType: json, text: JSON.stringify(about) }, ...records]
}

function sizeOf({ text, blob }: Omit<Contents, 'uri'>): number {
  if (text !== undefined) return text.length
  return blob instanceof Blob ? blob.size : (blob?.byteLength ?? 0)
}

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
  return { mimeType: json, text, _meta: lossy.length > 0 ? { [metaLossy]: lossy } : undefined }
}

function databaseResource(uri: string, database: string): Resource {
  const description = `The schema of the database ${quoted(database)}: version, stores, indexes, and how much they hold.`
  return { uri, name: database.toWellFormed(), description, mimeType: json }
}

function storeResource({ uri, database, store }: Served): Resource {
  const description = `What the store ${quoted(store)} in the database ${quoted(database)} holds.`
  return { uri, name: store.toWellFormed(), description, mimeType: json }
}
