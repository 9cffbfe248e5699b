/**
 * Texts of old rows in IndexedDB, so that a long session does not fill the memory. Nothing here outlives
 * the page: each page has a lock, and whoever comes next throws away what belongs to no lock any more.
 */

import type { TextArchive } from './store.ts'

const database = 'pagemcp-playground-texts'
const blocks = 'blocks'

const done = <T>(request: IDBRequest<T>) =>
  new Promise<T>((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })

/** Opens this page's archive. Rejects where there is no IndexedDB. */
export async function openArchive(): Promise<TextArchive> {
  const opening = indexedDB.open(database, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(blocks)
  const db = await done(opening)
  const page = crypto.getRandomValues(new Uint32Array(2)).join('-')
  await holdLock(`${database} ${page}`)
  await forgetOthers(db, page)
  const store = (mode: IDBTransactionMode) => db.transaction(blocks, mode).objectStore(blocks)
  return {
    async put(block, texts) {
      const objects = store('readwrite')
      objects.put(texts, [page, block])
      await new Promise<void>((resolve, reject) => {
        objects.transaction.oncomplete = () => resolve()
        objects.transaction.onabort = () => reject(objects.transaction.error)
      })
    },
    get: (block) => done(store('readonly').get([page, block]) as IDBRequest<readonly string[]>),
    clear() {
      store('readwrite').delete(ofPage(page))
    },
  }
}

/** All keys of a page: an array is greater than any number. */
const ofPage = (page: string) => IDBKeyRange.bound([page], [page, []])

/** Holds a lock until the page goes. Settles when it is held, or where there are no locks. */
function holdLock(name: string): Promise<void> {
  return new Promise((resolve) => {
    if (!navigator.locks) return resolve()
    navigator.locks.request(name, () => {
      resolve()
      return new Promise(() => {}) // until the page goes
    })
  })
}

/** Throws away what pages left that are gone. Without locks none knows who lives, and all of it stays. */
async function forgetOthers(db: IDBDatabase, page: string): Promise<void> {
  if (!navigator.locks) return
  const { held = [] } = await navigator.locks.query()
  const alive = new Set(held.map(({ name }) => name))
  const transaction = db.transaction(blocks, 'readwrite')
  const objects = transaction.objectStore(blocks)
  const keys = (await done(objects.getAllKeys())) as [string, number][]
  for (const other of new Set(keys.map(([one]) => one))) {
    if (other !== page && !alive.has(`${database} ${other}`)) objects.delete(ofPage(other))
  }
}
