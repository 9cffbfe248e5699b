// Caches of contents: bounded in bytes, dropped with the registration or the read that they belong to, and never outdated.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Content, PageMcp, Source } from '../../src/index.ts'
import { envelope, type Message, resultOf, until } from '../harness/client.ts'
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

type Register = (mcp: PageMcp, content: () => Content | Promise<Content>) => () => void
const kinds: { readonly [kind: string]: Register } = {
  resource: (mcp, content) => mcp.resource('a:1', { name: 'A' }, content),
  resources: (mcp, content) =>
    mcp.resources([
      [{ uri: 'a:0', name: 'B' }, () => 'x'],
      [{ uri: 'a:1', name: 'A' }, content],
    ]),
  template: (mcp, content) => mcp.resources('a:{id}', { name: 'A', read: content }),
}

for (const [kind, register] of Object.entries(kinds)) {
  test(`${kind}: bytes that were read go with the registration`, async (t) => {
    const page = await testPage(t)
    const client = page.client()
    let made: WeakRef<object> | undefined
    const remove = register(page.mcp, () => {
      const bytes = new Uint8Array(100)
      made = new WeakRef(bytes)
      return bytes
    })
    resultOf(await client.askModern('resources/read', { uri: 'a:1' }))
    remove()
    assert.ok(made && (await goes(made)), 'the bytes are still there')
  })

  test(`${kind}: bytes that are read while the registration is removed go as well`, async (t) => {
    const page = await testPage(t)
    const client = page.client()
    let made: WeakRef<object> | undefined
    let answer = () => {}
    const asked = Promise.withResolvers<void>()
    const remove = register(page.mcp, () => {
      asked.resolve()
      return new Promise<Content>((resolve) => {
        answer = () => {
          const bytes = new Uint8Array(100)
          made = new WeakRef(bytes)
          resolve(bytes)
        }
      })
    })
    const read = client.askModern('resources/read', { uri: 'a:1' })
    await asked.promise
    remove()
    answer()
    answer = () => {}
    await read
    assert.ok(made && (await goes(made)), 'the bytes are still there')
  })
}

test('text that was read goes with its registration', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  const heap = () => {
    gc()
    return process.memoryUsage().heapUsed
  }
  const remove = page.mcp.resource('a:1', { name: 'A' }, () => 'x'.repeat(40 << 20))
  const before = heap()
  resultOf(await client.askModern('resources/read', { uri: 'a:1' }))
  client.got.length = 0
  remove()
  await client.askModern('ping')
  for (let i = 0; i < 50 && heap() - before > 20 << 20; i++) {
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.ok(heap() - before < 20 << 20, `${(heap() - before) >> 20} MiB stay`)
})

test('what is remembered is bounded by the bytes that it holds, also those around a view', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  for (let i = 0; i < 12; i++) {
    page.mcp.resource(
      `a:${i}`,
      { name: 'A' },
      () => new Uint8Array(new ArrayBuffer(32 << 20), 0, 8),
    )
  }
  gc()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 12; i++) resultOf(await client.askModern('resources/read', { uri: `a:${i}` }))
  let held = Number.POSITIVE_INFINITY
  for (let round = 0; round < 20 && held > 160 << 20; round++) {
    await new Promise((resolve) => setImmediate(resolve)) // what one collection finds, the next one frees
    gc()
    held = process.memoryUsage().arrayBuffers - before
  }
  assert.ok(held <= 160 << 20, `${held >> 20} MiB are held`)
})

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

test('a provider is called by each read, and its last answer counts', async (t) => {
  const { mcp, client } = await testPage(t)
  let calls = 0
  mcp.resource(uri, { name: 'Cart' }, () => (++calls === 3 ? undefined : `call ${calls >> 2}`))
  const one = client()
  const texts: unknown[] = []
  for (let i = 0; i < 5; i++) {
    const { result } = await one.askModern('resources/read', { uri })
    texts.push((result as { contents: { text: string }[] } | undefined)?.contents[0]?.text)
  }
  assert.deepEqual(texts, ['call 0', 'call 0', undefined, 'call 1', 'call 1'])
  assert.equal(calls, 5)
})

test('a text and the same characters as JSON are different answers', async (t) => {
  const { mcp, client } = await testPage(t)
  let answer: string | number = '1'
  mcp.resource(uri, { name: 'Cart' }, () => answer)
  const one = client()
  const type = async () => {
    const { result } = await one.askModern('resources/read', { uri })
    return (result as { contents: { mimeType?: string }[] }).contents[0]?.mimeType
  }
  assert.deepEqual([await type(), await type()], [undefined, undefined])
  answer = 1
  assert.deepEqual([await type(), await type()], ['application/json', 'application/json'])
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
  mcp.accept(port)
  for (const id of [1, 2]) {
    const params = { uri, _meta: envelope }
    port.onmessage?.({ data: { jsonrpc: '2.0', id, method: 'resources/read', params } })
  }
  await until(() => got.length === 2, 'two answers')
  assert.deepEqual(got[1], got[0])
})
