/**
 * Keeps the keys of gateways that this origin joined, as CryptoKeys that no script can take out, in
 * the IndexedDB database `pagemcp`. Without storage every joining needs an invitation.
 */

import type { Credential, Pairing } from './joining.ts'

const storeName = 'keys'

interface Kept extends Pairing {
  /** When it was used last; ms since 1970. */
  used: number
}

/** The key of these addresses that was used last. */
export async function kept(
  addresses: readonly string[],
): Promise<{ address: string; credential: Credential } | undefined> {
  const all = ((await inStore('readonly', (store) => store.getAll())) ?? []) as Kept[]
  const [newest] = all
    .filter(({ address }) => addresses.includes(address))
    .sort((a, b) => b.used - a.used)
  if (newest === undefined) return undefined
  const { address, gateway, keyId, key } = newest
  return { address, credential: { kind: 'key', id: keyId, gateway, key } }
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
