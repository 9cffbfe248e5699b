/**
 * Notices what this realm writes into IndexedDB, by whatever library: IndexedDB itself tells
 * nobody. The methods that write are wrapped, and what a transaction wrote is reported after it has
 * committed. What other tabs and workers write is told by them (idb-channel.ts).
 *
 * The app sees no difference: arguments, `this`, results, exceptions, names and lengths are those
 * of the wrapped methods.
 */

import { keySegment } from './idb-keys.ts'

/** What one transaction did to one store, or to a whole database. */
export interface Written {
  database: string
  /** undefined: the database was upgraded or deleted. */
  store?: string
  /** Path segments of the keys of records that came, changed or went. */
  keys: ReadonlySet<string>
  /** Whether keys may have come or gone. */
  list: boolean
  /** Whether records may have gone that are not in `keys`: any of them. */
  all: boolean
}

/** How many keys one transaction's report names; beyond, it speaks of all records of the store. */
export const maxWritten = 10_000 // keys

/** Who wants to know of writes. */
export interface Observer {
  /** Whether writes into this store matter. */
  concerns(database: string, store?: string): boolean
  written(written: Written): void
}

const observers = new Set<Observer>()
let restore: (() => void) | undefined

/**
 * Reports writes to observer until the returned function is called. The first observer installs the
 * wrappers, the last removes them.
 */
export function observeWrites(observer: Observer): () => void {
  if (typeof IDBObjectStore === 'undefined') return () => {}
  observers.add(observer)
  restore ??= install()
  return () => {
    observers.delete(observer)
    if (observers.size > 0) return
    restore?.()
    restore = undefined
  }
}

function install(): () => void {
  const undo = [
    wrap(IDBObjectStore.prototype, 'add', {
      after: (store, _, request) => notePut(store, request, true),
    }),
    wrap(IDBObjectStore.prototype, 'put', {
      after: (store, _, request) => notePut(store, request, true),
    }),
    wrap(IDBObjectStore.prototype, 'delete', {
      before: (store, [query]) => noteDelete(store, query),
    }),
    wrap(IDBObjectStore.prototype, 'clear', { before: (store) => noteDelete(store, undefined) }),
    wrap(IDBCursor.prototype, 'update', {
      after: (cursor, _, request) => notePut(storeOf(cursor), request, false),
    }),
    wrap(IDBCursor.prototype, 'delete', {
      before: (cursor) => noteDelete(storeOf(cursor), cursor.primaryKey),
    }),
    wrap(IDBFactory.prototype, 'open', {
      after: (_, [name], request) => noteOpen(String(name), request),
    }),
    wrap(IDBFactory.prototype, 'deleteDatabase', {
      after: (_, [name], request) => noteDrop(String(name), request),
    }),
  ]
  return () => {
    for (const one of undo) one()
  }
}

type Result<F> = F extends (...args: never[]) => infer R ? R : never

interface Notes<T, R> {
  before?: (self: T, args: unknown[]) => void
  after?: (self: T, args: unknown[], result: R) => void
}

/**
 * Puts notes around a method, and returns what takes them away. Whatever goes wrong in a note stays
 * there.
 */
function wrap<T extends object, K extends keyof T & string>(
  prototype: T,
  name: K,
  notes: Notes<T, Result<T[K]>>,
): () => void {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
  const original = descriptor?.value
  if (descriptor === undefined || typeof original !== 'function') return () => {}
  let removed = false
  const note = (take: (() => void) | undefined) => {
    if (removed || take === undefined) return
    try {
      take()
    } catch {
      // a `this` that the method itself is about to refuse, a transaction that has ended
    }
  }
  // A method, so that like the original it is no constructor and has no `prototype`.
  const { [name]: method } = {
    [name](this: T, ...args: unknown[]) {
      note(notes.before && (() => notes.before?.(this, args)))
      const result = Reflect.apply(original, this, args) as Result<T[K]>
      note(notes.after && (() => notes.after?.(this, args, result)))
      return result
    },
  }
  Object.defineProperty(method, 'length', { value: original.length, configurable: true })
  Object.defineProperty(prototype, name, { ...descriptor, value: method })
  return () => {
    removed = true // for whoever has wrapped our wrapper, or kept it
    if (prototype[name] === (method as unknown)) Object.defineProperty(prototype, name, descriptor)
  }
}

/** What an open transaction has done to one of its stores. */
interface Ledger {
  keys: Set<string>
  list: boolean
  all: boolean
  /** Requests whose results will be keys, in the order in which they finish. */
  puts: IDBRequest<IDBValidKey>[]
}

const ledgers = new WeakMap<IDBTransaction, Map<string, Ledger>>()

/** How many results may wait before those that are there are taken: requests are large. */
const takeEvery = 512 // requests

/**
 * The ledger of store in its transaction, or undefined if nobody is concerned or nothing can be
 * written.
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
  if (ledger.all) return // that is all that can be said
  if (ledger.puts.push(request) % takeEvery === 0) takePuts(ledger)
}

/**
 * Notes a deletion. Which keys a range has is not looked up: that would be a request of ours in the
 * app's transaction. Whoever watches one of the store's records is told, gone or not.
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

/** A version that changes may bring and take stores. */
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

/** Reports what a transaction did, once it has committed. */
function settle(database: string, stores: Map<string, Ledger>): void {
  for (const [store, ledger] of stores) {
    takePuts(ledger)
    if (ledger.all) ledger.keys.clear()
    report({ database, store, keys: ledger.keys, list: ledger.list, all: ledger.all })
  }
}

/** Lets go of keys that are too many to be named. */
function bound(ledger: Ledger): void {
  if (ledger.keys.size <= maxWritten) return
  ledger.all = true
  ledger.keys.clear()
}

/** Takes the keys of puts that are done. One that failed wrote nothing. */
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
