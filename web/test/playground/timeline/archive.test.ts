import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store, TextArchive } from '../../../playground/messages/store.ts'
import { newStore, push } from '../stored.ts'

/** A archive of the memory. Puts settle when they are let. */
function memoryArchive() {
  const blocks = new Map<number, readonly string[]>()
  const waiting: { resolve(): void; reject(reason: Error): void }[] = []
  const archive: TextArchive = {
    put: (block, texts) =>
      new Promise((resolve, reject) => {
        waiting.push({
          resolve() {
            blocks.set(block, texts)
            resolve()
          },
          reject,
        })
      }),
    get: async (block) => {
      const texts = blocks.get(block)
      if (!texts) throw new Error('lost')
      return texts
    },
    clear: () => blocks.clear(),
  }
  return { archive, blocks, waiting }
}

const message = (row: number) => JSON.stringify({ method: 'notifications/x', params: { row } })

function fill(store: Store, rows: number) {
  for (let i = 0; i < rows; i++) {
    store.push({ connection: 1, direction: 'in', framing: 'port', raw: message(store.length) })
  }
}

/** Lets what was awaited go on. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

test('texts beyond the newest are put away a block at a time, and can be had', async () => {
  const store = newStore()
  const { archive, blocks, waiting } = memoryArchive()
  store.useArchive(archive, 500)
  fill(store, 1500)
  assert.equal(waiting.length, 1)
  assert.equal(store.raw(0), message(0), 'nothing leaves the memory before it is safe')
  waiting[0]?.resolve()
  await settle()
  assert.deepEqual([...blocks.keys()], [0])
  assert.deepEqual([store.raw(0), store.isArchived(0), store.isArchived(1000)], ['', true, false])
  assert.equal(await store.text(999), message(999))
  assert.equal(await store.text(1200), message(1200))
  // What lists and filters look at is there all the same.
  assert.deepEqual([store.method(0), store.size(0)], ['notifications/x', message(0).length])
})

test('a text that is looked at comes back', async () => {
  const store = newStore()
  const { archive, waiting } = memoryArchive()
  store.useArchive(archive, 0)
  fill(store, 1000)
  waiting[0]?.resolve()
  await settle()
  const before = store.changed.peek()
  await store.restore(7)
  assert.equal(store.raw(7), message(7))
  assert.equal(store.isArchived(7), false)
  assert.ok(store.changed.peek() > before)
})

test('what is no message stays, for it is drawn by its text', async () => {
  const store = newStore()
  const { archive, waiting } = memoryArchive()
  push(store, 'world', 'write notes://today', { connection: 0 })
  fill(store, 999)
  store.useArchive(archive, 0)
  waiting[0]?.resolve()
  await settle()
  assert.equal(store.raw(0), 'write notes://today')
  assert.equal(store.isArchived(0), false)
})

test('if the archive takes nothing, all stays in memory', async () => {
  const store = newStore()
  const { archive, waiting } = memoryArchive()
  store.useArchive(archive, 0)
  fill(store, 1000)
  waiting[0]?.reject(new Error('full'))
  await settle()
  fill(store, 3000)
  assert.equal(waiting.length, 1)
  assert.equal(store.raw(0), message(0))
})

test('texts that are in the archive can be read after it took no more, and that is said once', async () => {
  const store = newStore()
  const { archive, waiting } = memoryArchive()
  let failures = 0
  store.useArchive(archive, 0, () => failures++)
  fill(store, 2000)
  waiting[0]?.resolve()
  await settle()
  waiting[1]?.reject(new Error('full'))
  await settle()
  fill(store, 2000)
  await settle()
  assert.deepEqual([waiting.length, failures], [2, 1])
  assert.equal(await store.text(7), message(7))
  assert.equal(store.raw(1007), message(1007))
})

test('after Clear, nothing of the rows before is kept', () => {
  const store = newStore()
  const id = `{"jsonrpc":"2.0","id":"${'x'.repeat(100)}","method":"ping"}`
  push(store, 'out', id)
  store.clear()
  push(store, 'out', message(1))
  assert.equal(store.method(0), 'notifications/x')
  assert.equal(store.texts, 2) // the empty one, and the method
})

test('what was taken out while a block was put away does not come back', async () => {
  const store = newStore()
  const { archive, waiting } = memoryArchive()
  store.useArchive(archive, 0)
  fill(store, 1000)
  store.clear()
  fill(store, 10)
  waiting[0]?.resolve()
  await settle()
  assert.deepEqual([store.isArchived(0), store.raw(0)], [false, message(0)])
})
