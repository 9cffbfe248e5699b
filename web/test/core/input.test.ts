// Bad input, in both lanes: each case gets its documented answer, or silence, and the engine answers
// the next request. R-001 R-002 R-004 R-006 R-009 R-012 R-014 R-015 R-348; security.md, Corpora.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Message, TestClient } from '../harness/client.ts'

import { type TestPage, testPage } from './page.ts'

let page: TestPage
let close = () => {}
const scope = {
  after(act: () => void) {
    close = act
  },
}
after(() => close())
let client: TestClient

before(async () => {
  page = await testPage(scope)
  page.mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
  client = page.client()
  await client.initialize()
})

/** Posts something, then shows that both eras still work, and returns what came before that. */
async function answersTo(message: unknown): Promise<Message[]> {
  const from = client.got.length
  client.post(message)
  const ping = await client.ask('ping')
  assert.deepEqual(ping.result, {})
  assert.ok((await client.askModern('server/discover')).result)
  return client.got.slice(from, -2)
}

const request = { jsonrpc: '2.0', id: 'x', method: 'ping' }
const deep = (levels: number) => {
  let value: unknown = 0
  for (let i = 0; i < levels; i++) value = [value]
  return value
}
const cycle: Record<string, unknown> = {}
cycle.self = cycle
const wide: Record<string, unknown> = {}
{
  // 60 levels, each with the next one twice: small to clone, endless to write.
  let value: unknown = 'x'
  for (let i = 0; i < 60; i++) value = { a: value, b: value }
  wide.value = value
}

/** What is posted, the code of the answer or undefined for silence, and whether it has the id. */
const cases: [what: string, message: unknown, code?: number, withId?: boolean][] = [
  ['a text whose method is unknown', JSON.stringify({ ...request, method: 'no' }), -32601, true],
  ['id beyond integers', { ...request, id: 1e300 }, -32600, false],
  ['uri missing', { ...request, method: 'resources/read', params: {} }, -32602, true],
  [
    'cursor a number',
    { ...request, method: 'resources/list', params: { cursor: 7 } },
    -32602,
    true,
  ],
  [
    'an empty cursor',
    { ...request, method: 'resources/list', params: { cursor: '' } },
    -32602,
    true,
  ],
  ['_meta a string', { ...request, params: { _meta: 'x' } }, -32602, true],
  ['too deep', { ...request, params: { a: deep(128) } }, -32600, true],
  ['a cycle', { ...request, params: cycle }, -32600, true],
  ['a web of references', { ...request, params: wide }, -32600, true],
  ['too large', { ...request, params: { a: 'x'.repeat(1 << 20) } }, -32600, true],
  ['NaN', { ...request, params: { a: Number.NaN } }, -32600, true],
  ['a Map', { ...request, params: { a: new Map() } }, -32600, true],
  ['a Date', { ...request, params: { a: new Date(0) } }, -32600, true],
  ['a BigInt', { ...request, params: { a: 1n } }, -32600, true],
  ['bytes', { ...request, params: { a: new Uint8Array(4) } }, -32600, true],
  ['undefined in an array', { ...request, params: { a: [undefined] } }, -32600, true],
  ['a Map as message', new Map(), -32600, false],
  ['a Map beside the envelope', { ...request, more: new Map() }, -32600, true],
  // Never answered, whatever is wrong with them.
  ['a notification that is not JSON', { jsonrpc: '2.0', method: 'x', params: new Map() }],
]

for (const [what, message, code, withId] of cases) {
  test(`${what}: ${code ?? 'silence'}`, async () => {
    const answers = await answersTo(message)
    if (code === undefined) {
      assert.deepEqual(answers, [])
      return
    }
    assert.equal(answers.length, 1, JSON.stringify(answers))
    const [answer] = answers as [Message]
    assert.equal((answer.error as Message).code, code)
    assert.equal(typeof (answer.error as Message).message, 'string')
    assert.equal('id' in answer, withId)
    if (withId) assert.equal(answer.id, 'x')
  })
}

test('members that are undefined are taken as absent', async () => {
  const answer = await client.ask('resources/list', { cursor: undefined, _meta: undefined })
  assert.ok(answer.result)
})

test('depth 126 below params is still fine', async () => {
  assert.deepEqual((await client.ask('ping', { a: deep(125) })).result, {})
})

test('an id in flight is refused without id, and its request goes on', async (t) => {
  const own = await testPage(t)
  let answer: (text: string) => void = () => {}
  own.mcp.resource(
    'notes://slow',
    { name: 'Slow' },
    () => new Promise<string>((resolve) => (answer = resolve)),
  )
  const asker = own.client()
  const first = asker.askModern('resources/read', { uri: 'notes://slow' }, 5)
  asker.post({ jsonrpc: '2.0', id: 5, method: 'ping' })
  const refusal = await asker.next((m) => 'error' in m)
  assert.ok(!('id' in refusal))
  assert.equal((refusal.error as Message).code, -32600)
  answer('here')
  assert.ok((await first).result)
})
