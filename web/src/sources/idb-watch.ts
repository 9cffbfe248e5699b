/**
 * Observes writes into IndexedDB, with any library: of this window, and of other tabs and frames of the origin that
 * do the same. IndexedDB has no events, so the methods that write are wrapped, and the writes of a transaction are
 * reported after it has committed.
 *
 * Tabs tell each other by messages, which name database, store and keys, never values. Any script of the origin can send
 * one; its only effect is that clients read again.
 */

import { keySegment } from './idb-keys.ts'
import { observeCalls } from './wrap.ts'

/** The writes of one transaction to one store, or to a whole database. */
export interface Written {
  readonly database: string
  /** undefined: the database was upgraded or deleted. */
  readonly store?: string | undefined
  /** Path segments of the keys of added, changed and deleted records; undefined: of any record. */
  readonly keys?: readonly string[] | undefined
}

/** The most keys in one report; more become "any record of the store". */
const maxKeys = 1000 // keys

/** The name of the BroadcastChannel. */
const channelName = 'io.github.pagemcp/idb'

/** What is to be observed, and who is told. */
export interface Observer {
  /** Whether writes into this store, or an upgrade of this database, matter. */
  concerns(database: string, store?: string): boolean
  /** A write of this window, or of another tab. */
  written(written: Written): void
  /** The page was frozen: messages of others may have been missed. */
  missed(): void
}

/** The keys that a transaction has written into a store. */
type Keys = Set<string> | 'any'

/** Reports writes until the signal is aborted. */
export function observeWrites(observer: Observer, signal: AbortSignal): void {
  if (typeof IDBObjectStore === 'undefined' || signal.aborted) return
  const post = tellOthers(observer, signal)
  const report = (written: Written) => {
    if (signal.aborted) return
    observer.written(written)
    post(written)
  }
  const transactions = new WeakMap<IDBTransaction, Map<string, Keys>>()

  /** Notes keys, of which `undefined` stands for any, until the transaction of a store has committed. */
  function note({ transaction, name }: IDBObjectStore, key: IDBValidKey | undefined) {
    const database = transaction.db.name
    if (!observer.concerns(database, name)) return
    const stores = transactions.get(transaction) ?? new Map<string, Keys>()
    if (stores.size === 0) {
      transactions.set(transaction, stores)
      transaction.addEventListener('complete', () => {
        for (const [store, keys] of stores) {
          report({ database, store, keys: keys === 'any' ? undefined : [...keys] })
        }
      })
    }
    const keys = stores.get(name) ?? new Set()
    if (keys !== 'any' && key !== undefined) keys.add(keySegment(key))
    const isMany = keys === 'any' || key === undefined || keys.size > maxKeys
    stores.set(name, isMany ? 'any' : keys)
  }
  const noteResult = (store: IDBObjectStore, request: IDBRequest<IDBValidKey>) => {
    if (!observer.concerns(store.transaction.db.name, store.name)) return
    request.addEventListener('success', () => note(store, request.result))
  }
  /** The keys of a range are not read, since that would be a request in the app's transaction. */
  const noteQuery = (store: IDBObjectStore, [query]: unknown[]) => {
    const { lower, upper } = query instanceof IDBKeyRange ? query : IDBKeyRange.only(query)
    const isOne = lower !== undefined && upper !== undefined && indexedDB.cmp(lower, upper) === 0
    note(store, isOne ? lower : undefined)
  }
  const upgraded = (database: string) => observer.concerns(database) && report({ database })

  const { prototype: store } = IDBObjectStore
  const { prototype: cursor } = IDBCursor
  const { prototype: factory } = IDBFactory
  observeCalls(store, 'add', (self, _, request) => noteResult(self, request), signal)
  observeCalls(store, 'put', (self, _, request) => noteResult(self, request), signal)
  observeCalls(store, 'delete', noteQuery, signal)
  observeCalls(store, 'clear', (self) => note(self, undefined), signal)
  observeCalls(cursor, 'update', (self, _, request) => noteResult(storeOf(self), request), signal)
  observeCalls(cursor, 'delete', (self) => note(storeOf(self), self.primaryKey), signal)
  const opened = (_: IDBFactory, [name]: unknown[], request: IDBOpenDBRequest) =>
    request.addEventListener('upgradeneeded', () => {
      request.transaction?.addEventListener('complete', () => upgraded(String(name)))
    })
  const dropped = (_: IDBFactory, [name]: unknown[], request: IDBOpenDBRequest) =>
    request.addEventListener('success', () => upgraded(String(name)))
  observeCalls(factory, 'open', opened, signal)
  observeCalls(factory, 'deleteDatabase', dropped, signal)
}

function storeOf(cursor: IDBCursor): IDBObjectStore {
  return cursor.source instanceof IDBIndex ? cursor.source.objectStore : cursor.source
}

/**
 * Exchanges messages with other tabs. Browsers evict a frozen page (bfcache) when its open channel gets a message: so
 * the channel is closed when the page freezes, and opened again when the page returns.
 */
function tellOthers({ written, missed }: Observer, signal: AbortSignal) {
  if (typeof BroadcastChannel === 'undefined') return () => {}
  let channel: BroadcastChannel | undefined
  const open = () => {
    channel = new BroadcastChannel(channelName)
    channel.onmessage = ({ data }) => isWritten(data) && written(data)
  }
  const close = () => {
    channel?.close()
    channel = undefined
  }
  globalThis.addEventListener?.('pagehide', close, { signal })
  const back = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return
    open()
    missed()
  }
  globalThis.addEventListener?.('pageshow', back, { signal })
  signal.addEventListener('abort', close, { once: true })
  open()
  return (message: Written) => channel?.postMessage(message)
}

function isWritten(data: unknown): data is Written {
  const { database, store, keys } = (data ?? {}) as Partial<Written>
  const areKeys =
    Array.isArray(keys) && keys.length <= maxKeys && keys.every((key) => typeof key === 'string')
  return (
    typeof database === 'string' &&
    (store === undefined || typeof store === 'string') &&
    (keys === undefined || areKeys)
  )
}
