// Code of the web app that throws where the engine calls it: it is reported, and everything else goes on.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Port } from '../../src/link.ts'
import { serializeError } from '../../src/link.ts'
import { envelope, type Message, resultOf, testClient, until } from '../harness/client.ts'
import { testPage } from './page.ts'

const textOf = (answer: Message) =>
  resultOf<{ contents: { text: string }[] }>(answer).contents[0]?.text

test('a listener that throws is reported, and later reads are answered', async (t) => {
  const page = await testPage(t)
  page.mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
  const heard: string[] = []
  page.mcp.on('read', () => {
    throw new Error('thrown by the read listener')
  })
  page.mcp.on('read', ({ uri }) => heard.push(uri))
  const client = page.client()
  for (let i = 0; i < 3; i++) {
    assert.equal(
      textOf(await client.askModern('resources/read', { uri: 'notes://cart' })),
      '2 apples',
    )
  }
  assert.equal(heard.length, 3)
  assert.equal(page.errors.length, 3)
  assert.match(String(page.errors[0]), /thrown by the read listener/)
})

test('listeners of state and error that throw disturb neither each other nor the engine', async (t) => {
  const page = await testPage(t)
  const states: string[] = []
  const uncaught: unknown[] = []
  const global = globalThis as { reportError?: (error: unknown) => void }
  const before = global.reportError
  global.reportError = (error) => uncaught.push(error)
  t.after(() => {
    global.reportError = before as never
  })
  page.mcp.on('state', () => {
    throw new Error('thrown by the state listener')
  })
  page.mcp.on('state', ({ engine }) => states.push(engine))
  page.mcp.on('error', () => {
    throw new Error('thrown by the error listener')
  })
  await page.kill()
  assert.equal(states.at(-1), 'running')
  assert.deepEqual((await page.client().ask('ping')).result, {})
  // What an error listener throws is reported as an uncaught error: no listener is left to get it.
  assert.ok(uncaught.some((error) => String(error).includes('thrown by the error listener')))
  assert.ok(page.errors.some((error) => String(error).includes('thrown by the state listener')))
})

test('a source whose watch rejects is reported', async (t) => {
  const page = await testPage(t)
  page.mcp.mount({
    list: async () => ({ resources: [{ uri: 'memo:1', name: 'Memo' }] }),
    read: async (uri) => [{ uri, text: 'memo' }],
    watch: (async () => {
      throw new Error('rejected by watch')
    }) as () => void,
  })
  const client = page.client()
  await client.initialize()
  resultOf(await client.ask('resources/subscribe', { uri: 'memo:1' }))
  await until(() => page.errors.some((e) => String(e).includes('rejected by watch')), 'the report')
})

test('a port of the web app whose close throws does not keep others from being closed', async (t) => {
  const page = await testPage(t)
  const got: unknown[] = []
  const port: Port = {
    onmessage: null,
    postMessage: (message) => got.push(message),
    close() {
      throw new Error('thrown by close')
    },
  }
  page.mcp.accept(port, { principal: 'page' })
  const other = page.client()
  await other.ask('ping')
  page.mcp.close()
  await other.next((m) => m.pagemcp === 'close')
  const isReported = () => page.errors.some((error) => String(error).includes('thrown by close'))
  await until(isReported, 'the error of close')
  assert.deepEqual(got.at(-1), { pagemcp: 'close', reason: 'the page stopped serving' })
})

const thrown: { readonly [what: string]: () => unknown } = {
  'an object without text': () => Object.create(null),
  'an object whose getters throw': () =>
    Object.defineProperty({}, 'name', {
      get() {
        throw new Error('thrown by a getter')
      },
    }),
  'a revoked Proxy': () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  null: () => null,
  undefined: () => undefined,
}

for (const [what, make] of Object.entries(thrown)) {
  test(`${what} may be thrown by all code of the app: it ends as an error of that request`, async (t) => {
    const page = await testPage(t)
    const fail = () => {
      throw make()
    }
    page.mcp.resource('odd:1', { name: 'Odd' }, fail)
    page.mcp.resource('odd:2', { name: 'Odd' }, async () => fail())
    page.mcp.tool('odd', fail)
    page.mcp.prompt('odd', { complete: { x: fail }, arguments: [{ name: 'x' }] }, fail)
    page.mcp.mount({ list: fail, read: fail, templates: fail, watch: fail, mounted: fail })
    page.mcp.on('read', fail)
    const client = page.client()
    const codes: unknown[] = []
    for (const [method, params] of [
      ['resources/read', { uri: 'odd:1' }],
      ['resources/read', { uri: 'odd:2' }],
      ['resources/read', { uri: 'other:1' }],
      ['tools/call', { name: 'odd' }],
      ['prompts/get', { name: 'odd' }],
    ] as const) {
      const { error, result } = await client.askModern(method, params)
      codes.push((error as Message | undefined)?.code ?? (result as Message).isError)
    }
    assert.deepEqual(codes, [-32603, -32603, -32603, true, -32603])
    assert.deepEqual(resultOf(await client.askModern('resources/list')).resources, [
      { uri: 'odd:1', name: 'Odd' },
      { uri: 'odd:2', name: 'Odd' },
    ])
  })
}

test('what is thrown crosses to another thread, whatever it is', () => {
  for (const make of Object.values(thrown)) {
    const { name, message } = serializeError(make())
    assert.deepEqual([name, typeof message], ['Error', 'string'])
  }
})

test('a client that the page ends gets a last message, and its requests an answer', async (t) => {
  const page = await testPage(t)
  page.mcp.resource('slow:1', { name: 'Slow' }, () => new Promise<string>(() => {}))
  const { port1, port2 } = new MessageChannel()
  const end = page.mcp.accept(port1, { principal: 'page' })
  const client = testClient(port2)
  t.after(() => client.close())
  await client.ask('ping')
  const slow = client.askModern('resources/read', { uri: 'slow:1' })
  await client.ask('ping')
  end()
  assert.equal(((await slow).error as Message).code, -32603)
  await client.next((m) => m.pagemcp === 'close')
})

test('a port that is asked for after close gets a last message at once', async (t) => {
  const page = await testPage(t)
  page.mcp.close()
  await page.client().next((m) => m.pagemcp === 'close')
  const { port1, port2 } = new MessageChannel()
  page.mcp.accept(port1, { principal: 'page' })
  const client = testClient(port2)
  t.after(() => client.close())
  await client.next((m) => m.pagemcp === 'close')
})

test('closing says goodbye on ports, after the results of subscriptions', async (t) => {
  const page = await testPage(t)
  const client = page.client()
  client.post({
    jsonrpc: '2.0',
    id: 'l',
    method: 'subscriptions/listen',
    params: { _meta: envelope, notifications: { resourcesListChanged: true } },
  })
  await client.next((m) => m.method === 'notifications/subscriptions/acknowledged')
  page.mcp.close()
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
