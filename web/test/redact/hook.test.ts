// The hook that sees contents last, with the engine in this thread.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contents, NotFoundError, type Redact, type Source } from '../../src/index.ts'
import { testPage } from '../core/page.ts'
import { errorOf, resultOf } from '../harness/client.ts'

interface Item {
  uri: string
  mimeType?: string
  text?: string
  blob?: string
}

/** A page whose hook is under test: with every way in which contents come. */
async function redactingPage(t: { after(close: () => void): void }, redact?: Redact) {
  const page = await testPage(t, { redact })
  const { mcp } = page
  mcp.resource('app:text', { name: 'Text', mimeType: 'text/plain' }, () => 'a secret text')
  mcp.resource('app:late', { name: 'Late' }, async () => ({ a: 'secret' }))
  const bytes = new TextEncoder().encode('secret bytes')
  mcp.resource('app:bytes', { name: 'Bytes' }, () => bytes)
  const photo = new Blob(['secret photo'], { type: 'image/png' })
  mcp.resource('app:photo', { name: 'Photo' }, () => photo)
  mcp.resource('app:many', { name: 'Many' }, () =>
    contents([
      { uri: 'app:many/1', text: 'secret one' },
      { uri: 'app:many/2', mimeType: 'text/plain', text: 'two' },
    ]),
  )
  mcp.resources('app:note/{id}', { name: 'Note', read: ({ id }) => `secret ${id}` })
  const source: Source = {
    list: async () => ({ resources: [{ uri: 'memo:1', name: 'One' }] }),
    async read(uri) {
      if (uri !== 'memo:1') throw new NotFoundError(uri)
      return [
        { uri, text: 'secret memo' },
        { uri: 'memo:1/photo', blob: photo },
      ]
    },
    watch() {},
  }
  mcp.mount(source, 'my+')
  const client = page.client()
  const ask = (uri: string) => client.askModern('resources/read', { uri })
  return {
    ...page,
    bytes,
    client,
    ask,
    read: async (uri: string) => resultOf<{ contents: Item[] }>(await ask(uri)).contents,
  }
}

const decode = (item?: Item) => item?.text ?? atob(item?.blob ?? '')

const uris = [
  'app:text',
  'app:late',
  'app:bytes',
  'app:photo',
  'app:many',
  'app:note/7',
  'my+memo:1',
]

test('the hook sees every content under its URI, and what it returns leaves', async (t) => {
  const seen: string[] = []
  const { read, bytes } = await redactingPage(t, (uri, value) => {
    seen.push(uri)
    if (typeof value === 'string') return value.replace('secret', '*')
    value.fill(42, 0, 6)
    return value
  })
  const left: string[] = []
  for (const uri of uris) left.push(...(await read(uri)).map(decode))
  assert.deepEqual(left, [
    'a * text',
    '{"a":"*"}',
    '****** bytes',
    '****** photo',
    '* one',
    'two',
    '* 7',
    '* memo',
    '****** photo',
  ])
  assert.deepEqual(seen, [
    ...['app:text', 'app:late', 'app:bytes', 'app:photo', 'app:many/1', 'app:many/2'],
    ...['app:note/7', 'my+memo:1', 'my+memo:1/photo'],
  ])
  assert.equal(new TextDecoder().decode(bytes), 'secret bytes', "the app's bytes are its own")
  assert.equal((await read('app:photo'))[0]?.mimeType, 'image/png')
  assert.equal((await read('my+memo:1'))[1]?.mimeType, 'image/png')
})

test('a hook that waits is waited for', async (t) => {
  const { read } = await redactingPage(t, async (_, value) => {
    await new Promise((resolve) => setImmediate(resolve))
    return typeof value === 'string' ? 'later' : value
  })
  for (const uri of ['app:text', 'my+memo:1']) assert.equal((await read(uri))[0]?.text, 'later')
})

test('what the hook leaves undefined is not found, or left out of several', async (t) => {
  const { ask, read, client } = await redactingPage(t, (_, value) =>
    String(value).includes('secret') ? undefined : value,
  )
  for (const uri of ['app:text', 'app:late', 'app:note/7']) {
    assert.equal(errorOf(await ask(uri)).code, -32602, uri)
  }
  assert.deepEqual((await read('app:many')).map(decode), ['two'])
  assert.deepEqual(
    (await read('my+memo:1')).map(({ uri }) => uri),
    ['my+memo:1/photo'],
  )
  const missing = errorOf(await client.askModern('resources/read', { uri: 'app:none' }))
  const hidden = errorOf(await ask('app:text'))
  assert.deepEqual({ ...hidden, data: undefined }, { ...missing, data: undefined })
})

test('a hook that fails lets nothing leave, not even why', async (t) => {
  const failing: Redact[] = [
    () => {
      throw new Error('secret reason')
    },
    () => {
      throw new NotFoundError('secret reason')
    },
    async () => Promise.reject('secret reason'),
    () => 7 as never,
    () => null as never,
    ((_: string, value: unknown) =>
      typeof value === 'string' ? new Uint8Array() : 'text') as never,
  ]
  for (const redact of failing) {
    const { ask, client, errors } = await redactingPage(t, redact)
    for (const uri of uris) {
      const { code, message } = errorOf(await ask(uri))
      assert.deepEqual([code, message], [-32603, 'Internal error'], `${redact} ${uri}`)
    }
    assert.equal(errors.length, uris.length)
    assert.doesNotMatch(JSON.stringify(client.got), /secret/)
  }
})

test('without a hook everything leaves as it is', async (t) => {
  const { read } = await redactingPage(t)
  assert.deepEqual((await read('app:text')).map(decode), ['a secret text'])
  assert.deepEqual((await read('my+memo:1')).map(decode), ['secret memo', 'secret photo'])
})
