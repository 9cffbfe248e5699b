// A Go program that ends is replaced, and nothing that the page said is lost. security.md §5, R11.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { envelope, type Message, until } from '../harness/client.ts'
import { testPage } from './page.ts'

const updatedOf = (uri: string) => (m: Message) =>
  m.method === 'notifications/resources/updated' && (m.params as Message).uri === uri

test('a new program has registrations, mounts and clients of the old one', async (t) => {
  const page = await testPage(t)
  const states: string[] = []
  page.mcp.on('state', ({ engine }) => states.push(engine))
  page.mcp.resource({ uri: 'notes://cart', name: 'Cart' }, () => '2 apples')
  page.mcp.template({ uriTemplate: 'notes://tag/{tag}', name: 'Tag' }, ({ tag }) => `${tag}`)
  page.mcp.mount(
    {
      list: async () => ({ resources: [{ uri: 'memo:1', name: 'Memo' }] }),
      read: async (uri) => [{ uri, text: 'memo' }],
    },
    'deep+',
  )
  const client = page.client()
  await client.askModern('resources/read', { uri: 'notes://cart' })

  page.kill()
  const answer = await client.askModern('resources/list')
  // The message that found the program dead is answered with an error, the next one as before.
  assert.equal((answer.error as Message).code, -32603)
  assert.equal(((answer.error as Message).data as Message).reason, 'restarted')
  const { result } = await client.askModern('resources/list')
  const uris = (result as { resources: { uri: string }[] }).resources.map(({ uri }) => uri)
  assert.deepEqual(uris, ['notes://cart', 'deep+memo:1'])
  assert.ok((await client.askModern('resources/read', { uri: 'notes://tag/x' })).result)
  assert.ok((await client.askModern('resources/read', { uri: 'deep+memo:1' })).result)
  assert.deepEqual(states, ['restarting', 'running'])
  assert.ok(page.errors.some((error) => String(error).includes('has ended')))
})

test('pending requests and listens fail; reads that wait for the page alone do not', async (t) => {
  const page = await testPage(t)
  let answer: (text: string) => void = () => {}
  page.mcp.resource(
    { uri: 'notes://slow', name: 'Slow' },
    () => new Promise<string>((resolve) => (answer = resolve)),
  )
  let asked = false
  page.mcp.mount({
    list: async () => ({ resources: [] }),
    read: () => {
      asked = true
      return new Promise(() => {})
    },
  })
  const client = page.client()
  const slow = client.askModern('resources/read', { uri: 'notes://slow' })
  const hanging = client.askModern('resources/read', { uri: 'other://x' })
  const listen = client.askModern('subscriptions/listen', {
    notifications: { resourcesListChanged: true },
  })
  await client.next((m) => m.method === 'notifications/subscriptions/acknowledged')
  await until(() => asked, 'the source is asked')
  page.kill()
  page.mcp.changed('notes://slow')
  for (const pending of [hanging, listen]) {
    const { error } = await pending
    assert.equal((error as Message).code, -32603)
    assert.deepEqual((error as Message).data, {
      origin: 'engine',
      reason: 'restarted',
      retry: true,
    })
  }
  answer('there')
  const { result } = await slow
  assert.equal((result as { contents: { text: string }[] }).contents[0]?.text, 'there')
})

test('a classic session goes on, with its subscriptions', async (t) => {
  const page = await testPage(t)
  page.mcp.resource({ uri: 'notes://cart', name: 'Cart' }, () => '2 apples')
  const client = page.client()
  await client.initialize('2025-06-18')
  await client.ask('resources/subscribe', { uri: 'notes://cart' })
  page.kill()
  const from = client.got.length
  page.mcp.changed()
  // What was missed meanwhile is not known: the client is told to look again.
  await client.next((m) => m.method === 'notifications/resources/list_changed', from)
  await client.next(updatedOf('notes://cart'), from)
  const { result } = await client.ask('resources/read', { uri: 'notes://cart' })
  assert.equal((result as { contents: { text: string }[] }).contents[0]?.text, '2 apples')
  const later = client.got.length
  page.mcp.changed('notes://cart')
  await client.next(updatedOf('notes://cart'), later)
})

test('messages that come while there is no program wait for the next', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  await client.ask('ping')
  page.kill()
  page.mcp.changed()
  assert.equal(page.mcp.state.engine, 'restarting')
  assert.deepEqual((await client.ask('ping')).result, {})
})

test('after three restarts within a minute it stays down, and reports that', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  for (let i = 0; i < 4; i++) {
    page.kill()
    page.mcp.changed()
    if (i < 3) await until(() => page.mcp.state.engine === 'running', 'it runs again')
  }
  assert.equal(page.mcp.state.engine, 'down')
  const { error } = await client.ask('ping')
  assert.equal((error as Message).code, -32603)
  assert.equal(((error as Message).data as Message).reason, 'down')
})

test('a program whose stack is torn by an exception of JavaScript is replaced', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  // A getter that throws while Go runs: the clock that Go asks for when it goes to sleep.
  const now = performance.now
  page.mcp.mount({
    list: async () => ({ resources: [] }),
    read: () => new Promise(() => {}),
  })
  performance.now = () => {
    if (!new Error().stack?.includes('wasm')) return now.call(performance) // the page's
    throw new RangeError('Maximum call stack size exceeded')
  }
  client.post({
    jsonrpc: '2.0',
    id: 'x',
    method: 'resources/read',
    params: { uri: 'a://b', _meta: envelope },
  })
  await until(() => page.mcp.state.engine !== 'running', 'the end is noticed')
  performance.now = now
  await until(() => page.mcp.state.engine === 'running', 'it runs again')
  assert.deepEqual((await client.ask('ping')).result, {})
})
