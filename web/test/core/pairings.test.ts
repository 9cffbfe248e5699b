// One storage error is not "no key": a page that was invited stays invited. gateway.md §3.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { credentials } from '../../src/credentials.ts'
import type { Pairing } from '../../src/websocket.ts'

const url = 'ws://127.0.0.1:8808/page'
const saved = { address: url, gateway: 'gateway', keyId: 'saved', key: {} as CryptoKey }

/** Opens fail as often as `failures` says, with this error. */
let failures = 0
let errorName = 'UnknownError'
let keys: (Pairing & { used: number })[] = []
/** Connections that the browser closes before they are used. */
let closing = 0

interface Request {
  result?: unknown
  error?: unknown
  onsuccess?: () => void
  onerror?: () => void
}
const settled = (result: unknown, error?: DOMException): Request => {
  const request: Request = { result, error }
  queueMicrotask(() => (error ? request.onerror : request.onsuccess)?.())
  return request
}
const store = { getAll: () => settled(keys) }
const database = {
  transaction() {
    if (closing-- > 0) throw new DOMException('The connection is closing', 'InvalidStateError')
    const transaction: { oncomplete?: () => void; objectStore: () => typeof store } = {
      objectStore: () => store,
    }
    setImmediate(() => transaction.oncomplete?.())
    return transaction
  },
  close() {},
}
Object.assign(globalThis, {
  indexedDB: {
    open: () =>
      failures-- > 0
        ? settled(undefined, new DOMException('Internal error', errorName))
        : settled(database),
  },
})

const invitation = { url, id: 'invited', secret: 's' }
const idOf = async (from: ReturnType<typeof credentials>) => (await from.next())?.credential.id
const refuse = () => Promise.reject(new Error('the user was asked'))

const table: {
  name: string
  failures: number
  closing?: number
  keys: typeof keys
  error?: string
  invited?: boolean
  joined?: boolean
  want: string | undefined
}[] = [
  { name: 'a key', failures: 0, keys: [{ ...saved, used: 1 }], want: 'saved' },
  { name: 'no key', failures: 0, keys: [], want: undefined },
  { name: 'one error', failures: 1, keys: [{ ...saved, used: 1 }], want: 'saved' },
  {
    name: 'a connection that the browser closes',
    failures: 0,
    closing: 1,
    keys: [{ ...saved, used: 1 }],
    want: 'saved',
  },
  { name: 'errors', failures: 99, keys: [{ ...saved, used: 1 }], want: 'cannot be read' },
  { name: 'errors, once joined', failures: 99, keys: [], joined: true, want: 'own' },
  {
    name: 'a key that was not saved, once joined',
    failures: 0,
    keys: [],
    joined: true,
    want: 'own',
  },
  { name: 'errors, with an invitation', failures: 99, keys: [], invited: true, want: 'invited' },
  { name: 'no storage', failures: 99, keys: [], error: 'SecurityError', want: undefined },
]

for (const row of table) {
  test(`the credential of a page: ${row.name}`, async () => {
    failures = row.failures
    closing = row.closing ?? 0
    errorName = row.error ?? 'UnknownError'
    keys = row.keys
    const from = credentials({ gateways: [url], ...(row.invited && { invitation }) }, refuse)
    if (row.joined) from.joined({ ...saved, keyId: 'own' })
    if (row.want === 'cannot be read') {
      await assert.rejects(from.next(), /the saved keys cannot be read: UnknownError/)
      failures = 0
      assert.equal(await idOf(from), 'saved', 'the next attempt')
    } else {
      assert.equal(await idOf(from), row.want)
    }
  })
}
