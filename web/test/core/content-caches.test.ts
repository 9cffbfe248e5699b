// What a read leaves behind: nothing, and nothing of it is what others get.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Source } from '../../src/index.ts'
import { envelope, type Message, until } from '../harness/client.ts'
import { testPage } from './page.ts'

const uri = 'shop://cart'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

/** Collects garbage until an object is gone; false: it stays. */
async function goes(object: WeakRef<object>): Promise<boolean> {
  for (let i = 0; i < 50; i++) {
    await new Promise((resolve) => setImmediate(resolve))
    gc()
    if (object.deref() === undefined) return true
  }
  return false
}

test('a value that a source has read for a cancelled request goes at once', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  let made: WeakRef<object> | undefined
  let answer = () => {}
  const asked = Promise.withResolvers<void>()
  const source: Source = {
    list: async () => ({ resources: [] }),
    read: (uri) =>
      new Promise((resolve) => {
        asked.resolve()
        answer = () => {
          const blob = new Uint8Array(100)
          made = new WeakRef(blob)
          resolve([{ uri, blob }])
        }
      }),
  }
  page.mcp.mount(source)
  const read = client.askModern('resources/read', { uri: 'b:1' }, 'r')
  read.catch(() => {}) // cancelled: there is no answer
  await asked.promise
  client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'r' } })
  await client.askModern('ping')
  answer()
  answer = () => {}
  await client.askModern('ping')
  assert.ok(made && (await goes(made)), 'the value is still there')
})

test('the good items of an answer with a bad one go as well', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  let made: WeakRef<object> | undefined
  page.mcp.mount({
    list: async () => ({ resources: [] }),
    read: async (uri) => {
      const blob = new Uint8Array(100)
      made = new WeakRef(blob)
      return [
        { uri, blob },
        { uri: 'not a uri', text: '' },
      ]
    },
  })
  assert.ok((await client.askModern('resources/read', { uri: 'b:1' })).error)
  page.errors.length = 0 // an error may hold what was on its stack
  assert.ok(made && (await goes(made)), 'the value is still there')
})

test('a client that shares its objects cannot change what others get', async (t) => {
  const { mcp } = await testPage(t)
  mcp.resource(uri, { name: 'Cart' }, 'a cart')
  const got: unknown[] = []
  const port = {
    onmessage: null as ((event: { data: unknown }) => void) | null,
    postMessage({ result }: Message) {
      got.push(structuredClone(result))
      const { contents } = result as { contents: [{ text: string; _meta: object }] }
      Object.assign(contents[0], { text: 'changed' })
      Object.assign(contents[0]._meta, { changed: true })
    },
  }
  mcp.accept(port, { principal: 'page' })
  for (const id of [1, 2]) {
    const params = { uri, _meta: envelope }
    port.onmessage?.({ data: { jsonrpc: '2.0', id, method: 'resources/read', params } })
  }
  await until(() => got.length === 2, 'two answers')
  assert.deepEqual(got[1], got[0])
})
