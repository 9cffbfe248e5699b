/**
 * What tests evaluate in a page: the source under test, and the writing that is the app's affair.
 * The page knows nothing of Node: everything here runs in the browser.
 */
import { idb } from '../../src/sources/idb.ts'
import { idbReader } from '../../src/sources/idb-reader.ts'
import { makeKey, makeName } from './key-cases.ts'

const never = new AbortController().signal

/** Opens a database; its stores are made when it is new or `version` is newer. */
function open(
  name: string,
  stores: { [store: string]: IDBObjectStoreParameters },
  version = 1,
): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open(name, version)
    request.onupgradeneeded = () => {
      const { result: db } = request
      for (const [store, parameters] of Object.entries(stores)) {
        if (!db.objectStoreNames.contains(store)) db.createObjectStore(store, parameters)
      }
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/** Runs `act` in one readwrite transaction, and waits until it has committed. */
function write(
  db: IDBDatabase,
  store: string,
  act: (store: IDBObjectStore) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(store, 'readwrite')
    transaction.oncomplete = () => resolve()
    transaction.onabort = () => reject(transaction.error)
    act(transaction.objectStore(store))
  })
}

function drop(name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase(name)
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
    request.onblocked = () => reject(new Error('blocked'))
  })
}

/**
 * Changes as they come: `next` waits for the one that `wanted` accepts, `seen` has all of them;
 * 'list' is the list, and a star stands for all that begins so.
 */
function changes(source: ReturnType<typeof idb>) {
  const seen: string[] = []
  const log: string[] = []
  let look = () => {}
  const controller = new AbortController()
  source.watch?.((uri, under) => {
    const change = `${uri ?? 'list'}${under ? '*' : ''}`
    seen.push(change)
    log.push(change)
    look()
  }, controller.signal)
  return {
    seen,
    /** Everything that came, in order. */
    log,
    stop: () => controller.abort(),
    /**
     * What has been seen once all of `wanted` has, without order or doubles; of what follows from
     * that (schema, ranges) only what is wanted. The caller forgets it.
     */
    async until(...wanted: string[]): Promise<string[]> {
      await new Promise<void>((resolve) => {
        look = () => wanted.every((one) => seen.includes(one)) && resolve()
        look()
      })
      const follows = /^idb:\/\/\/[^/]*$|\/(index\/|range)\*$/
      const all = seen.splice(0).filter((one) => !follows.test(one) || wanted.includes(one))
      return [...new Set(all)].sort()
    },
  }
}

const exported = {
  idb,
  idbReader,
  open,
  write,
  drop,
  changes,
  makeKey,
  makeName,
  never,
}

export type Kit = typeof exported

declare global {
  var kit: Kit
}

globalThis.kit = exported
