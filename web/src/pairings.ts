/**
 * Stores the keys of gateways that this origin joined, as CryptoKeys that are not extractable, in the
 * IndexedDB database `pagemcp`. Without storage every handshake needs an invitation.
 */

import type { Credential, Pairing } from './handshake.ts'
import { result } from './idb-request.ts'

const storeName = 'keys'

interface SavedPairing extends Pairing {
  /** When it was last used; ms since 1970. */
  used: number
}

/** How often a database is tried that cannot be opened for now, and how long between two attempts. */
const attempts = 3
const pause = 100 // ms

/**
 * The saved key that was used last, of those for `addresses`.
 *
 * @returns `undefined` if there is none, or no storage
 * @throws Error if the database cannot be read now: there may be a key
 */
export async function findPairing(
  addresses: readonly string[],
): Promise<{ address: string; credential: Credential } | undefined> {
  const all = ((await inStore('readonly', (store) => store.getAll())) ?? []) as SavedPairing[]
  const [newest] = all
    .filter(({ address }) => addresses.includes(address))
    .sort((a, b) => b.used - a.used)
  if (newest === undefined) return undefined
  const { address, gateway, keyId, key } = newest
  return { address, credential: { kind: 'key', id: keyId, gateway, key } }
}

/**
 * Saves a key, in place of an earlier one for its address. Does nothing where there is no storage, or if it cannot be
 * written.
 */
export async function savePairing(pairing: Pairing): Promise<void> {
  const entry: SavedPairing = { ...pairing, used: Date.now() }
  await inStore('readwrite', (store) => store.put(entry)).catch(() => {})
}

/**
 * Runs one request; returns `undefined` where there is no storage.
 *
 * @throws Error if the database fails each time; browsers report UnknownError while they are busy or update
 */
async function inStore(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  for (let left = attempts; ; ) {
    try {
      return await tryInStore(mode, act)
    } catch (error) {
      if (--left === 0) {
        throw new Error(`the saved keys cannot be read: ${(error as DOMException).name}`)
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
}

async function tryInStore(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest,
): Promise<unknown> {
  const database = await opened()
  if (database === undefined) return undefined
  try {
    const transaction = database.transaction(storeName, mode)
    return await result(act(transaction.objectStore(storeName)))
  } finally {
    database.close()
  }
}

async function opened(): Promise<IDBDatabase | undefined> {
  try {
    const opening = indexedDB.open('pagemcp', 1)
    opening.onupgradeneeded = () => {
      opening.result.createObjectStore(storeName, { keyPath: 'address' })
    }
    return await result(opening)
  } catch (error) {
    // An opaque origin, a browser that stores nothing for the site, and one without IndexedDB.
    const none = ['SecurityError', 'InvalidStateError', 'ReferenceError']
    if (none.includes((error as DOMException).name)) return undefined
    throw error
  }
}
