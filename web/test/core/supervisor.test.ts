// An engine that has ended is replaced: the next one serves all that the page has registered. security.md §5, R11.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { start } from '../../src/index.ts'
import { envelope, type Message, testClient, until } from '../harness/client.ts'
import { engineModule } from './load.ts'
import { testPage } from './page.ts'

test('the next engine has registrations and mounts of the one before', async (t) => {
  const page = await testPage(t)
  const states: string[] = []
  page.mcp.on('state', ({ engine }) => states.push(engine))
  page.mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
  page.mcp.resources('notes://tag/{tag}', { name: 'Tag', read: ({ tag }) => `${tag}` })
  page.mcp.mount(
    {
      list: async () => ({ resources: [{ uri: 'memo:1', name: 'Memo' }] }),
      read: async (uri) => [{ uri, text: 'memo' }],
    },
    'deep+',
  )
  await page.kill()
  const client = page.client()
  const { result } = await client.askModern('resources/list')
  const uris = (result as { resources: { uri: string }[] }).resources.map(({ uri }) => uri)
  assert.deepEqual(uris, ['notes://cart', 'deep+memo:1'])
  assert.ok((await client.askModern('resources/read', { uri: 'notes://tag/x' })).result)
  assert.ok((await client.askModern('resources/read', { uri: 'deep+memo:1' })).result)
  assert.deepEqual(states, ['restarting', 'running'])
  assert.ok(page.errors.some((error) => String(error).includes('has ended')))
})

test('what is registered before the engine runs, or while none runs, is served', async (t) => {
  const page = await testPage(t)
  const killed = page.kill()
  assert.equal(page.mcp.state.engine, 'restarting')
  const value = page.mcp.resource('notes://cart', { name: 'Cart' }, '2 apples')
  value.set('3 apples')
  page.mcp.resource('notes://gone', { name: 'Gone' }, 'x')()
  const client = page.client() // a port that waits
  const { result } = await client.askModern('resources/read', { uri: 'notes://cart' })
  assert.equal((result as { contents: { text: string }[] }).contents[0]?.text, '3 apples')
  assert.ok((await client.askModern('resources/read', { uri: 'notes://gone' })).error)
  await killed
})

test('requests and listens that the engine has not answered fail, and their ports get a last message', async (t) => {
  const page = await testPage(t)
  const aborted: unknown[] = []
  page.mcp.resource('notes://slow', { name: 'Slow' }, ({ signal }) => {
    signal.addEventListener('abort', () => aborted.push(signal.reason))
    return new Promise<string>(() => {})
  })
  let asked = false
  page.mcp.mount({
    list: async () => ({ resources: [] }),
    read: () => {
      asked = true
      return new Promise(() => {})
    },
  })
  const { port1, port2 } = new MessageChannel()
  page.mcp.accept(port1, { principal: 'page' })
  const accepted = testClient(port2)
  t.after(() => accepted.close())
  await accepted.ask('ping')
  const client = page.client()
  const slow = client.askModern('resources/read', { uri: 'notes://slow' })
  const hanging = client.askModern('resources/read', { uri: 'other://x' })
  const listen = client.askModern('subscriptions/listen', {
    notifications: { resourcesListChanged: true },
  })
  await client.next((m) => m.method === 'notifications/subscriptions/acknowledged')
  await until(() => asked, 'the source is asked')
  await page.kill()
  for (const pending of [slow, hanging, listen]) {
    const { error } = await pending
    assert.equal((error as Message).code, -32603)
    assert.deepEqual((error as Message).data, {
      origin: 'engine',
      reason: 'restarted',
      retry: true,
    })
  }
  const last = { pagemcp: 'close', reason: 'the engine was restarted' }
  for (const one of [client, accepted]) {
    assert.deepEqual(await one.next((m) => m.pagemcp === 'close'), last)
  }
  assert.equal(aborted.length, 1)
})

test('after three restarts within a minute it stays down, and reports that', async (t) => {
  const page = await testPage(t)
  for (let i = 0; i < 4; i++) await page.kill()
  assert.equal(page.mcp.state.engine, 'down')
  assert.match(String(page.errors.at(-1)), /engine.wasm has ended, and is not restarted/)
  await page.client().next((m) => m.pagemcp === 'close')
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
    if (!new Error().stack?.split('\n')[2]?.includes('wasm_exec')) return now.call(performance) // the page's
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
  assert.deepEqual((await page.client().ask('ping')).result, {})
})

test('a page that is left before its engine runs reports nothing', async (t) => {
  const { addEventListener } = globalThis as { addEventListener?: unknown }
  const window = new EventTarget()
  Object.assign(globalThis, { addEventListener: window.addEventListener.bind(window) })
  t.after(() => Object.assign(globalThis, { addEventListener }))
  const errors: unknown[] = []
  const mcp = start({ name: 'left', urls: { wasm: await engineModule() } })
  mcp.on('error', (error) => errors.push(error))
  window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted: false }))
  await new Promise(setImmediate) // nothing waits for `ready`, so that a failure would be reported
  await assert.rejects(mcp.ready, { name: 'AbortError' })
  assert.deepEqual(errors, [])
  mcp.close()
})
