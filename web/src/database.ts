/**
 * Opens the IndexedDB database `pagemcp` of this origin: keys of gateways (credentials.ts), what the user has decided
 * about assistants (access/). All versions of the package share it. Connections are closed after each use, so
 * that an upgrade never waits for another tab.
 */

const name = 'pagemcp'
const version = 1

export type StoreName = 'keys' | 'access'

/** How often a database is tried that cannot be opened for now, and how long between two attempts. */
const attempts = 3
const pause = 100 // ms

/**
 * Runs requests in one transaction, and settles when it is complete: what was written is stored then.
 *
 * @param what - for the error: what is stored there
 * @returns `undefined` where there is no storage: an opaque origin, a browser that stores nothing for the site, and one
 *   without IndexedDB
 * @throws Error if the database fails each time; browsers report UnknownError while they are busy or update
 */
export async function inDatabase<T>(
  stores: readonly StoreName[],
  mode: IDBTransactionMode,
  what: string,
  act: (transaction: IDBTransaction) => Promise<T>,
): Promise<T | undefined> {
  for (let left = attempts; ; ) {
    try {
      return await tryInDatabase(stores, mode, act)
    } catch (error) {
      if (--left === 0) {
        const { name } = error as DOMException
        const use = mode === 'readonly' ? 'read' : 'stored'
        throw new Error(
          `the database pagemcp: ${what} cannot be ${use}: ${name}. Close other tabs of this site, or restart the browser`,
        )
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

async function tryInDatabase<T>(
  stores: readonly StoreName[],
  mode: IDBTransactionMode,
  act: (transaction: IDBTransaction) => Promise<T>,
): Promise<T | undefined> {
  const database = await openDatabase()
  if (database === undefined) return undefined
  try {
    const transaction = database.transaction(stores, mode)
    const complete = new Promise<void>((resolve, reject) => {
      transaction.oncomplete = () => resolve()
      transaction.onabort = () => reject(transaction.error ?? new DOMException('', 'AbortError'))
    })
    const [value] = await Promise.all([act(transaction), complete])
    return value
  } finally {
    database.close()
  }
}

async function openDatabase(): Promise<IDBDatabase | undefined> {
  try {
    return await open(version).catch((error: unknown) => {
      // A newer version of the package was here: its stores include ours.
      if ((error as DOMException)?.name === 'VersionError') return open()
      throw error
    })
  } catch (error) {
    const none = ['SecurityError', 'InvalidStateError', 'ReferenceError']
    if (none.includes((error as DOMException).name)) return undefined
    throw error
  }
}

/** How long it may take, ms, until another page or tab is taken for the cause. */
const openTime = 5000

const open = (version?: number) => underLock(name, openTime, (over) => openNow(version, over))

async function openNow(version: number | undefined, over: AbortSignal): Promise<IDBDatabase> {
  const opening = indexedDB.open(name, version)
  opening.onupgradeneeded = () => {
    opening.result.createObjectStore('keys', { keyPath: 'address' })
    opening.result.createObjectStore('access', { keyPath: 'app' })
  }
  const database = await result(opening)
  if (over.aborted) database.close()
  database.onversionchange = () => database.close() // a newer version of the package does not wait for this use
  return database
}

/** The result of a request to IndexedDB. */
export function result<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

// Opens databases under a Web Lock.
//
// A page that is left while its request to open a database is under way goes into the back/forward cache with the
// request (Chromium, WebKit). As long as it is there, requests of later pages get no event at all, not even `blocked`.
// If each opens under one exclusive lock, the request of the later page for the lock ends the cached page.

/**
 * Calls `open` while it has the lock, where there are locks, and returns its result.
 *
 * @param limit - how long both may take, ms
 * @throws a `DOMException` named `TimeoutError` after `limit`; `over` is aborted then, and `open` closes what it opens later
 */
export async function underLock<T>(
  database: string,
  limit: number,
  open: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = AbortSignal.timeout(limit)
  let isBegun = false
  const begin = () => {
    isBegun = true
    return new Promise<T>((resolve, reject) => {
      over.addEventListener('abort', () => reject(over.reason), { once: true })
      open(over).then(resolve, reject)
    })
  }
  const { locks } = globalThis.navigator ?? {}
  if (!locks) return begin()
  try {
    return (await locks.request(`pagemcp opens ${database}`, { signal: over }, begin)) as T
  } catch (error) {
    if (isBegun || over.aborted) throw error
    return begin() // an opaque origin, or a browser that stores nothing
  }
}
