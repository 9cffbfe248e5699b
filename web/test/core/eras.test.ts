// The engine in wasm, over real MessageChannels, in both eras.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { envelope, type Message } from './client.ts'
import { type TestPage, testPage } from './page.ts'

let page: TestPage
let close = () => {}
const scope = {
  after(act: () => void) {
    close = act
  },
}
after(() => close())
const cart = '2 apples'

before(async () => {
  page = await testPage(scope, { title: 'Test', version: '1.2.3', instructions: 'Read the cart.' })
  page.mcp.resource({ uri: 'notes://cart', name: 'Cart', mimeType: 'text/plain' }, () => cart)
  page.mcp.resource({ uri: 'notes://data', name: 'Data' }, () => ({ apples: 2 }))
  page.mcp.resource(
    { uri: 'notes://photo', name: 'Photo' },
    async () => new Blob([new Uint8Array([1, 2, 250])], { type: 'image/png' }),
  )
  page.mcp.resource({ uri: 'notes://gone', name: 'Gone' }, () => undefined)
  page.mcp.resource({ uri: 'notes://broken', name: 'Broken' }, () => {
    throw new Error('secret of the page')
  })
  page.mcp.template(
    { uriTemplate: 'notes://tag/{tag}', name: 'Tag' },
    ({ tag }, { uri }) => `${tag} by ${uri}`,
  )
})

const contents = (answer: Message) =>
  (answer.result as { contents: Record<string, unknown>[] }).contents[0] ?? {}
const code = (answer: Message) => (answer.error as { code?: number } | undefined)?.code

test('a classic client initializes, lists, reads', async () => {
  const client = page.client()
  const { result } = await client.initialize()
  assert.deepEqual(result, {
    protocolVersion: '2025-11-25',
    capabilities: {
      resources: { subscribe: true, listChanged: true },
      prompts: { listChanged: true },
      tools: { listChanged: true },
      completions: {},
    },
    serverInfo: { name: 'test', version: '1.2.3', title: 'Test' },
    instructions: 'Read the cart.',
  })
  const list = (await client.ask('resources/list')).result as { resources: { uri: string }[] }
  assert.equal(list.resources.length, 5)
  const item = contents(await client.ask('resources/read', { uri: 'notes://cart' }))
  assert.equal(item.text, '2 apples')
  assert.equal(item.mimeType, 'text/plain')
  client.close()
})

test('each classic revision is negotiated, and 2026-07-28 is not', async () => {
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
    const client = page.client()
    const { result } = await client.initialize(version)
    assert.equal((result as Message).protocolVersion, version)
    const item = contents(await client.ask('resources/read', { uri: 'notes://cart' }))
    assert.equal(item.text, '2 apples')
    client.close()
  }
  const client = page.client()
  assert.equal(
    ((await client.initialize('2026-07-28')).result as Message).protocolVersion,
    '2025-11-25',
  )
  client.close()
})

test('a modern client needs no handshake', async () => {
  const client = page.client()
  const read = await client.askModern('resources/read', { uri: 'notes://cart' })
  assert.equal((read.result as Message).resultType, 'complete')
  assert.equal(contents(read).text, '2 apples')
  const discover = (await client.askModern('server/discover')).result as Message
  assert.deepEqual((discover.supportedVersions as string[])[0], '2026-07-28')
  assert.equal(code(await client.askModern('ping')), -32601)
  client.close()
})

test('not found is -32002 to classic and -32602 to modern clients, from provider and table', async () => {
  const client = page.client()
  await client.initialize()
  for (const uri of ['notes://gone', 'notes://never']) {
    const classic = await client.ask('resources/read', { uri })
    assert.equal(code(classic), -32002)
    assert.deepEqual((classic.error as Message).data, { uri })
    const modern = await client.askModern('resources/read', { uri })
    assert.equal(code(modern), -32602)
    assert.deepEqual((modern.error as Message).data, { uri })
  }
  client.close()
})

test('what a provider throws is for the developer, not for the client', async () => {
  const client = page.client()
  const answer = await client.askModern('resources/read', { uri: 'notes://broken' })
  assert.equal(code(answer), -32603)
  assert.ok(!JSON.stringify(answer).includes('secret'))
  assert.ok(page.errors.some((error) => String(error).includes('secret of the page')))
  client.close()
})

test('contents: JSON text, blobs, templates', async () => {
  const client = page.client()
  const data = contents(await client.askModern('resources/read', { uri: 'notes://data' }))
  assert.equal(data.text, '{"apples":2}')
  assert.equal(data.mimeType, 'application/json')
  const photo = contents(await client.askModern('resources/read', { uri: 'notes://photo' }))
  assert.equal(photo.blob, 'AQL6')
  assert.equal(photo.mimeType, 'image/png')
  const tag = contents(await client.askModern('resources/read', { uri: 'notes://tag/a%20b' }))
  assert.equal(tag.text, 'a b by notes://tag/a%20b')
  const { result } = await client.askModern('resources/templates/list')
  assert.equal((result as { resourceTemplates: unknown[] }).resourceTemplates.length, 1)
  client.close()
})

test('a classic subscriber hears of a change, and after unsubscribe does not', async () => {
  const client = page.client()
  await client.initialize()
  await client.ask('resources/subscribe', { uri: 'notes://cart' })
  page.mcp.changed('notes://cart')
  const updated = await client.next((m) => m.method === 'notifications/resources/updated')
  assert.deepEqual(updated.params, { uri: 'notes://cart' })
  await client.ask('resources/unsubscribe', { uri: 'notes://cart' })
  const before = client.got.length
  page.mcp.changed('notes://cart')
  await client.ask('ping')
  assert.equal(client.got.length, before + 1)
  client.close()
})

test('a modern listener hears what it listens to, tagged, until it cancels', async () => {
  const client = page.client()
  const listen = (id: unknown, notifications: object) =>
    client.post({
      jsonrpc: '2.0',
      id,
      method: 'subscriptions/listen',
      params: { _meta: envelope, notifications },
    })
  listen(0, { resourceSubscriptions: ['notes://data'] })
  listen('0', { resourceSubscriptions: ['notes://data'], resourcesListChanged: true })
  const tagged = (id: unknown, method: string) => (m: Message) =>
    m.method === method &&
    (m.params as { _meta: Message })._meta['io.modelcontextprotocol/subscriptionId'] === id
  await client.next(tagged(0, 'notifications/subscriptions/acknowledged'))
  await client.next(tagged('0', 'notifications/subscriptions/acknowledged'))
  page.mcp.changed('notes://data')
  await client.next(tagged(0, 'notifications/resources/updated'))
  await client.next(tagged('0', 'notifications/resources/updated'))
  page.mcp.resource({ uri: 'notes://new', name: 'New' }, () => 'new')()
  await client.next(tagged('0', 'notifications/resources/list_changed'))
  client.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: '0' } })
  await client.askModern('server/discover')
  const before = client.got.length
  page.mcp.changed('notes://data')
  const late = await client.next(tagged(0, 'notifications/resources/updated'), before)
  assert.ok(late)
  assert.ok(!client.got.slice(before).some(tagged('0', 'notifications/resources/updated')))
  client.close()
})

test('ids come back as they are, and 7 is not "7"', async () => {
  const client = page.client()
  for (const id of [0, -1, '', '1', 'é\u0000"', 2 ** 53 - 1, 2 ** 53, -(2 ** 53)]) {
    const answer = await client.ask('ping', undefined, id)
    assert.deepEqual(answer, { jsonrpc: '2.0', id, result: {} })
  }
  const both = [client.ask('ping', undefined, 7), client.ask('ping', undefined, '7')]
  assert.deepEqual(
    (await Promise.all(both)).map(({ id }) => id),
    [7, '7'],
  )
  client.close()
})

test('paging walks over everything once, and a made-up cursor is refused', async (t) => {
  const own = await testPage(t)
  own.mcp.resources(
    Array.from(
      { length: 1234 },
      (_, i) => [{ uri: `app://r/${i}`, name: `r${i}` }, () => 'x'] as const,
    ),
  )
  const client = own.client()
  const seen = new Set<string>()
  let cursor: string | undefined
  do {
    const { result } = await client.askModern('resources/list', cursor ? { cursor } : {})
    const listing = result as { resources: { uri: string }[]; nextCursor?: string }
    for (const { uri } of listing.resources) {
      assert.ok(!seen.has(uri))
      seen.add(uri)
    }
    cursor = listing.nextCursor
  } while (cursor !== undefined)
  assert.equal(seen.size, 1234)
  assert.equal(code(await client.askModern('resources/list', { cursor: 'AAAA' })), -32602)
})

test('closing says goodbye on ports, after the results of subscriptions', async (t) => {
  const own = await testPage(t)
  const client = own.client()
  client.post({
    jsonrpc: '2.0',
    id: 'l',
    method: 'subscriptions/listen',
    params: { _meta: envelope, notifications: { resourcesListChanged: true } },
  })
  await client.next((m) => m.method === 'notifications/subscriptions/acknowledged')
  own.mcp.close()
  await client.next((m) => m.pagemcp === 'close')
  const [result, cancelled] = client.got.slice(-3)
  assert.equal(result?.id, 'l')
  assert.equal((result?.result as Message | undefined)?.resultType, 'complete')
  assert.deepEqual(cancelled, {
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 'l' },
  })
})
