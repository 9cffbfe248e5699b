// Published values: the engine's thread keeps them, `set` replaces them and announces the change.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contents, type PageMcp } from '../../src/index.ts'
import { bodies } from '../../src/mirror.ts'
import { errorOf, type Message, resultOf, type TestClient } from '../harness/client.ts'
import { testPage } from './page.ts'

const uri = 'shop://cart'
const cart = { uri, name: 'Cart' }

interface Item {
  text?: string
  blob?: string
  mimeType?: string
}

const itemsOf = (answer: Message) =>
  resultOf<{ contents: Item[] }>(answer).contents.map(({ text, blob, mimeType }) => ({
    ...(text !== undefined && { text }),
    ...(blob !== undefined && { blob }),
    ...(mimeType !== undefined && { mimeType }),
  }))
const read = (client: TestClient, of = uri) => client.askModern('resources/read', { uri: of })
const textOf = async (client: TestClient, of = uri) => {
  const answer = await read(client, of)
  return answer.error ? `error ${errorOf(answer).code}` : itemsOf(answer)[0]?.text
}

const bytes = () => new Uint8Array([1, 2, 3])
const served: { [what: string]: [value: () => unknown, items: Item[]] } = {
  'a text': [() => 'empty', [{ text: 'empty' }]],
  'an empty text': [() => '', [{ text: '' }]],
  'an object': [() => ({ n: 1 }), [{ text: '{"n":1}', mimeType: 'application/json' }]],
  null: [() => null, [{ text: 'null', mimeType: 'application/json' }]],
  bytes: [bytes, [{ blob: 'AQID' }]],
  'a buffer': [() => bytes().buffer, [{ blob: 'AQID' }]],
  'a part of a buffer': [() => new Uint8Array([9, 1, 2, 3, 9]).subarray(1, 4), [{ blob: 'AQID' }]],
  'a Blob': [
    () => new Blob([bytes()], { type: 'image/x' }),
    [{ blob: 'AQID', mimeType: 'image/x' }],
  ],
  'several contents': [
    () =>
      contents([
        { uri: `${uri}/a`, text: 'a' },
        { uri: `${uri}/b`, blob: bytes() },
      ]),
    [{ text: 'a' }, { blob: 'AQID' }],
  ],
}
for (const [what, [value, items]] of Object.entries(served)) {
  for (const redact of [undefined, (_: string, same: string | Uint8Array<ArrayBuffer>) => same]) {
    test(`${what} is served as a provider would serve it${redact ? ', with a hook' : ''}`, async (t) => {
      const { mcp, client } = await testPage(t, { redact })
      mcp.resource(cart.uri, cart, value() as string)
      const one = client()
      assert.deepEqual(itemsOf(await read(one)), items)
      assert.deepEqual(itemsOf(await read(one)), items, 'again, from what is stored')
      mcp.resource(cart.uri, cart, () => value() as string)
      assert.deepEqual(itemsOf(await read(one)), items, 'from a provider')
    })
  }
}

test('a value is what it was when it was published', async (t) => {
  const { mcp, client } = await testPage(t)
  const items = ['tea']
  const own = bytes()
  const list = mcp.resource(cart.uri, cart, items)
  mcp.resource('shop://logo', { name: 'Logo' }, own)
  items.push('milk')
  own[0] = 9
  const one = client()
  assert.equal(await textOf(one), '["tea"]')
  assert.equal(itemsOf(await read(one, 'shop://logo'))[0]?.blob, 'AQID')
  list.set(items)
  assert.equal(await textOf(one), '["tea","milk"]')
})

test('set announces a change, and none for the same text', async (t) => {
  const { mcp, client } = await testPage(t)
  const value = mcp.resource(cart.uri, cart, { n: 1 })
  const one = client()
  await one.initialize()
  await one.ask('resources/subscribe', { uri })
  value.set({ n: 1 })
  value.set({ n: 2 })
  const updated = (message: Message) => message.method === 'notifications/resources/updated'
  await one.next(updated)
  assert.equal(await textOf(one), '{"n":2}')
  value.set({ n: 3 })
  await one.next(updated, one.got.length)
  await one.ask('ping')
  assert.equal(one.got.filter(updated).length, 2)
})

test('a text that becomes JSON of the same characters is a change', async (t) => {
  const { mcp, client } = await testPage(t)
  const value = mcp.resource(cart.uri, cart, '1')
  const one = client()
  assert.deepEqual(itemsOf(await read(one)), [{ text: '1' }])
  value.set(1)
  assert.deepEqual(itemsOf(await read(one)), [{ text: '1', mimeType: 'application/json' }])
})

test('a registration below another keeps its value up to date without announcing it', async (t) => {
  const { mcp, client } = await testPage(t)
  const below = mcp.resource(cart.uri, cart, 'old')
  const above = mcp.resource(cart.uri, cart, 'above')
  const one = client()
  await one.initialize()
  await one.ask('resources/subscribe', { uri })
  below.set('new')
  assert.equal(await textOf(one), 'above')
  const updated = (message: Message) => message.method === 'notifications/resources/updated'
  assert.equal(one.got.filter(updated).length, 0)
  above()
  await one.next(updated)
  assert.equal(await textOf(one), 'new')
  below()
  assert.equal(await textOf(one), 'error -32602')
  below.set('late')
  assert.equal(await textOf(one), 'error -32602')
})

test('undefined is no content, until the next value', async (t) => {
  const { mcp, client } = await testPage(t)
  const value = mcp.resource(cart.uri, cart, undefined)
  const one = client()
  assert.equal(await textOf(one), 'error -32602')
  value.set('here')
  assert.equal(await textOf(one), 'here')
  value.set(undefined)
  assert.equal(await textOf(one), 'error -32602')
})

test('values outlive a program of Go', async (t) => {
  const { mcp, client, kill } = await testPage(t)
  mcp.resource(cart.uri, cart, 'kept')
  assert.equal(await textOf(client()), 'kept')
  await kill()
  assert.equal(await textOf(client()), 'kept')
})

test('many values are published at once, and each can be replaced', async (t) => {
  const { mcp, client } = await testPage(t)
  const all = mcp.resources([
    [{ uri: 'shop://1', name: 'one' }, 'first'],
    [{ uri: 'shop://2', name: 'two' }, () => 'computed'],
    [{ uri: 'shop://3', name: 'three' }, { n: 3 }],
  ])
  const one = client()
  const texts = () => Promise.all([1, 2, 3].map((n) => textOf(one, `shop://${n}`)))
  assert.deepEqual(await texts(), ['first', 'computed', '{"n":3}'])
  all.set('shop://3', { n: 4 })
  assert.deepEqual(await texts(), ['first', 'computed', '{"n":4}'])
  assert.throws(() => all.set('shop://2', 'x'), /shop:\/\/2 was registered without a value/)
  assert.throws(() => all.set('shop://4', 'x'), /shop:\/\/4 was registered without a value/)
  all()
  assert.deepEqual(await texts(), ['error -32602', 'error -32602', 'error -32602'])
})

test('values pass the hook at each read', async (t) => {
  let isHidden = false
  const redact = (_: string, text: string | Uint8Array<ArrayBuffer>) =>
    isHidden ? undefined : (text as string).replace('secret', '…')
  const { mcp, client } = await testPage(t, { redact })
  const value = mcp.resource(cart.uri, cart, 'a secret')
  const one = client()
  await one.initialize()
  await one.ask('resources/subscribe', { uri })
  assert.equal(await textOf(one), 'a …')
  isHidden = true
  assert.equal(await textOf(one), 'error -32602')
  isHidden = false
  value.set('a secret')
  value.set('another secret')
  const updated = (message: Message) => message.method === 'notifications/resources/updated'
  await one.next(updated)
  assert.equal(await textOf(one), 'another …')
  assert.equal(one.got.filter(updated).length, 1)
})

const cycle: { self?: object } = {}
cycle.self = cycle
const refused: { [what: string]: [use: (mcp: PageMcp) => void, error: RegExp] } = {
  'a promise': [
    (mcp) => mcp.resource(cart.uri, cart, Promise.resolve('x') as never),
    /the value of shop:\/\/cart is a promise: await it, or register a function/,
  ],
  'a cycle': [
    (mcp) => mcp.resource(cart.uri, cart, cycle),
    /the value of shop:\/\/cart is no content: .*circular/,
  ],
  'a symbol': [
    (mcp) => mcp.resource(cart.uri, cart, Symbol('x') as never),
    /a symbol is not content/,
  ],
  'a function as next value': [
    (mcp) => mcp.resource(cart.uri, cart, 'x').set((() => 'y') as never),
    /the value of shop:\/\/cart is a function: register it, or call it/,
  ],
  'a value for a function': [
    (mcp) =>
      (mcp.resource(cart.uri, cart, () => 'x') as unknown as { set(v: string): void }).set('y'),
    /shop:\/\/cart was registered without a value: call changed\(uri\) instead/,
  ],
}
for (const [what, [use, error]] of Object.entries(refused)) {
  test(`refused: ${what}`, async (t) => {
    const { mcp, client } = await testPage(t)
    assert.throws(() => use(mcp), error)
    const one = client()
    assert.equal((await one.askModern('resources/list')).error, undefined, 'the engine runs')
  })
}

test('a value that is refused leaves the one before', async (t) => {
  const { mcp, client } = await testPage(t)
  const value = mcp.resource(cart.uri, cart, 'good')
  assert.throws(() => value.set(cycle))
  assert.equal(await textOf(client()), 'good')
})

test('values are dropped with their registrations', () => {
  const stored = bodies()
  stored.publish(3, { value: 'a' })
  stored.publish(4, { value: 'b' })
  stored.publish(5, { value: 'c' })
  stored.forget(3, 2)
  assert.deepEqual([3, 4, 5].map(stored.isPublished), [false, false, true])
  assert.equal(stored.published(3, uri), undefined)
})

test('a Blob that cannot be read now is read again by the next request', async () => {
  const stored = bodies()
  let isReadable = false
  class Unreliable extends Blob {
    override arrayBuffer() {
      return isReadable ? super.arrayBuffer() : Promise.reject(new Error('not now'))
    }
  }
  stored.publish(1, { value: new Unreliable(['x']) })
  await assert.rejects(async () => stored.published(1, uri), /not now/)
  isReadable = true
  assert.equal((await stored.published(1, uri))?.blob, 'eA==')
})
