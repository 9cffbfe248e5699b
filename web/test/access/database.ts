// What the tests of the database evaluate in a page.

import { openAccess } from '../../src/access/decisions.ts'
import { findPairing, savePairing } from '../../src/pairings.ts'

const address = 'ws://127.0.0.1:8808/page'

/** Opens the database as another version of the package does; it has the stores of version 1. */
function open(version: number): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('pagemcp', version)
    opening.onupgradeneeded = () => {
      if (!opening.result.objectStoreNames.contains('keys')) {
        opening.result.createObjectStore('keys', { keyPath: 'address' })
      }
    }
    opening.onsuccess = () => resolve(opening.result)
    opening.onerror = () => reject(opening.error)
  })
}

const kit = {
  open,
  async keep(database: IDBDatabase) {
    const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const store = database.transaction('keys', 'readwrite').objectStore('keys')
    store.put({ address, gateway: 'g', keyId: 'one', key, used: 1 })
    await new Promise((resolve) => store.transaction.addEventListener('complete', resolve))
  },
  find: async () => (await findPairing([address]))?.credential.id,
  save: async (keyId: string) => {
    const key = await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    await savePairing({ address, gateway: 'g', keyId, key })
  },
  async decide() {
    const opened = () =>
      openAccess({
        name: 'notes',
        mode: 'ask',
        flag: 'flag',
        setAccess() {},
        changed() {},
        report() {},
      })
    const first = await opened()
    await first.allow('a', 'read')
    const decided = await first.grants()
    return [decided.length, (await (await opened()).grants()).length]
  },
}
export type DatabaseKit = typeof kit
Object.assign(window, { kit, ready: true })
