// Connections to the app's databases: none is left open that nothing needs.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { reader } from '../../src/sources/idb-open.ts'

test('a read that is aborted while the database opens leaves no connection', async () => {
  let succeed = () => {}
  let closed = false
  const db = { objectStoreNames: { contains: () => true }, close: () => (closed = true) }
  Object.assign(globalThis, {
    indexedDB: {
      databases: async () => [{ name: 'app' }],
      open() {
        const request = { result: db, onsuccess() {} }
        succeed = () => request.onsuccess()
        return request
      },
    },
  })
  const read = reader()
  const unmounted = new AbortController()
  read.keepOpen(unmounted.signal)
  const reading = new AbortController()
  unmounted.abort() // later reads close their connections
  const outcome = read.read({ database: 'app', stores: ['notes'] }, reading.signal, async () => 1)
  await new Promise(setImmediate)
  reading.abort(new Error('enough'))
  await assert.rejects(outcome, /enough/)
  succeed()
  await new Promise(setImmediate)
  assert.equal(closed, true)
})

/** A database whose connections the browser has ended, as Safari does. */
function lossyDatabase(losses: number, at: 'open' | 'transaction' | 'request') {
  const lost = () => new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  let opened = 0
  Object.assign(globalThis, {
    indexedDB: {
      databases: async () => [{ name: 'app' }],
      open() {
        const isLost = ++opened <= losses
        const transaction = () => {
          if (isLost && at === 'transaction') throw lost()
          return { objectStore: () => ({ isLost }), abort() {} }
        }
        const db = { objectStoreNames: { contains: () => true }, close() {}, transaction }
        const request = { result: db, error: lost(), onsuccess() {}, onerror(_: Event) {} }
        const settle = () =>
          isLost && at === 'open' ? request.onerror(new Event('error')) : request.onsuccess()
        setImmediate(settle)
        return request
      },
    },
  })
  const ask = async ([store]: IDBObjectStore[]) => {
    if ((store as unknown as { isLost: boolean }).isLost && at === 'request') throw lost()
    return 1
  }
  const signal = new AbortController().signal
  const read = () => reader().read({ database: 'app', stores: ['notes'] }, signal, ask)
  return { read, opened: () => opened }
}

for (const at of ['open', 'transaction', 'request'] as const) {
  test(`a connection that the browser has ended is opened again once (${at})`, async () => {
    assert.equal(await lossyDatabase(1, at).read(), 1)
    const broken = lossyDatabase(100, at)
    await assert.rejects(broken.read(), { name: 'UnknownError' })
    assert.equal(broken.opened(), 2)
  })
}
