/**
 * Keeps the keys of gateways that this origin joined, as CryptoKeys that no script can take out, in
 * the IndexedDB database `pagemcp`. Without storage every joining needs an invitation.
 */

import type { Pairing } from './joining.ts'

const storeName = 'keys'

interface Kept extends Pairing {
  /** When it was used last; ms since 1970. */
  used: number
}

/** The key for an address; without one, the key used last. */
export async function kept(address: string | undefined): Promise<Pairing | undefined> {
  if (address !== undefined) {
    return (await inStore('readonly', (store) => store.get(address))) as Kept | undefined
  }
  const all = ((await inStore('readonly', (store) => store.getAll())) ?? []) as Kept[]
  return all.sort((a, b) => b.used - a.used)[0]
}

export async function keep(pairing: Pairing): Promise<void> {
  const entry: Kept = { ...pairing, used: Date.now() }
  await inStore('readwrite', (store) => store.put(entry))
}

/** Runs one request; `undefined` where there is no storage. */
async function inStore(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  let database: IDBDatabase | undefined
  try {
    const opening = indexedDB.open('pagemcp', 1)
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(storeName, { keyPath: 'address' })
    }
    database = (await result(opening)) as IDBDatabase
    const transaction = database.transaction(storeName, mode)
    return await result(act(transaction.objectStore(storeName)))
  } catch {
    return undefined
  } finally {
    database?.close()
  }
}

function result(request: IDBRequest): Promise<unknown> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
