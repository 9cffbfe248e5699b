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
