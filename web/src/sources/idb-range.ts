/**
 * Records of a range, by their keys or by an index:
 *
 * | URI below the store's | content |
 * |---|---|
 * | `/range{?from,to,after,direction,limit}` | records by key |
 * | `/index/{index}{?from,to,after,direction,limit}` | records by the values of an index |
 * | `/index/{index}/{value}{?after,direction,limit}` | records with one value of the index |
 *
 * Bounds and values are keys, tagged as in the URI of a record (idb-keys.ts). A tagged key has a dot after
 * its letter, so `range` and `index` are no keys. Bounds are included.
 */

import { result } from '../idb-request.ts'
import { keyFromSegment, keySegment, nameFromSegment } from './idb-keys.ts'
import { maySeek, type StoreOptions } from './idb-options.ts'

/** The most records of one answer: all of them are in memory at once. */
const maxRecords = 100

/** The query of a range. */
export interface Query {
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

/** A record, and the key by which it was found. */
export interface Found {
  key: IDBValidKey
  /** Its value in the index, or its key without an index. */
  indexKey: IDBValidKey
  value: unknown
}

/** The query of a URI: the segments and the query string behind the store's URI. `undefined`: it has none. */
export function queryOf(segments: readonly string[], text: string | undefined): Query | undefined {
  const [what, index, value] = segments
  const values = valuesOf(text)
  if (values === undefined || segments.length > 3) return undefined
  if (value !== undefined && (values.has('from') || values.has('to'))) return undefined
  const keys = new Map<string, IDBValidKey>()
  for (const name of ['from', 'to', 'after']) {
    const encoded = name !== 'after' && value !== undefined ? value : values.get(name)
    const key = encoded === undefined ? undefined : keyFromSegment(encoded)
    if (key !== undefined) keys.set(name, key)
    else if (encoded !== undefined) return undefined
  }
  const [from, to, after] = [keys.get('from'), keys.get('to'), keys.get('after')]
  const direction = values.get('direction') ?? 'next'
  const limit = values.get('limit') ?? String(maxRecords)
  if ((direction !== 'next' && direction !== 'prev') || !/^[1-9]\d{0,8}$/.test(limit))
    return undefined
  const query = { from, to, after, direction, limit: Math.min(Number(limit), maxRecords) } as const
  if (what === 'range' && index === undefined) return { ...query, index: undefined }
  if (what !== 'index' || index === undefined) return undefined
  if (after !== undefined && (direction === 'next' ? from : to) === undefined) return undefined // the value that the key belongs to is missing
  return { ...query, index }
}

/**
 * The URI query of the next part, after a record.
 *
 * @param exact - whether the value is in the path
 */
export function queryAfter(query: Query, { key, indexKey }: Found, exact: boolean): string {
  const { index, direction, limit } = query
  const bounds = { from: query.from, to: query.to }
  if (index !== undefined) bounds[direction === 'next' ? 'from' : 'to'] = indexKey
  const parts = exact ? [] : Object.entries(bounds).filter(([, bound]) => bound !== undefined)
  const keys = [...parts, ['after', key] as const].map(
    ([name, bound]) => `${name}=${keySegment(bound as IDBValidKey)}`,
  )
  const rest = [
    direction === 'prev' ? ['direction=prev'] : [],
    limit < maxRecords ? [`limit=${limit}`] : [],
  ]
  return `?${[...keys, ...rest.flat()].join('&')}`
}

/**
 * The records of a query, one more than its limit if there are more; `undefined` if there is no such index,
 * or it may not be searched. Awaits only requests of the store.
 */
export async function recordsIn(
  store: IDBObjectStore,
  options: StoreOptions,
  query: Query,
): Promise<Found[] | undefined> {
  const place = query.index === undefined ? store : indexOf(store, query.index)
  if (place === undefined) return undefined
  if (place !== store && !maySeek(options, place.keyPath as string | string[])) return undefined
  const range = rangeOf(query)
  if (range === 'none') return []
  const request = place.openCursor(range, query.direction) as IDBRequest<IDBCursorWithValue | null>
  let cursor = await result(request)
  const next = () => result(request) // of the cursor's last request
  if (query.index !== undefined && query.after !== undefined && cursor !== null)
    cursor = await skipTo(cursor, query.after, query, next)
  const found: Found[] = []
  while (cursor !== null) {
    found.push({ key: cursor.primaryKey, indexKey: cursor.key, value: cursor.value })
    if (found.length > query.limit) break
    cursor.continue()
    cursor = await next()
  }
  return found
}

/** The index that a path segment names. */
export function indexOf(store: IDBObjectStore, segment: string): IDBIndex | undefined {
  const name = nameFromSegment(segment)
  return name !== undefined && store.indexNames.contains(name) ? store.index(name) : undefined
}

/** Moves a cursor past a record, among those with the first bound in the index. */
async function skipTo(
  cursor: IDBCursorWithValue,
  after: IDBValidKey,
  { from, to, direction }: Query,
  next: () => Promise<IDBCursorWithValue | null>,
): Promise<IDBCursorWithValue | null> {
  const first = (direction === 'next' ? from : to) as IDBValidKey
  const sign = direction === 'next' ? 1 : -1
  /** Below 0: before the record; 0: on it. */
  const place = (at: IDBCursorWithValue) =>
    indexedDB.cmp(at.key, first) === 0 ? sign * indexedDB.cmp(at.primaryKey, after) : 1
  let at: IDBCursorWithValue | null = cursor
  if (place(at) < 0) {
    at.continuePrimaryKey(first, after)
    at = await next()
  }
  if (at !== null && place(at) === 0) {
    at.continue()
    at = await next()
  }
  return at
}

/** The range of a query; null: all records. */
function rangeOf({ index, from, to, after, direction }: Query): IDBKeyRange | null | 'none' {
  const own = index === undefined ? after : undefined // there, no two records share a key
  let [lower, upper] = [from, to]
  if (own !== undefined && direction === 'next') lower = own
  if (own !== undefined && direction === 'prev') upper = own
  const open = {
    lower: own !== undefined && direction === 'next',
    upper: own !== undefined && direction === 'prev',
  }
  try {
    if (lower === undefined)
      return upper === undefined ? null : IDBKeyRange.upperBound(upper, open.upper)
    if (upper === undefined) return IDBKeyRange.lowerBound(lower, open.lower)
    return IDBKeyRange.bound(lower, upper, open.lower, open.upper)
  } catch {
    return 'none' // the bounds are reversed, or nested deeper than this browser supports
  }
}

/** The values of a URI query, without empty ones; `undefined` if there are unknown names. */
function valuesOf(query: string | undefined): Map<string, string> | undefined {
  const known = ['from', 'to', 'after', 'direction', 'limit']
  const values = new Map<string, string>()
  for (const part of query ? query.split('&') : []) {
    const [name = '', ...rest] = part.split('=')
    const value = rest.join('=') // a client may have decoded it
    if (!known.includes(name) || values.has(name)) return undefined
    if (value !== '') values.set(name, value) // left empty by a user
  }
  return values
}
