// Requests that the engine has decided about before: the same answers as without that memory, whatever changes between.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gapsOf } from '../../src/fill.ts'
import { type KnownAnswers, knownAnswers } from '../../src/known-answers.ts'
import type { ClientState, Params } from '../../src/requests.ts'
import { envelope, type Message, type TestClient } from './client.ts'
import { type TestPage, testPage } from './page.ts'

const uri = 'shop://cart'
const document = { text: '{}', object: {}, isFrozen: false }

const newClient = () => ({ asked: undefined }) as unknown as ClientState
const kept = (known: KnownAnswers, client: ClientState, before: Params, now: Params) => {
  known.remember(client, 1, 'uri', before, document, gapsOf([1], uri, ''))
  return known.find(client, 1, 'uri', now) !== undefined
}
const meta = { version: '2026-07-28', client: { name: 'a', deep: { er: 1 } }, capabilities: {} }
const clone = <T>(value: T): T => structuredClone(value)
class Special {
  readonly uri = uri
}

const pairs: { [what: string]: [before: Params, now: Params, isKnown: boolean] } = {
  'the same URI': [{ uri }, { uri }, true],
  'another URI': [{ uri }, { uri: 'shop://logo' }, false],
  'equal _meta': [{ uri, _meta: meta }, clone({ uri, _meta: meta }), true],
  'members in another order': [
    { uri, _meta: { a: 1, b: 2 } },
    { _meta: { b: 2, a: 1 }, uri },
    true,
  ],
  'one with _meta': [{ uri }, { uri, _meta: {} }, false],
  'one without _meta': [{ uri, _meta: meta }, { uri }, false],
  'a member less in _meta': [{ uri, _meta: meta }, { uri, _meta: { ...meta, client: {} } }, false],
  'a member more in _meta': [{ uri, _meta: meta }, { uri, _meta: { ...meta, more: 1 } }, false],
  'another type in _meta': [{ uri, _meta: { a: 1 } }, { uri, _meta: { a: '1' } }, false],
  'a Map in _meta': [{ uri, _meta: { a: {} } }, { uri, _meta: { a: new Map() } }, false],
  'an array in _meta': [{ uri, _meta: { a: [1] } }, { uri, _meta: { a: [1] } }, false],
  'an undefined member of _meta': [{ uri, _meta: {} }, { uri, _meta: { a: undefined } }, false],
  'a progress token': [
    { uri, _meta: { progressToken: 1 } },
    { uri, _meta: { progressToken: 1 } },
    false,
  ],
  'a member more': [{ uri }, { uri, more: 1 }, false],
  'a URI that is no text': [{ uri }, { uri: 1 }, false],
  'an empty URI, and none': [{}, { uri: '' }, false],
  'no object': [{}, null as never, false],
  'an object of a class': [{ uri }, new Special() as never, false],
  'a long URI': [{ uri: `shop://${'x'.repeat(300)}` }, { uri: `shop://${'x'.repeat(300)}` }, false],
  'large _meta': [
    { uri, _meta: { a: 'x'.repeat(4000) } },
    { uri, _meta: { a: 'x'.repeat(4000) } },
    false,
  ],
}
for (const [what, [before, now, isKnown]] of Object.entries(pairs)) {
  test(`${what}: ${isKnown ? 'known' : 'decided anew'}`, () => {
    assert.equal(kept(knownAnswers(), newClient(), before, now), isKnown)
  })
}

test('a client that shares its objects cannot change what was compared', () => {
  const own = { version: '2026-07-28' }
  const known = knownAnswers()
  const client = newClient()
  known.remember(client, 1, 'uri', { uri, _meta: own }, document, gapsOf([1], uri, ''))
  own.version = 'unknown'
  assert.equal(known.find(client, 1, 'uri', { uri, _meta: own }), undefined)
})

test('decisions are of one client and one method', () => {
  const known = knownAnswers()
  const [one, other] = [newClient(), newClient()]
  assert.ok(kept(known, one, { uri }, { uri }))
  assert.equal(known.find(other, 1, 'uri', { uri }), undefined)
  assert.equal(known.find(one, 2, 'uri', { uri }), undefined)
})

test('nothing is known after a change, and after the client has gone', () => {
  const known = knownAnswers()
  const client = newClient()
  assert.ok(kept(known, client, { uri }, { uri }))
  known.outdate()
  assert.equal(known.find(client, 1, 'uri', { uri }), undefined)
  assert.ok(kept(known, client, { uri }, { uri }))
  known.forget(client)
  assert.equal(known.find(client, 1, 'uri', { uri }), undefined)
})

test('URIs of templates are not stored', () => {
  const known = knownAnswers()
  const client = newClient()
  known.remember(client, 1, 'uri', { uri }, document, gapsOf([1], uri, '{"id":"1"}'))
  assert.equal(known.find(client, 1, 'uri', { uri }), undefined)
})

test('the number of stored decisions is bounded over all clients', () => {
  const known = knownAnswers()
  const clients = Array.from({ length: 50 }, newClient)
  for (const client of clients) {
    for (let n = 0; n < 1000; n++) kept(known, client, { uri: `a:${n}` }, { uri })
  }
  const stored = clients.map(({ asked }) => asked?.byMethod[1]?.size ?? 0)
  assert.ok(stored.reduce((sum, n) => sum + n) <= 32_768, `${stored}`)
  assert.equal(stored.at(-1), 1000)
})

/** What a client gets for the requests that may be known, without ids. */
async function askAll(client: TestClient, isModern: boolean) {
  const ask = (method: string, params: object) =>
    isModern ? client.askModern(method, params) : client.ask(method, params)
  const read = (uri: string) => ask('resources/read', { uri })
  const answers: Message[] = [
    await read(uri),
    await read('shop://item/1'),
    await read('extra+app://1'),
    await ask('resources/list', {}),
    await ask('resources/templates/list', {}),
    await ask('tools/list', {}),
    await ask('prompts/list', {}),
  ]
  return answers.map(({ result, error }) => result ?? error)
}

interface Undo {
  undo?(): void
}
const changes: { [what: string]: (page: TestPage) => unknown } = {
  nothing: () => {},
  'another resource': ({ mcp }) => mcp.resource({ uri, name: 'Another' }, 'another'),
  'a resource with a longer list': ({ mcp }) =>
    mcp.resource({ uri: 'shop://new', name: 'new' }, ''),
  'a template': ({ mcp }) =>
    mcp.template({ uriTemplate: 'shop://item/{id}', name: 'x' }, () => 'y'),
  'a tool': ({ mcp }) => mcp.tool({ name: 'sell' }, () => ''),
  'a prompt': ({ mcp }) => mcp.prompt({ name: 'ask' }, () => ''),
  'a mounted source': ({ mcp }) =>
    mcp.mount(
      {
        list: async () => ({ resources: [{ uri: 'app://1', name: 'one' }] }),
        read: async (uri) => [{ uri, text: 'of a source' }],
      },
      'extra+',
    ),
  'the end of a registration': ({ mcp }) => (mcp as unknown as Undo).undo?.(),
  'the end of the program': ({ mcp, kill }) => {
    kill()
    mcp.changed() // the next call finds that it has ended
  },
}
for (const isModern of [false, true]) {
  for (const [what, change] of Object.entries(changes)) {
    test(`${isModern ? 'modern' : 'classic'}: ${what} between equal requests`, async (t) => {
      const page = await testPage(t)
      const { mcp } = page
      const undo = mcp.resource({ uri, name: 'Cart' }, 'a cart')
      Object.assign(mcp, { undo })
      mcp.template({ uriTemplate: 'shop://{+path}', name: 'all' }, ({ path }) => String(path))
      const asked = page.client()
      if (!isModern) await asked.initialize()
      await askAll(asked, isModern)
      const before = await askAll(asked, isModern)
      await change(page)
      const after = await askAll(asked, isModern)
      assert.deepEqual(await askAll(asked, isModern), after, 'the same again')

      const fresh = page.client() // of which nothing is known
      if (!isModern) await fresh.initialize()
      assert.deepEqual(after, await askAll(fresh, isModern))
      const changesNothing = ['nothing', 'the end of the program']
      assert.equal(JSON.stringify(before) === JSON.stringify(after), changesNothing.includes(what))
    })
  }
}

test('a provider is called by each read, and its last answer counts', async (t) => {
  const { mcp, client } = await testPage(t)
  let calls = 0
  mcp.resource({ uri, name: 'Cart' }, () => (++calls === 3 ? undefined : `call ${calls >> 2}`))
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
  mcp.resource({ uri, name: 'Cart' }, () => answer)
  const one = client()
  const type = async () => {
    const { result } = await one.askModern('resources/read', { uri })
    return (result as { contents: { mimeType?: string }[] }).contents[0]?.mimeType
  }
  assert.deepEqual([await type(), await type()], [undefined, undefined])
  answer = 1
  assert.deepEqual([await type(), await type()], ['application/json', 'application/json'])
})

test('an invalid request is refused, however similar to a known one', async (t) => {
  const { mcp, client } = await testPage(t)
  mcp.resource({ uri, name: 'Cart' }, 'a cart')
  const one = client()
  const code = async (params: object) =>
    ((await one.ask('resources/read', params)).error as { code: number } | undefined)?.code
  assert.equal(await code({ uri, _meta: envelope }), undefined)
  assert.equal(await code({ uri, _meta: envelope }), undefined)
  const old = { ...envelope, 'io.modelcontextprotocol/protocolVersion': '1999-01-01' }
  assert.equal(await code({ uri, _meta: old }), -32022)
  assert.equal(await code({ uri, _meta: { ...envelope, when: new Date(0) } }), -32600)
})

test('objects that a client without clones gets cannot be changed', async (t) => {
  const { mcp } = await testPage(t)
  mcp.resource({ uri, name: 'Cart' }, 'a cart')
  const got: Message[] = []
  const port = {
    onmessage: null as ((event: { data: unknown }) => void) | null,
    postMessage: (message: unknown) => void got.push(message as Message),
  }
  mcp.accept(port)
  for (const id of [1, 2]) {
    const params = { uri, _meta: envelope }
    port.onmessage?.({ data: { jsonrpc: '2.0', id, method: 'resources/read', params } })
  }
  const { contents } = (got[0] as { result: { contents: [object] } }).result
  assert.throws(() => Object.assign(contents[0], { text: 'changed' }), TypeError)
  assert.deepEqual(got[1]?.result, got[0]?.result)
})
