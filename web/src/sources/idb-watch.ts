/**
 * Observes writes of this realm into IndexedDB, with any library. IndexedDB has no events, so the methods
 * that write are wrapped, and the writes of a transaction are reported after it has committed. Other tabs
 * send messages about theirs (idb-channel.ts).
 */

import { keySegment } from './idb-keys.ts'
import { observeCalls } from './wrap.ts'

/** The writes of one transaction to one store, or to a whole database. */
export interface Written {
  database: string
  /** undefined: the database was upgraded or deleted. */
  store?: string
  /** Path segments of the keys of added, changed and deleted records. */
  keys: ReadonlySet<string>
  /** Whether records may have been added or deleted. */
  list: boolean
  /** Whether other records than those in `keys` may have been deleted. */
  all: boolean
}

/** The most keys in one report; more become "all records of the store". */
export const maxWritten = 10_000 // keys

/** An observer of writes. */
export interface Observer {
  /** Whether writes into this store matter. */
  concerns(database: string, store?: string): boolean
  written(written: Written): void
}

const observers = new Set<Observer>()
let observing: AbortController | undefined

/** Reports writes to observer until the signal is aborted. */
export function observeWrites(observer: Observer, signal: AbortSignal): void {
  if (typeof IDBObjectStore === 'undefined' || signal.aborted) return
  observers.add(observer)
  if (observing === undefined) {
    observing = new AbortController()
    observe(observing.signal)
  }
  const leave = () => {
    observers.delete(observer)
    if (observers.size > 0) return
    observing?.abort()
    observing = undefined
  }
  signal.addEventListener('abort', leave, { once: true })
}

/** Observes all methods that write. */
function observe(signal: AbortSignal): void {
  const { prototype: store } = IDBObjectStore
  const { prototype: cursor } = IDBCursor
  const { prototype: factory } = IDBFactory
  for (const name of ['add', 'put'] as const) {
    const after = (self: IDBObjectStore, _: unknown, request: IDBRequest<IDBValidKey>) =>
      notePut(self, request, true)
    observeCalls(store, name, { after }, signal)
  }
  const noteQuery = (self: IDBObjectStore, [query]: unknown[]) => noteDelete(self, query)
  const noteClear = (self: IDBObjectStore) => noteDelete(self, undefined)
  const noteAt = (self: IDBCursor) => noteDelete(storeOf(self), self.primaryKey)
  const noteUpdate = (self: IDBCursor, _: unknown, request: IDBRequest<IDBValidKey>) =>
    notePut(storeOf(self), request, false)
  observeCalls(store, 'delete', { before: noteQuery }, signal)
  observeCalls(store, 'clear', { before: noteClear }, signal)
  observeCalls(cursor, 'update', { after: noteUpdate }, signal)
  observeCalls(cursor, 'delete', { before: noteAt }, signal)
  const openedAs = (_: IDBFactory, [name]: unknown[], request: IDBOpenDBRequest) =>
    noteOpen(String(name), request)
  const droppedAs = (_: IDBFactory, [name]: unknown[], request: IDBOpenDBRequest) =>
    noteDrop(String(name), request)
  observeCalls(factory, 'open', { after: openedAs }, signal)
  observeCalls(factory, 'deleteDatabase', { after: droppedAs }, signal)
}

/** The writes of an open transaction to one of its stores. */
interface Ledger {
  keys: Set<string>
  list: boolean
  all: boolean
  /** Requests whose results will be keys, in the order in which they complete. */
  puts: IDBRequest<IDBValidKey>[]
}

const ledgers = new WeakMap<IDBTransaction, Map<string, Ledger>>()

/** The number of pending requests after which results are collected: requests are large. */
const takeEvery = 512 // requests

/**
 * The record of a store's writes in its transaction; `undefined` if no observer needs it or the transaction
 * cannot write.
 */
function ledgerOf(store: IDBObjectStore): Ledger | undefined {
  const { transaction, name } = store
  const database = transaction.db.name
  if (transaction.mode === 'readonly' || !concerned(database, name)) return undefined
  let stores = ledgers.get(transaction)
  if (stores === undefined) {
    const opened = new Map<string, Ledger>()
    transaction.addEventListener('complete', () => settle(database, opened))
    ledgers.set(transaction, opened)
    stores = opened
  }
  let ledger = stores.get(name)
  if (ledger === undefined) {
    ledger = { keys: new Set(), list: false, all: false, puts: [] }
    stores.set(name, ledger)
  }
  return ledger
}

function notePut(store: IDBObjectStore, request: IDBRequest<IDBValidKey>, list: boolean): void {
  const ledger = ledgerOf(store)
  if (ledger === undefined) return
  ledger.list ||= list
  if (ledger.all) return // already as general as possible
  if (ledger.puts.push(request) % takeEvery === 0) takePuts(ledger)
}

/**
 * Notes a deletion. The keys of a range are not read, since that would be a request in the app's
 * transaction: changes of all records of the store are announced.
 */
function noteDelete(store: IDBObjectStore, query: unknown): void {
  const ledger = ledgerOf(store)
  if (ledger === undefined) return
  ledger.list = true
  if (ledger.all) return
  const range =
    query === undefined || query instanceof IDBKeyRange ? query : IDBKeyRange.only(query)
  if (range !== undefined && range.lower !== undefined && range.upper !== undefined) {
    if (indexedDB.cmp(range.lower, range.upper) === 0) {
      ledger.keys.add(keySegment(range.lower))
      bound(ledger)
      return
    }
  }
  ledger.all = true
}

/** A version change may create and delete stores. */
function noteOpen(database: string, request: IDBOpenDBRequest): void {
  if (!concerned(database)) return
  request.addEventListener('upgradeneeded', () => {
    request.transaction?.addEventListener('complete', () =>
      report({ database, keys: new Set(), list: true, all: true }),
    )
  })
}

function noteDrop(database: string, request: IDBOpenDBRequest): void {
  if (!concerned(database)) return
  request.addEventListener('success', () =>
    report({ database, keys: new Set(), list: true, all: true }),
  )
}

/** Reports the writes of a transaction after it has committed. */
function settle(database: string, stores: Map<string, Ledger>): void {
  for (const [store, ledger] of stores) {
    takePuts(ledger)
    if (ledger.all) ledger.keys.clear()
    report({ database, store, keys: ledger.keys, list: ledger.list, all: ledger.all })
  }
}

/** Drops the keys if there are too many for one report. */
function bound(ledger: Ledger): void {
  if (ledger.keys.size <= maxWritten) return
  ledger.all = true
  ledger.keys.clear()
}

/** Collects the keys of completed puts. A failed one wrote nothing. */
function takePuts(ledger: Ledger): void {
  const waiting = ledger.puts.findIndex((request) => request.readyState !== 'done')
  for (const { error, result } of ledger.puts.splice(
    0,
    waiting < 0 ? ledger.puts.length : waiting,
  )) {
    if (error === null) ledger.keys.add(keySegment(result))
  }
  bound(ledger)
}

function concerned(database: string, store?: string): boolean {
  for (const observer of observers) if (observer.concerns(database, store)) return true
  return false
}

function report(written: Written): void {
  for (const observer of observers) {
    if (observer.concerns(written.database, written.store)) observer.written(written)
  }
}

function storeOf(cursor: IDBCursor): IDBObjectStore {
  return cursor.source instanceof IDBIndex ? cursor.source.objectStore : cursor.source
}
