/**
 * Stores texts of old rows in IndexedDB, to bound the memory of long sessions. Nothing outlives the page: each
 * page holds a lock, and later pages delete texts whose lock is gone.
 */

import { done, stored } from '../base/idb.ts'
import type { TextArchive } from './store.ts'

const database = 'pagemcp-playground-texts'
const blocks = 'blocks'

/** Opens this page's archive. Rejects without IndexedDB. */
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
      await stored(objects.transaction)
    },
    get: (block) => done(store('readonly').get([page, block]) as IDBRequest<readonly string[]>),
    clear() {
      store('readwrite').delete(ofPage(page))
    },
  }
}

/** All keys of a page: in IndexedDB, an array is greater than any number. */
const ofPage = (page: string) => IDBKeyRange.bound([page], [page, []])

/** Holds a lock until the page unloads. Settles when it is held, or at once without Web Locks. */
function holdLock(name: string): Promise<void> {
  return new Promise((resolve) => {
    if (!navigator.locks) return resolve()
    navigator.locks.request(name, () => {
      resolve()
      return new Promise(() => {}) // until the page unloads
    })
  })
}

/** Deletes texts of pages that are gone. Without Web Locks none can be recognised, and all texts stay. */
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
