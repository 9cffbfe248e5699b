// Everything that an app registers ends in the same ways: by a call, by a signal, by `using`.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Registration } from '../../src/publish.ts'
import { start } from '../../src/start.ts'
import { resultOf } from '../harness/client.ts'
import { type TestPage, testPage } from './page.ts'

type Mcp = TestPage['mcp']
const source = {
  list: async () => ({ resources: [{ uri: 'a:mounted', name: 'mounted' }] }),
  read: async (uri: string) => [{ uri, text: '' }],
}

/** What registers, and the list and the text in it that show it. */
const kinds: {
  [kind: string]: [
    make: (mcp: Mcp, options: { signal?: AbortSignal }) => Registration,
    list: string,
    shown: string,
  ]
} = {
  'a value': [(mcp, options) => mcp.resource('a:value', options, 'x'), 'resources/list', 'a:value'],
  'a function': [
    (mcp, options) => mcp.resource('a:function', options, () => 'x'),
    'resources/list',
    'a:function',
  ],
  'a template': [
    (mcp, options) => mcp.resources('a:t/{id}', { ...options, read: ({ id }) => id }),
    'resources/templates/list',
    'a:t/{id}',
  ],
  'a tool': [(mcp, options) => mcp.tool('tool', options, () => 'x'), 'tools/list', '"tool"'],
  'a prompt': [
    (mcp, options) => mcp.prompt('prompt', options, () => 'x'),
    'prompts/list',
    '"prompt"',
  ],
  'an event': [(mcp, options) => mcp.event('saved', options), 'resources/list', 'event:///saved'],
  'a source': [(mcp, options) => mcp.mount(source, '', options), 'resources/list', 'a:mounted'],
}

const ends: { [way: string]: (registered: Registration, signal: AbortController) => void } = {
  'a call': (registered) => registered(),
  'its signal': (_, signal) => signal.abort(),
  'Symbol.dispose': (registered) => {
    using _ = registered
  },
}

for (const [kind, [make, list, shown]] of Object.entries(kinds)) {
  test(`${kind} ends by a call, a signal and using`, async (t) => {
    const page = await testPage(t)
    const client = page.client()
    const isShown = async () =>
      JSON.stringify(resultOf(await client.askModern(list, {}))).includes(shown)
    for (const [way, end] of Object.entries(ends)) {
      const controller = new AbortController()
      const registered = make(page.mcp, { signal: controller.signal })
      assert.ok(await isShown(), `before ${way}`)
      end(registered, controller)
      assert.ok(!(await isShown()), `after ${way}`)
      registered() // without effect
    }
    make(page.mcp, { signal: AbortSignal.abort() })
    assert.ok(!(await isShown()), 'its signal was aborted before')
  })
}

test('a listener and a client end so, too', async (t) => {
  const page = await testPage(t)
  const heard: string[] = []
  page.mcp.resource('a:b', 'x')
  for (const [way, end] of Object.entries(ends)) {
    const controller = new AbortController()
    const { signal } = controller
    const listening = page.mcp.on('read', () => heard.push(way), { signal })
    const { port1, port2 } = new MessageChannel()
    const closed = Promise.withResolvers<unknown>()
    port2.onmessage = ({ data }) => closed.resolve(data)
    const client = page.mcp.accept(port1, { principal: 'https://a.example', signal })
    resultOf(await page.client().askModern('resources/read', { uri: 'a:b' }))
    end(listening, controller)
    end(client, controller)
    assert.match(JSON.stringify(await closed.promise), /the page ended this connection/)
    port2.close()
  }
  await page.client().askModern('resources/read', { uri: 'a:b' })
  assert.deepEqual(heard, Object.keys(ends))
})

test('who a client is has to be said', async (t) => {
  const page = await testPage(t)
  const { port1 } = new MessageChannel()
  t.after(() => port1.close())
  for (const options of [undefined, {}, { principal: '' }]) {
    assert.throws(() => page.mcp.accept(port1, options as never), /accept needs \{ principal \}/)
  }
})

test('a second start with the name of an engine of this document returns that one', async (t) => {
  const { mcp } = await testPage(t)
  Object.assign(globalThis, { document: {} })
  t.after(() => Reflect.deleteProperty(globalThis, 'document'))
  const first = start({ name: 'hot' })
  first.resource('a:kept', 'x')
  assert.equal(start({ name: 'hot' }), first)
  assert.notEqual(start({ name: 'other' }), first)
  assert.notEqual(mcp, first)
  first.close()
  const next = start({ name: 'hot' })
  assert.notEqual(next, first)
  next.close()
  start({ name: 'other' }).close()
})
