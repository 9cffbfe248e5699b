/**
 * Stores the keys of gateways that this origin joined, as CryptoKeys that are not extractable, in the
 * IndexedDB database `pagemcp`. Without storage every handshake needs an invitation.
 */

import { toBase64Url } from './base64url.ts'
import { inDatabase } from './database.ts'
import type { Credential, Pairing } from './handshake.ts'
import { result } from './idb-request.ts'

interface SavedPairing extends Pairing {
  /** When it was last used; ms since 1970. */
  used: number
}

/**
 * The saved key that was used last, of those for `addresses`.
 *
 * @returns `undefined` if there is none, or no storage
 * @throws Error if the database cannot be read now: there may be a key
 */
export async function findPairing(
  addresses: readonly string[],
): Promise<{ address: string; credential: Credential } | undefined> {
  const all = ((await inStore('readonly', (store) => result(store.getAll()))) ??
    []) as SavedPairing[]
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
  const save = (store: IDBObjectStore) =>
    Promise.all([result(store.put(entry)), result(store.delete(pendingOf(pairing.address)))])
  await inStore('readwrite', save).catch(() => {})
}

/** The id for the key of an invitation that is being used. */
interface PendingPairing {
  /** See {@link pendingOf}: no address. */
  address: string
  /** The id of the secret. */
  secret: string
  keyId: string
}

/** The name of the entry of an address while its invitation is used. */
const pendingOf = (address: string) => `pending ${address}`

/**
 * The id that the key of an invitation shall have: all documents of this profile that use the invitation at the same
 * time, or after a reload, have the same one. Random, so that nobody else who has seen a link can use it again.
 *
 * @param secret - the id of its secret
 * @returns `undefined` where there is no storage, or if it cannot be used now
 */
export async function reserveKeyId(address: string, secret: string): Promise<string | undefined> {
  const entry: PendingPairing = { address: pendingOf(address), secret, keyId: randomId() }
  const reserve = async (store: IDBObjectStore) => {
    const earlier = (await result(store.get(entry.address))) as PendingPairing | undefined
    if (earlier?.secret === secret) return earlier.keyId
    await result(store.put(entry))
    return entry.keyId
  }
  return inStore('readwrite', reserve).catch(() => undefined)
}

const randomId = () => toBase64Url(crypto.getRandomValues(new Uint8Array(16)))

/**
 * Runs requests in one transaction; returns `undefined` where there is no storage.
 *
 * @throws Error if the database fails each time
 */
function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => Promise<T>,
): Promise<T | undefined> {
  return inDatabase(['keys'], mode, 'the saved keys', (transaction) =>
    act(transaction.objectStore('keys')),
  )
}
