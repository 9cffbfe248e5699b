/**
 * Connections to databases of the web app, which stay the web app's: none is ever created, an
 * upgrade is never kept waiting, and nothing is written.
 */

/** How long opening a database may take: an upgrade of the app may be under way. */
const openLimit = 5000 // ms

/**
 * The database could not be opened in time, because the app upgrades or deletes it, or holds it.
 */
export class DatabaseBusyError extends Error {
  override readonly name = 'DatabaseBusyError'

  constructor(database: string) {
    super(`open database ${JSON.stringify(database)}: still busy after ${openLimit} ms`)
  }
}

/**
 * Reads a store of a database in one readonly transaction: what `ask` finds there, or undefined if
 * there is no such database or store. May call `ask` a second time, if the connection breaks
 * meanwhile.
 *
 * @param ask - awaits requests on the store and nothing else, or the transaction ends under it
 * @throws {@link DatabaseBusyError}, the signal's reason, or a `DOMException` of IndexedDB
 */
export type Reader = <T>(
  at: { database: string; store: string },
  signal: AbortSignal,
  ask: Ask<T>,
) => Promise<T | undefined>

export type Ask<T> = (store: IDBObjectStore) => Promise<T>

/**
 * A reader that keeps a connection to each database it was asked about. The connection closes as
 * soon as somebody wants to upgrade or delete the database, or the browser takes it away, and is
 * opened again for the next read.
 */
export function reader(): Reader {
  const connections = new Map<string, Promise<IDBDatabase | undefined>>()

  function connect(database: string): Promise<IDBDatabase | undefined> {
    const known = connections.get(database)
    if (known !== undefined) return known
    const forget = () => {
      if (connections.get(database) === opening) connections.delete(database)
    }
    const opening = openExisting(database, forget)
    connections.set(database, opening)
    opening.then((db) => db === undefined && forget(), forget)
    return opening
  }

  return async function read({ database, store }, signal, ask) {
    for (let again = true; ; again = false) {
      signal.throwIfAborted()
      const opening = connect(database)
      const db = await untilAborted(opening, signal)
      if (db === undefined || !db.objectStoreNames.contains(store)) return undefined
      try {
        return await transact(db.transaction(store, 'readonly'), store, signal, ask)
      } catch (error) {
        signal.throwIfAborted()
        if (!again || !isBroken(error)) throw error
        if (connections.get(database) === opening) connections.delete(database)
        db.close()
      }
    }
  }
}

/** The result of a request. */
export function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

async function transact<T>(
  transaction: IDBTransaction,
  store: string,
  signal: AbortSignal,
  ask: Ask<T>,
): Promise<T> {
  const stop = () => {
    try {
      transaction.abort()
    } catch {
      // it has ended by itself
    }
  }
  signal.addEventListener('abort', stop)
  try {
    return await ask(transaction.objectStore(store))
  } catch (error) {
    stop()
    throw error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/**
 * Whether the connection is to blame: it was closing, or the browser took it away with its
 * transactions.
 */
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
 * Opens a database in its present version, or says undefined if it does not exist.
 *
 * @param closed - called once when the connection is no longer good
 */
function openExisting(name: string, closed: () => void): Promise<IDBDatabase | undefined> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(new DatabaseBusyError(name))
    }, openLimit)
    const settle = (db?: IDBDatabase) => {
      clearTimeout(timer)
      if (late) db?.close()
      else resolve(db)
    }
    const fail = (error: unknown) => {
      clearTimeout(timer)
      reject(error)
    }

    const open = () => {
      const request = indexedDB.open(name)
      let gone = false
      request.onupgradeneeded = () => {
        gone = true // deleted since we looked; an upgrade that aborts leaves no database behind
        request.transaction?.abort()
      }
      request.onsuccess = () => {
        const db = request.result
        db.onversionchange = () => {
          db.close()
          closed()
        }
        db.onclose = closed
        settle(db)
      }
      request.onerror = (event) => {
        event.preventDefault()
        if (gone) settle()
        else fail(request.error)
      }
    }
    exists(name)
      .then((found) => (found ? open() : settle()))
      .catch(fail)
  })
}

async function exists(name: string): Promise<boolean> {
  const databases = await indexedDB.databases()
  return databases.some((database) => database.name === name)
}
