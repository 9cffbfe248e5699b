/**
 * Connections to databases of the web app. They never create a database, never block an upgrade, and write
 * nothing.
 */

import { underLock } from '../opening.ts'

/** The timeout of opening a database: an upgrade of the app may be running. */
const openLimit = 5000 // ms

/** The database could not be opened in time: the app upgrades, deletes or blocks it. */
export class DatabaseBusyError extends Error {
  override readonly name = 'DatabaseBusyError'

  constructor(database: string) {
    super(
      `open database ${JSON.stringify(database)}: still busy after ${openLimit} ms. Close other tabs of this site, or restart the browser`,
    )
  }
}

/** How often a read restarts when upgrades of the app interrupt it. */
const maxTries = 20

/** Reads databases of the app, each time in one readonly transaction. */
export interface Reader {
  /**
   * Returns the result of `ask` for a store, or `undefined` if there is no such database or store. Calls
   * `ask` again if the connection closes meanwhile.
   *
   * @param ask - must await only requests of the store's transaction, which ends otherwise
   * @throws {@link DatabaseBusyError}, the signal's reason, or a `DOMException` of IndexedDB
   */
  inStore<T>(
    at: { database: string; store: string },
    signal: AbortSignal,
    ask: (store: IDBObjectStore) => Promise<T>,
  ): Promise<T | undefined>
  /** Keeps connections open from one read to the next until the signal is aborted. Later reads close theirs. */
  keepOpen(signal: AbortSignal): void
  /** The same for those of several stores that exist; undefined if none does. */
  inStores<T>(
    at: { database: string; stores: readonly string[] },
    signal: AbortSignal,
    ask: (stores: IDBObjectStore[], database: IDBDatabase) => Promise<T>,
  ): Promise<T | undefined>
}

/**
 * A reader that keeps a connection to each database that it has read. The connection closes when the app
 * upgrades or deletes the database, or the browser closes it, and is opened again for the next read. A
 * running read does not block the upgrade: its transaction is aborted, and it restarts after the upgrade.
 *
 * @param gone - called when a connection has to close: the database will be upgraded or deleted, or is lost
 */
export function reader(gone: (database: string) => void = () => {}): Reader {
  const connections = new Map<string, Promise<Connection | undefined>>()
  let keeps = true

  function connect(database: string): Promise<Connection | undefined> {
    const known = connections.get(database)
    if (known !== undefined) return known
    const forget = () => {
      if (connections.get(database) === opening) connections.delete(database)
    }
    const opening = openExisting(database, () => {
      forget()
      gone(database)
    })
    connections.set(database, opening)
    opening.then((connection) => connection === undefined && forget(), forget)
    return opening
  }

  const inStores: Reader['inStores'] = async ({ database, stores }, signal, ask) => {
    let isLost = false
    /** Safari says no more of a connection that it has ended; if it says so again, the database is broken. */
    const isFirstLoss = (error: unknown) => {
      if (isLost || !(error instanceof DOMException) || error.name !== 'UnknownError') return false
      isLost = true
      return true
    }
    for (let left = maxTries; ; ) {
      signal.throwIfAborted()
      const opening = connect(database)
      let connection: Connection | undefined
      try {
        connection = await untilAborted(opening, signal)
      } catch (error) {
        release(database, opening)
        if (isFirstLoss(error)) continue
        throw error
      }
      const there = stores.filter((store) => connection?.db.objectStoreNames.contains(store))
      if (connection === undefined || there.length === 0) {
        release(database, opening)
        return undefined
      }
      try {
        return await transact(connection, there, signal, (transaction) =>
          ask(
            there.map((store) => transaction.objectStore(store)),
            connection.db,
          ),
        )
      } catch (error) {
        signal.throwIfAborted()
        if (--left === 0 || !(isBroken(error) || isFirstLoss(error))) throw error
        if (connections.get(database) === opening) connections.delete(database)
        connection.db.close()
      } finally {
        release(database, opening)
      }
    }
  }
  /** Closes a connection that nothing reads from. */
  const release = (database: string, opening: Promise<Connection | undefined>) => {
    const close = (connection: Connection | undefined) => {
      if (keeps || connection === undefined || connection.running.size > 0) return
      if (connections.get(database) === opening) connections.delete(database)
      connection.db.close()
    }
    opening.then(close, () => {})
  }

  return {
    keepOpen(signal) {
      keeps = !signal.aborted
      const stop = () => {
        keeps = false
        for (const [database, opening] of connections) release(database, opening)
      }
      signal.addEventListener('abort', stop, { once: true })
    },
    inStores,
    inStore: ({ database, store }, signal, ask) =>
      inStores({ database, stores: [store] }, signal, ([found]) => ask(found as IDBObjectStore)),
  }
}

interface Connection {
  db: IDBDatabase
  /** What reads there now. */
  running: Set<IDBTransaction>
}

async function transact<T>(
  { db, running }: Connection,
  stores: string[],
  signal: AbortSignal,
  ask: (transaction: IDBTransaction) => Promise<T>,
): Promise<T> {
  const transaction = db.transaction(stores, 'readonly')
  running.add(transaction)
  const stop = () => abort(transaction)
  signal.addEventListener('abort', stop)
  try {
    return await ask(transaction)
  } catch (error) {
    stop()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
    running.delete(transaction)
  }
}

function abort(transaction: IDBTransaction) {
  try {
    transaction.abort()
  } catch {
    // it has ended by itself
  }
}

/** Whether the connection was the cause: it was closing, or the browser closed it. */
function isBroken(error: unknown): boolean {
  return (
    error instanceof DOMException &&
    (error.name === 'InvalidStateError' || error.name === 'AbortError')
  )
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop))
  })
}

/**
 * Opens a database in its present version, or returns `undefined` if it does not exist.
 *
 * @param closed - called once when the connection has closed
 */
async function openExisting(name: string, closed: () => void): Promise<Connection | undefined> {
  if (!(await exists(name))) return undefined
  const open = (over: AbortSignal) =>
    new Promise<Connection | undefined>((resolve, reject) => {
      const request = indexedDB.open(name)
      let gone = false
      request.onupgradeneeded = () => {
        gone = true // deleted since we looked; an upgrade that aborts leaves no database behind
        request.transaction?.abort()
      }
      request.onsuccess = () => {
        const db = request.result
        const running = new Set<IDBTransaction>()
        db.onversionchange = () => {
          for (const transaction of running) abort(transaction) // a close waits for them
          db.close()
          closed()
        }
        db.onclose = closed
        if (over.aborted) db.close()
        resolve({ db, running })
      }
      request.onerror = (event) => {
        event.preventDefault()
        if (gone) resolve(undefined)
        else reject(request.error)
      }
    })
  try {
    return await underLock(name, openLimit, open)
  } catch (error) {
    if ((error as DOMException).name === 'TimeoutError') throw new DatabaseBusyError(name)
    throw error
  }
}

async function exists(name: string): Promise<boolean> {
  const databases = await indexedDB.databases()
  return databases.some((database) => database.name === name)
}
