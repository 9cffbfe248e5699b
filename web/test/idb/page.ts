/**
 * What tests evaluate in a page: the source under test, and the writing that is the app's affair.
 * The page knows nothing of Node: everything here runs in the browser.
 */
import { idb } from '../../src/sources/idb.ts'
import { idbReader } from '../../src/sources/idb-reader.ts'
import { changes as changesOf, never } from '../harness/sources.ts'
import { makeKey, makeName } from './key-cases.ts'

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
 * Changes as they come; of what follows from those that are waited for (schema, ranges) only what is
 * wanted. The caller forgets it.
 */
function changes(source: ReturnType<typeof idb>) {
  const all = changesOf(source)
  return {
    ...all,
    async until(...wanted: string[]): Promise<string[]> {
      const follows = /^idb:\/\/\/[^/]*$|\/(index\/|range)\*$/
      const came = await all.until(...wanted)
      return came.filter((one) => !follows.test(one) || wanted.includes(one))
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
