// Sources and providers in JavaScript that take their time, fail, are cancelled, or change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BadCursorError, type Changed, NotFoundError, type Source } from '../../src/index.ts'
import { envelope, type Message, until } from '../harness/client.ts'
import { testPage } from './page.ts'

const texts = (answer: Message) =>
  (answer.result as { contents: { uri: string; text?: string; blob?: string }[] }).contents
const codeOf = (answer: Message) => (answer.error as Message | undefined)?.code

/** A source of records `memo:0` … `memo:4` in pages of two. */
function memos(): Source & { change: Changed; watched: boolean } {
  const source = {
    watched: false,
    change: (() => {}) as Changed,
    async list(cursor: string | undefined) {
      const from = cursor === undefined ? 0 : Number(cursor)
      if (!(from < 5)) throw new BadCursorError(String(cursor))
      const resources = [from, from + 1]
        .filter((i) => i < 5)
        .map((i) => ({ uri: `memo:${i}`, name: `Memo ${i}` }))
      return { resources, ...(from + 2 < 5 && { nextCursor: String(from + 2) }) }
    },
    async read(uri: string) {
      if (!/^memo:[0-4]$/.test(uri)) throw new NotFoundError(uri)
      return [
        { uri, mimeType: 'text/plain', text: `text of ${uri}` },
        { uri: `${uri}#photo`, blob: new Uint8Array([0, 255]), _meta: { 'a.example/x': 1 } },
      ]
    },
    async templates() {
      return [{ uriTemplate: 'memo:{n}', name: 'Memo' }]
    },
    watch(changed: Changed, signal: AbortSignal) {
      source.change = changed
      source.watched = true
      signal.addEventListener('abort', () => {
        source.watched = false
      })
    },
  }
  return source
}

test('a mounted source is listed, read, described and watched under its prefix', async (t) => {
  const page = await testPage(t, { pageSize: 2 })
  const source = memos()
  const over = new AbortController()
  page.mcp.mount(source, 'my+', { signal: over.signal })
  const client = page.client()
  const uris: string[] = []
  for (let cursor: string | undefined, first = true; first || cursor; first = false) {
    const { result } = await client.askModern('resources/list', cursor ? { cursor } : {})
    const listing = result as { resources: { uri: string }[]; nextCursor?: string }
    uris.push(...listing.resources.map(({ uri }) => uri))
    cursor = listing.nextCursor
  }
  assert.deepEqual(
    uris,
    [0, 1, 2, 3, 4].map((i) => `my+memo:${i}`),
  )

  const [text, photo] = texts(await client.askModern('resources/read', { uri: 'my+memo:3' }))
  assert.equal(text?.uri, 'my+memo:3')
  assert.equal(text?.text, 'text of memo:3')
  assert.equal(photo?.uri, 'my+memo:3#photo')
  assert.equal(photo?.blob, 'AP8=')
  assert.deepEqual((photo as unknown as { _meta: Message })._meta, { 'a.example/x': 1 })
  assert.equal(codeOf(await client.askModern('resources/read', { uri: 'my+memo:9' })), -32602)
  const { result } = await client.askModern('resources/templates/list')
  assert.equal(
    (result as { resourceTemplates: Message[] }).resourceTemplates[0]?.uriTemplate,
    'my+memo:{n}',
  )

  await client.initialize()
  assert.ok((await client.ask('resources/subscribe', { uri: 'my+memo:1' })).result)
  await until(() => source.watched, 'it is watched')
  source.change('memo:1')
  const updated = await client.next((m) => m.method === 'notifications/resources/updated')
  assert.deepEqual(updated.params, { uri: 'my+memo:1' })
  source.change()
  await client.next((m) => m.method === 'notifications/resources/list_changed')
  client.close()
  over.abort()
  await until(() => !source.watched, 'it is watched no more')
})

test('a cancelled read is abandoned: its signal is aborted, and nothing is answered', async (t) => {
  const page = await testPage(t)
  const signals: AbortSignal[] = []
  page.mcp.resource('slow:1', { name: 'Slow' }, ({ signal }) => {
    signals.push(signal)
    return new Promise<string>((resolve) => signal.addEventListener('abort', () => resolve('late')))
  })
  page.mcp.mount({
    list: async () => ({ resources: [] }),
    read: (_, { signal }) => {
      signals.push(signal)
      return new Promise((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      )
    },
  })
  const client = page.client()
  for (const uri of ['slow:1', 'other:1']) {
    client.post({
      jsonrpc: '2.0',
      id: uri,
      method: 'resources/read',
      params: { uri, _meta: envelope },
    })
  }
  await until(() => signals.length === 2, 'both are asked')
  assert.ok(signals.every(({ aborted }) => !aborted))
  for (const requestId of ['slow:1', 'other:1']) {
    client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } })
  }
  await until(() => signals.every(({ aborted }) => aborted), 'both are aborted')
  // The ids are free again, and what comes next is the answer to the next.
  assert.ok((await client.askModern('server/discover', {}, 'slow:1')).result)
  assert.equal(client.got.length, 1)
})

test('a client that goes abandons its reads', async (t) => {
  const page = await testPage(t)
  let signal: AbortSignal | undefined
  page.mcp.resource('slow:1', { name: 'Slow' }, (request) => {
    signal = request.signal
    return new Promise<string>(() => {})
  })
  const client = page.client()
  const params = { uri: 'slow:1', _meta: envelope }
  client.post({ jsonrpc: '2.0', id: 1, method: 'resources/read', params })
  await until(() => signal !== undefined, 'the provider is asked')
  client.post({ pagemcp: 'close' })
  await until(() => signal?.aborted === true, 'it is aborted')
})

test('what a source throws, or answers wrongly, is an internal error and goes to the developer', async (t) => {
  const page = await testPage(t)
  const bad: unknown[] = [
    new Error('boom'),
    { contents: 1 },
    [{ uri: 'bad:1' }],
    [{ uri: 'bad:1', text: 'a', blob: new Uint8Array() }],
    undefined,
  ]
  let next: unknown
  page.mcp.mount({
    list: async () => ({ resources: [] }),
    async read() {
      if (next instanceof Error) throw next
      return next as never
    },
  })
  const client = page.client()
  for (next of bad) {
    const before = page.errors.length
    const answer = await client.askModern('resources/read', { uri: 'bad:1' })
    assert.equal(codeOf(answer), -32603)
    assert.equal(page.errors.length, before + 1)
  }
})

test('a source learns on whose behalf it is called, and may say that this is not shared', async (t) => {
  const page = await testPage(t)
  const seen: unknown[] = []
  page.mcp.mount({
    async list(_, { client }) {
      seen.push(['list', client])
      return { resources: [] }
    },
    async read(uri, { client }) {
      seen.push(['read', client])
      if (uri === 'memo:mine') return [{ uri, text: 'yours' }]
      throw new DOMException('nothing of this reaches the client', 'NotAllowedError')
    },
    templates: async () => [{ uriTemplate: 'memo:{id}', name: 'Memo' }],
    async complete(_, __, { client }) {
      seen.push(['complete', client])
      return ['mine']
    },
  })
  const client = page.client()
  await client.askModern('resources/list')
  const { result } = await client.askModern('resources/read', { uri: 'memo:mine' })
  assert.ok(result)
  const ref = { type: 'ref/resource', uri: 'memo:{id}' }
  await client.askModern('completion/complete', { ref, argument: { name: 'id', value: '' } })
  const denied = await client.askModern('resources/read', { uri: 'memo:theirs' })
  assert.deepEqual(denied.error, {
    code: -32603,
    message: 'The user has not shared this with you. Do not try again unless they ask.',
    data: { origin: 'engine', reason: 'declined', retry: false },
  })
  await client.initialize()
  assert.match(
    JSON.stringify(await client.ask('resources/subscribe', { uri: 'memo:theirs' })),
    /not shared this with you/,
  )
  const all = ['list', 'read', 'complete', 'read', 'read']
  assert.deepEqual(
    seen,
    all.map((what) => [what, 'page']),
  )
  assert.deepEqual(page.errors, [])
  // The browser throws such an error at a provider that may not use the clipboard: its developer has to know.
  page.mcp.resource('clip:1', { name: 'Clip' }, () => {
    throw new DOMException('no focus', 'NotAllowedError')
  })
  const failed = await client.askModern('resources/read', { uri: 'clip:1' })
  assert.equal((failed.error as Message).message, 'Internal error')
  assert.equal(page.errors.length, 1)
})

test('a registration can be replaced and taken away, and a wrong one is reported', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  const text = async () => texts(await client.askModern('resources/read', { uri: 'a:1' }))[0]?.text
  const first = page.mcp.resource('a:1', { name: 'A' }, () => 'first')
  const second = page.mcp.resource('a:1', { name: 'A' }, () => 'second')
  assert.equal(await text(), 'second')
  first() // does not take away what replaced it
  assert.equal(await text(), 'second')
  second()
  assert.equal(codeOf(await client.askModern('resources/read', { uri: 'a:1' })), -32602)

  assert.throws(() => page.mcp.resource('no-scheme', { name: 'x' }, () => ''), TypeError)
  assert.throws(() => page.mcp.resource('a:2', { name: '' }, () => ''), TypeError)
  assert.throws(() => page.mcp.mount(memos(), 'no plus'), TypeError)
  page.mcp.resources('a:{unclosed', { name: 'x', read: () => '' })
  assert.match(String(page.errors.at(-1)), /no end/)
})

test('reads are told to the page, with who asked', async (t) => {
  const page = await testPage(t)
  const reads: unknown[] = []
  page.mcp.resource('a:1', { name: 'A' }, () => 'text')
  const client = page.client()
  await client.askModern('resources/read', { uri: 'a:1' })
  const off = page.mcp.on('read', (event) => reads.push(event))
  await client.askModern('resources/read', { uri: 'a:1' })
  await client.askModern('resources/list')
  off()
  await client.askModern('resources/read', { uri: 'a:1' })
  assert.deepEqual(reads, [{ uri: 'a:1', assistant: 'page' }])
})
