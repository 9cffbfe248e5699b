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
   * Returns the result of `ask` for those of some stores that exist, or `undefined` if there is none. Calls
   * `ask` again if the connection closes meanwhile.
   *
   * @param ask - must await only requests of the stores' transaction, which ends otherwise
   * @throws {@link DatabaseBusyError}, the signal's reason, or a `DOMException` of IndexedDB
   */
  read<T>(
    at: { database: string; stores: readonly string[] },
    signal: AbortSignal,
    ask: (stores: IDBObjectStore[], database: IDBDatabase) => Promise<T>,
  ): Promise<T | undefined>
  /** Keeps connections open from one read to the next until the signal is aborted. Later reads close theirs. */
  keepOpen(signal: AbortSignal): void
}

interface Connection {
  db: IDBDatabase
  /** What reads there now. */
  running: Set<IDBTransaction>
}

/**
 * A reader that keeps a connection to each database that it has read. The connection closes when the app
 * upgrades or deletes the database, or the browser closes it, and is opened again for the next read. A
 * running read does not block the upgrade: its transaction is aborted, and it restarts after the upgrade.
 */
export function reader(): Reader {
  const connections = new Map<string, Promise<Connection | undefined>>()
  let keeps = true

  function connect(database: string): Promise<Connection | undefined> {
    const known = connections.get(database)
    if (known !== undefined) return known
    const opening = openExisting(database, () => forget(database, opening))
    connections.set(database, opening)
    return opening
  }

  function forget(database: string, opening: Promise<Connection | undefined>) {
    if (connections.get(database) === opening) connections.delete(database)
  }

  /** Forgets a connection that is not open, and closes one that nothing needs. */
  async function release(database: string, opening: Promise<Connection | undefined>) {
    const connection = await opening.catch(() => undefined)
    if (connection && (keeps || connection.running.size > 0)) return
    forget(database, opening)
    connection?.db.close()
  }

  return {
    keepOpen(signal) {
      keeps = !signal.aborted
      const stop = () => {
        keeps = false
        for (const [database, opening] of connections) void release(database, opening)
      }
      signal.addEventListener('abort', stop, { once: true })
    },
    async read({ database, stores }, signal, ask) {
      let isLost = false
      for (let left = maxTries; ; left--) {
        signal.throwIfAborted()
        const opening = connect(database)
        let connection: Connection | undefined
        try {
          connection = await untilAborted(opening, signal)
          const there = stores.filter((store) => connection?.db.objectStoreNames.contains(store))
          if (connection === undefined || there.length === 0) return undefined
          return await transact(connection, there, signal, ask)
        } catch (error) {
          signal.throwIfAborted()
          const name = error instanceof DOMException ? error.name : ''
          const isClosed = connection && (name === 'InvalidStateError' || name === 'AbortError')
          // Safari says no more of a connection that it has ended; if it says so again, the database is broken.
          const isFirstLoss: boolean = name === 'UnknownError' && !isLost
          isLost ||= isFirstLoss
          if (left === 0 || !(isClosed || isFirstLoss)) throw error
          forget(database, opening)
          connection?.db.close()
        } finally {
          void release(database, opening)
        }
      }
    },
  }
}

async function transact<T>(
  { db, running }: Connection,
  stores: string[],
  signal: AbortSignal,
  ask: (stores: IDBObjectStore[], database: IDBDatabase) => Promise<T>,
): Promise<T> {
  const transaction = db.transaction(stores, 'readonly')
  running.add(transaction)
  const stop = () => abort(transaction)
  signal.addEventListener('abort', stop)
  try {
    return await ask(
      stores.map((store) => transaction.objectStore(store)),
      db,
    )
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
  const databases = await indexedDB.databases()
  if (!databases.some((database) => database.name === name)) return undefined
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
