/**
 * Lists, reads and completes records: in the engine's Worker, and in the window what the engine asks there, by
 * a file of its own in the package (idb-reader.js).
 *
 * No module with state may be imported here: index.js would have it, too.
 */

import { rankCompletions } from '../answer-call.ts'
import type { Completion } from '../callee.ts'
import { isMediaType, metaLossy, toBase64 } from '../contents.ts'
import { result } from '../database.ts'
import {
  BadCursorError,
  type Contents,
  type Json,
  type Listing,
  NotFoundError,
  type Resource,
  type Source,
} from '../source.ts'
import { plainLabel } from '../translation.ts'
import { hasLabels, type Served, type ServedDatabase, type StoreOptions } from './idb.ts'
import {
  bytesOf,
  keyFromSegment,
  keyFromText,
  keyLabel,
  keySegment,
  keyText,
  nameFromSegment,
  nameSegment,
  type Reader,
  reader,
  segment,
  unescapeText,
} from './idb-open.ts'

const json = 'application/json'

/** The most resources in one page of a list. */
const maxPageSize = 1000 // resources

/** The most records in memory at once while their labels are read: each may be megabytes. */
const labelBatch = 32 // records

/** The longest name that is made of a key, and the longest description. */
const maxName = 120 // UTF-16 code units
const maxDescription = 1000 // UTF-16 code units

/** The most records of one range: all of them are in memory at once. */
const maxRecords = 100

/** The approximate size limit of a range; it has at least one record. */
const maxRangeBytes = 4 << 20 // bytes of blobs, and UTF-16 code units of text

/** The most keys that are read for a completion: of all keys, and of the keys that begin with the typed text. */
const maxKeys = 1000
const maxNear = 100

/** Longer keys are not offered. */
const maxOffered = 1000 // UTF-16 code units

/** The database, store, record or query of a URI. */
interface Place {
  database: ServedDatabase
  /** undefined: the database itself */
  served?: Served
  key?: IDBValidKey
  query?: Query
}

/** The query of a range, by keys or by the values of an index. Bounds are included. */
interface Query {
  /** The path segment of the index; undefined: by the keys of the records. */
  index: string | undefined
  from: IDBValidKey | undefined
  to: IDBValidKey | undefined
  /** Continues after the record with this key; in an index, among the records of the first bound. */
  after: IDBValidKey | undefined
  direction: 'next' | 'prev'
  /** 1 to {@link maxRecords}; the default is the most. */
  limit: number
}

/** A record, and its value in the index, or its key without an index. */
interface Found {
  key: IDBValidKey
  indexKey: IDBValidKey
  value: unknown
}

/**
 * The reading half of {@link idb}; the engine's Worker makes it from `portable.options`.
 *
 * @param reading - default: a reader of its own
 */
export function idbReader(
  databases: readonly ServedDatabase[],
  reading: Reader = reader(),
): Required<Pick<Source, 'list' | 'read' | 'complete' | 'mounted'>> {
  const ofDatabase = ({ database, stores }: ServedDatabase) => ({
    database,
    stores: stores.map(({ store }) => store),
  })
  const inStore = <T>(
    { database, store }: Served,
    signal: AbortSignal,
    ask: (store: IDBObjectStore) => Promise<T>,
  ) =>
    reading.read({ database, stores: [store] }, signal, ([found]) => ask(found as IDBObjectStore))

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

  /** The content of a place; `undefined` if it does not exist. */
  async function contentsAt(
    uri: string,
    { database, served, key, query }: Place,
    signal: AbortSignal,
  ): Promise<Contents[] | undefined> {
    const about = (value: Json | undefined) =>
      value === undefined ? undefined : [{ uri, mimeType: json, text: JSON.stringify(value) }]
    if (served === undefined) {
      const stores = await reading.read(ofDatabase(database), signal, async (stores, db) => ({
        database: db.name,
        version: db.version,
        stores: await Promise.all(
          stores.map((store) => {
            const one = database.stores.find((served) => served.store === store.name)
            return describeStore(store, one as Served)
          }),
        ),
      }))
      return about(stores)
    }
    if (query !== undefined) {
      const found = await inStore(served, signal, (store) =>
        recordsIn(store, served.options, query),
      )
      return found && rangeContents(uri, served, query, found)
    }
    if (key !== undefined) {
      const record = await inStore(served, signal, (store) => recordAt(store, key))
      return record && [{ uri, ...(await contentsOf(record.value, served.options)) }]
    }
    const described = await inStore(served, signal, (store) => describeStore(store, served))
    return about(described && { database: served.database, ...described })
  }

  return {
    mounted: reading.keepOpen,

    /** The cursor is the last URI of the previous part: it names database, store and key. */
    async list(cursor, { pageSize, signal }): Promise<Listing> {
      let from = cursor === undefined ? undefined : place(cursor)
      if (cursor !== undefined && (from === undefined || from.query)) {
        throw new BadCursorError(cursor)
      }
      const most = Math.min(Math.max(pageSize, 1), maxPageSize)
      const resources: Resource[] = [] // at the end one more than `most`, if there are more
      for (const database of from ? databases.slice(databases.indexOf(from.database)) : databases) {
        if (from === undefined) {
          const isThere = await reading.read(ofDatabase(database), signal, async () => true)
          if (!isThere) continue
          resources.push(databaseResource(database))
        }
        const { stores } = database
        for (const served of from?.served ? stores.slice(stores.indexOf(from.served)) : stores) {
          if (resources.length > most) break
          const begun = served === from?.served ? from : undefined
          const page = await inStore(served, signal, async (store) => {
            const own = begun ? [] : [storeResource(served)]
            const room = most + 1 - resources.length - own.length
            return [...own, ...(await recordsAfter(store, begun?.key, room, served))]
          })
          if (page !== undefined) resources.push(...page)
        }
        if (resources.length > most) break
        from = undefined
      }
      if (resources.length <= most) return { resources }
      resources.length = most
      return { resources, nextCursor: resources.at(-1)?.uri }
    },

    async read(uri, { signal }): Promise<Contents[]> {
      const found = place(uri)
      const contents = found && (await contentsAt(uri, found, signal))
      if (contents === undefined) throw new NotFoundError(uri)
      return contents
    },

    /** Completes names of databases and stores, and keys of records. */
    async complete(ref, { name, value }, { arguments: chosen, signal }) {
      const uri = ref.type === 'ref/resource' ? ref.uri : ref.name
      if (!uri.startsWith('idb:///')) throw new NotFoundError(uri)
      const [home, storeName] = uri
        .slice('idb:///'.length)
        .split('/')
        .map((part) => {
          const variable = /^\{(\w+)\}$/.exec(part)?.[1]
          if (variable === undefined) return part
          const own = Object.hasOwn(chosen, variable) ? chosen[variable] : undefined
          return segment((own ?? '').toWellFormed())
        })
      const database = databases.find((one) => one.database === nameFromSegment(home ?? ''))
      if (home && database === undefined) throw new NotFoundError(uri)
      if (name === 'database') {
        return rankCompletions(
          databases.map(({ database }) => variable(database)),
          value,
        )
      }
      const stores = (database ? [database] : databases).flatMap(({ stores }) => stores)
      if (name === 'store') {
        return rankCompletions([...new Set(stores.map(({ store }) => variable(store)))], value)
      }
      const served = stores.find(({ store }) => store === nameFromSegment(storeName ?? ''))
      if (name !== 'key' || served === undefined) return []
      return (await inStore(served, signal, (store) => keysLike(store, value))) ?? []
    },
  }
}

/** The first `count` records after a key. Values are read only for labels of the listing. */
async function recordsAfter(
  store: IDBObjectStore,
  after: IDBValidKey | undefined,
  count: number,
  served: Served,
): Promise<Resource[]> {
  const isLabelled = hasLabels(served.options)
  const resources: Resource[] = []
  for (let last = after; resources.length < count; ) {
    const range = last === undefined ? null : IDBKeyRange.lowerBound(last, true)
    const wanted = Math.min(isLabelled ? labelBatch : count, count - resources.length)
    const [keys, values] = await Promise.all([
      result(store.getAllKeys(range, wanted)),
      isLabelled ? result(store.getAll(range, wanted)) : undefined,
    ])
    const mimeType = alwaysJson(store.keyPath) ? json : undefined
    for (const [i, key] of keys.entries()) {
      const own = values ? labelsOf(served.options, values[i]) : { mimeType }
      const uri = `${served.uri}/${keySegment(key)}`
      resources.push({ uri, name: plainLabel(keyLabel(key), maxName) || keyText(key), ...own })
    }
    if (keys.length < wanted) break
    last = keys.at(-1)
  }
  return resources
}

/** What a listing says of a record, by its fields. */
function labelsOf(options: StoreOptions, value: unknown): Partial<Resource> {
  const label = (field: string | undefined, max?: number) =>
    plainLabel(fieldText(value, field) ?? '', max) || undefined
  const binary = options.fields === undefined ? asBinary(value) : undefined
  const name = label(options.name)
  return {
    ...(name && { name }),
    title: label(options.title),
    description: label(options.description, maxDescription),
    mimeType: binary?.mimeType ?? json,
    size: binary && sizeOf(binary),
  }
}

/**
 * Records with an inline key are objects, not bytes; but a property of a Blob may be the key as well.
 */
function alwaysJson(keyPath: string | string[] | null): boolean {
  return (
    keyPath !== null &&
    ![keyPath].flat().every((path) => /^(size|type|name|lastModified|length)?$/.test(path))
  )
}

function databaseResource({ uri, database }: ServedDatabase): Resource {
  const description = `The schema of the database ${JSON.stringify(database)}: version, stores, indexes, and how much they hold.`
  return { uri, name: database.toWellFormed(), description, mimeType: json }
}

function storeResource({ uri, database, store }: Served): Resource {
  const description = `What the store ${JSON.stringify(store)} in the database ${JSON.stringify(database)} holds.`
  return { uri, name: store.toWellFormed(), description, mimeType: json }
}

/**
 * A store: its count, keys and indexes. An index that may be searched has a `path`, below the
 * store's URI.
 */
async function describeStore(store: IDBObjectStore, { options, uri }: Served) {
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

/** The record at a key, even if it is the value undefined. */
async function recordAt(store: IDBObjectStore, key: IDBValidKey) {
  try {
    const [found, value] = await Promise.all([result(store.getKey(key)), result(store.get(key))])
    return found === undefined ? undefined : { value: value as unknown }
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
  const { text, lossy } = await encodeValue(fields ? withFields(value, fields) : value)
  if (fields !== undefined && !isPlainObject(value)) lossy.push('')
  return { mimeType: json, text, _meta: lossy.length > 0 ? { [metaLossy]: lossy } : undefined }
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
  const { database, store, options } = served
  const records: Contents[] = []
  let size = 0
  for (const { key, value } of found.slice(0, query.limit)) {
    const contents = await contentsOf(value, options)
    size += sizeOf(contents)
    if (records.length > 0 && size > maxRangeBytes) break
    records.push({ uri: `${served.uri}/${keySegment(key)}`, ...contents })
  }
  const last = found[records.length - 1]
  const { index } = query
  const about = {
    database,
    store,
    ...(index !== undefined && { index }),
    records: found.slice(0, records.length).map(({ key, indexKey }) => ({
      key: keySegment(key),
      ...(index !== undefined && { value: keySegment(indexKey) }),
    })),
    ...(last && records.length < found.length && { next: queryAfter(query, last) }),
  }
  return [{ uri, mimeType: json, text: JSON.stringify(about) }, ...records]
}

function sizeOf({ text, blob }: Pick<Contents, 'text' | 'blob'>): number {
  if (text !== undefined) return text.length
  return blob instanceof Blob ? blob.size : (blob?.byteLength ?? 0)
}

/**
 * The query of a URI: the segments and the query string behind the store's URI. `undefined`: it has none. A tagged key
 * has a dot after its letter, so `range` and `index` are no keys.
 */
function queryOf(segments: readonly string[], text: string | undefined): Query | undefined {
  const [what, index] = segments
  const isRange = what === 'range' && index === undefined
  if (!isRange && (what !== 'index' || index === undefined || segments.length > 2)) return undefined
  const values = new Map<string, string>()
  for (const part of text ? text.split('&') : []) {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/.exec(part) ?? [] // a client may have decoded a `=`
    if (!/^(from|to|after|direction|limit)$/.test(name) || values.has(name)) return undefined
    if (value !== '') values.set(name, value) // left empty by a user
  }
  const bounds = ['from', 'to', 'after'].map((name) => keyFromSegment(values.get(name) ?? ''))
  if (bounds.some((key, i) => key === undefined && values.has(['from', 'to', 'after'][i] ?? ''))) {
    return undefined
  }
  const [from, to, after] = bounds
  const direction = values.get('direction') ?? 'next'
  const limit = values.get('limit') ?? String(maxRecords)
  if ((direction !== 'next' && direction !== 'prev') || !/^[1-9]\d{0,8}$/.test(limit)) {
    return undefined
  }
  const first = direction === 'next' ? from : to
  if (!isRange && after !== undefined && first === undefined) return undefined // the value that the key belongs to is missing
  return {
    index: isRange ? undefined : index,
    from,
    to,
    after,
    direction,
    limit: Math.min(Number(limit), maxRecords),
  }
}

/** The URI query of the next part, after a record. */
function queryAfter(query: Query, { key, indexKey }: Found): string {
  const { index, direction, limit } = query
  const keys = { from: query.from, to: query.to, after: key }
  if (index !== undefined) keys[direction === 'next' ? 'from' : 'to'] = indexKey
  const parts = Object.entries(keys)
    .filter(([, bound]) => bound !== undefined)
    .map(([name, bound]) => `${name}=${keySegment(bound as IDBValidKey)}`)
  if (direction === 'prev') parts.push('direction=prev')
  if (limit < maxRecords) parts.push(`limit=${limit}`)
  return `?${parts.join('&')}`
}

/**
 * The records of a query, one more than its limit if there are more; `undefined` if there is no such index,
 * or it may not be searched. Awaits only requests of the store.
 */
async function recordsIn(
  store: IDBObjectStore,
  options: StoreOptions,
  query: Query,
): Promise<Found[] | undefined> {
  const { index, from, to, after, direction } = query
  const place = index === undefined ? store : indexOf(store, index, options)
  if (place === undefined) return undefined
  const range = rangeOf(query)
  if (range === 'none') return []
  const request = place.openCursor(range, direction) as IDBRequest<IDBCursorWithValue | null>
  let cursor = await result(request)
  if (index !== undefined && after !== undefined) {
    // Past that record, among those with the first bound.
    const first = (direction === 'next' ? from : to) as IDBValidKey
    const sign = direction === 'next' ? 1 : -1
    while (cursor !== null && indexedDB.cmp(cursor.key, first) === 0) {
      const at = sign * indexedDB.cmp(cursor.primaryKey, after)
      if (at > 0) break
      if (at < 0) cursor.continuePrimaryKey(first, after)
      else cursor.continue()
      cursor = await result(request)
    }
  }
  const found: Found[] = []
  for (; cursor !== null; cursor = await result(request)) {
    found.push({ key: cursor.primaryKey, indexKey: cursor.key, value: cursor.value })
    if (found.length > query.limit) break
    cursor.continue()
  }
  return found
}

/** The range of a query; null: all records. */
function rangeOf({ index, from, to, after, direction }: Query): IDBKeyRange | null | 'none' {
  const isAfter = index === undefined && after !== undefined // no two records share a key
  const isLower = isAfter && direction === 'next'
  const isUpper = isAfter && direction === 'prev'
  const lower = isLower ? after : from
  const upper = isUpper ? after : to
  try {
    if (lower === undefined) {
      return upper === undefined ? null : IDBKeyRange.upperBound(upper, isUpper)
    }
    if (upper === undefined) return IDBKeyRange.lowerBound(lower, isLower)
    return IDBKeyRange.bound(lower, upper, isLower, isUpper)
  } catch {
    return 'none' // the bounds are reversed, or nested deeper than this browser supports
  }
}

/** The index that a path segment names, if it may be searched. */
function indexOf(
  store: IDBObjectStore,
  segment: string,
  options: StoreOptions,
): IDBIndex | undefined {
  const name = nameFromSegment(segment)
  if (name === undefined || !store.indexNames.contains(name)) return undefined
  const index = store.index(name)
  return maySeek(options, index.keyPath) ? index : undefined
}

/**
 * Whether records may be searched by a key path: an index over a field that may not be read would reveal
 * values of that field.
 */
function maySeek({ fields }: StoreOptions, keyPath: string | readonly string[]): boolean {
  if (fields === undefined) return true
  return [keyPath].flat().every((path) => fields.includes(path.split('.')[0] ?? ''))
}

/** The value of a variable with which the template expands to a name's path segment. */
function variable(name: string): string {
  return decodeURIComponent(nameSegment(name))
}

/** Keys that fit the typed text: keys that are equal to it or begin with it as a string, and the first ones. */
async function keysLike(store: IDBObjectStore, typed: string): Promise<Completion> {
  const exact = keyFromText(typed) ?? (/^-?\d+$/.test(typed) ? Number(typed) : undefined)
  const beginning = unescapeText(typed.startsWith('s.') ? typed.slice(2) : typed)
  const near = IDBKeyRange.bound(beginning, `${beginning}\uffff`)
  const found = await Promise.all([
    exact === undefined ? [] : result(store.getAllKeys(exact, 1)),
    typed === '' ? [] : result(store.getAllKeys(near, maxNear)),
    result(store.getAllKeys(null, maxKeys)),
  ])
  const texts = found.flat().map(keyText)
  const offered = texts.filter((text) => text.length <= maxOffered)
  const hasMore = found[1].length === maxNear || found[2].length === maxKeys
  return { values: rankCompletions([...new Set(offered)], typed), hasMore }
}

// Encodes values of IndexedDB as JSON: values of the structured clone algorithm that JSON lacks get a tag, and
// none silently becomes `{}`. web/docs/sources.md, Values, has the table of tags.
//
// No getter runs, since values of IndexedDB are plain clones.

/** The deepest nesting of objects that is encoded. */
export const maxDepth = 128 // levels; parsers of the engine reject more

/**
 * The most bytes of one Blob or buffer within JSON. A record that is bytes as a whole has no such limit.
 */
export const maxInlineBytes = 8 << 20 // bytes

/** The most entries of the list of losses, which ends with `…` if there are more. */
const maxLossy = 100

const tags =
  /^\$+(array|bigint|blob|bytes|date|deep|error|handle|map|number|object|ref|regexp|set|undefined)$/

type Fields = { [field: string]: unknown }

/**
 * The JSON of a value. Blobs are read, so await it outside of any transaction.
 *
 * @param value - a value from IndexedDB
 * @returns `lossy`: JSON Pointers into `text` of values that are not exact
 * @throws a `DOMException` named `NotReadableError` if a Blob's bytes are gone
 */
export async function encodeValue(value: unknown): Promise<{ text: string; lossy: string[] }> {
  const walk: Walk = { seen: new Map(), lossy: [], blobs: [] }
  const json = encode(value, '', 0, walk)
  await Promise.all(walk.blobs.map((fill) => fill()))
  return { text: JSON.stringify(json), lossy: walk.lossy }
}

/** The bytes of a record that is bytes as a whole, with their MIME type. */
export function asBinary(
  value: unknown,
): { blob: Blob | Uint8Array<ArrayBuffer>; mimeType: string } | undefined {
  const other = 'application/octet-stream'
  if (value instanceof Blob) {
    return { blob: value, mimeType: isMediaType(value.type) ? value.type : other }
  }
  if (!(value instanceof ArrayBuffer || ArrayBuffer.isView(value))) return undefined
  return { blob: bytesOf(value as BufferSource), mimeType: other }
}

/**
 * A copy of a record with the named fields only. A record that is not a plain object has no
 * fields: the copy is an empty object.
 */
export function withFields(value: unknown, fields: readonly string[]): Fields {
  const copy: Fields = Object.create(null)
  if (!isPlainObject(value)) return copy
  for (const field of fields) if (Object.hasOwn(value, field)) copy[field] = value[field]
  return copy
}

/** Whether a value is a plain object, neither an array nor an instance of a named class. */
export function isPlainObject(value: unknown): value is Fields {
  return className(value) === 'Object'
}

/**
 * The text of a record's field, for a name or a title; `undefined` if it is neither text nor a
 * number.
 */
export function fieldText(value: unknown, field: string | undefined): string | undefined {
  const found = field === undefined ? undefined : withFields(value, [field])[field]
  if (typeof found === 'number') return String(found)
  return typeof found === 'string' && found !== '' ? found.toWellFormed() : undefined
}

interface Walk {
  /** where an object stands for the first time */
  seen: Map<object, string>
  lossy: string[]
  blobs: (() => Promise<void>)[]
}

type JsonObject = { [key: string]: Json }

function encode(value: unknown, path: string, depth: number, walk: Walk): Json {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value
    case 'number':
      if (Object.is(value, -0)) return { $number: '-0' }
      return Number.isFinite(value) ? value : { $number: String(value) }
    case 'bigint':
      return { $bigint: String(value) }
    case 'undefined':
      return { $undefined: true }
    default:
      return value === null ? null : encodeObject(value as object, path, depth, walk)
  }
}

function encodeObject(value: object, path: string, depth: number, walk: Walk): Json {
  const first = walk.seen.get(value)
  if (first !== undefined) return { $ref: first }
  const name = className(value)
  if (depth >= maxDepth) return lose(walk, path, { $deep: name })
  // Small values are repeated instead of referenced: a `$ref` would be longer and harder to read.
  if (name !== 'Date' && name !== 'RegExp') walk.seen.set(value, path)
  const inner = (child: unknown, at: string) => encode(child, `${path}/${at}`, depth + 1, walk)
  /** Array indexes and names, with a `$` before those that are tags. */
  const properties = (at: string) => {
    const copy: JsonObject = Object.create(null) // so that `__proto__` is a property like any other
    for (const [key, child] of Object.entries(value)) {
      const name = tags.test(key) ? `$${key}` : key
      copy[name] = inner(child, at + name.replaceAll('~', '~0').replaceAll('/', '~1'))
    }
    return copy
  }
  if (Array.isArray(value)) {
    const { length } = value
    const keys = Object.keys(value) // indexes in order, then names
    if (keys.length === length && (length === 0 || keys.at(-1) === String(length - 1)))
      return value.map((child, i) => inner(child, String(i)))
    return { $array: properties('$array/'), length } // with holes or named properties
  }
  if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
    const bytes = bytesOf(value as BufferSource)
    if (bytes.length <= maxInlineBytes) return { $bytes: toBase64(bytes), type: name }
    return lose(walk, path, { $bytes: null, type: name, size: bytes.length })
  }
  switch (name) {
    case 'Object':
      return properties('')
    case 'Date': {
      const time = (value as Date).getTime()
      return { $date: Number.isNaN(time) ? null : (value as Date).toISOString() }
    }
    case 'Map': {
      const entries = Array.from(value as Map<unknown, unknown>, ([k, v], i) => [
        inner(k, `$map/${i}/0`),
        inner(v, `$map/${i}/1`),
      ])
      return { $map: entries }
    }
    case 'Set':
      return { $set: Array.from(value as Set<unknown>, (v, i) => inner(v, `$set/${i}`)) }
    case 'RegExp':
      return { $regexp: { source: (value as RegExp).source, flags: (value as RegExp).flags } }
    case 'Error':
    case 'DOMException': {
      const { name: kind, message } = value as Error
      return lose(walk, path, { $error: { name: String(kind), message: String(message) } })
    }
    case 'Blob':
    case 'File':
      return encodeBlob(value as Blob, path, walk)
    case 'FileSystemFileHandle':
    case 'FileSystemDirectoryHandle': {
      const { kind, name: called } = value as FileSystemHandle
      return lose(walk, path, { $handle: { kind, name: called } })
    }
    default:
      return lose(walk, path, { $object: name })
  }
}

function encodeBlob(blob: Blob, path: string, walk: Walk): JsonObject {
  const json: JsonObject = { $blob: null, type: blob.type, size: blob.size }
  if (blob instanceof File) {
    Object.assign(json, { name: blob.name, lastModified: blob.lastModified })
  }
  if (blob.size > maxInlineBytes) return lose(walk, path, json)
  walk.blobs.push(async () => {
    json.$blob = toBase64(new Uint8Array(await blob.arrayBuffer()))
  })
  return json
}

/** The name of a value's class by its internal type; `Object` for plain objects only. */
function className(value: unknown): string {
  return Object.prototype.toString.call(value).slice(8, -1)
}

function lose<T extends Json>(walk: Walk, path: string, json: T): T {
  if (walk.lossy.length <= maxLossy) walk.lossy.push(walk.lossy.length < maxLossy ? path : '…')
  return json
}
