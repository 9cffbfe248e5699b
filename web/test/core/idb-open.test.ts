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
  const outcome = read.inStore({ database: 'app', store: 'notes' }, reading.signal, async () => 1)
  await new Promise(setImmediate)
  reading.abort(new Error('enough'))
  await assert.rejects(outcome, /enough/)
  succeed()
  await new Promise(setImmediate)
  assert.equal(closed, true)
})
