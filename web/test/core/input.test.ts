// Bad input, in both lanes: each case gets its documented answer, or silence, and the engine answers
// the next request. R-001 R-002 R-004 R-006 R-009 R-012 R-014 R-015 R-348; security.md, Corpora.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { TextChannel } from '../../src/clients.ts'
import { startEngine } from '../../src/engine.ts'
import { envelope, type Message, type TestClient } from './client.ts'
import { engineModule, goRuntime, options } from './load.ts'
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
  page.mcp.resource({ uri: 'notes://cart', name: 'Cart' }, () => '2 apples')
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
  ['a text that is broken', 'ping', -32700, false],
  ['a text that is a number', '1', -32600, false],
  ['a text whose method is unknown', JSON.stringify({ ...request, method: 'no' }), -32601, true],
  ['a number', 7, -32600, false],
  ['null', null, -32600, false],
  ['an empty array', [], -32600, false],
  ['a batch', [request], -32600, false],
  ['an empty object', {}, -32600, false],
  ['no jsonrpc', { id: 'x', method: 'ping' }, -32600, true],
  ['jsonrpc 1.0', { ...request, jsonrpc: '1.0' }, -32600, true],
  ['jsonrpc as a number', { ...request, jsonrpc: 2 }, -32600, true],
  ['id null', { ...request, id: null }, -32600, false],
  ['id true', { ...request, id: true }, -32600, false],
  ['id 1.5', { ...request, id: 1.5 }, -32600, false],
  ['id an object', { ...request, id: {} }, -32600, false],
  ['id beyond integers', { ...request, id: 1e300 }, -32600, false],
  ['no method', { jsonrpc: '2.0', id: 'x' }, -32600, true],
  ['method a number', { ...request, method: 7 }, -32600, true],
  ['an unknown method', { ...request, method: 'no/such' }, -32601, true],
  ['an unknown tool', { ...request, method: 'tools/call', params: { name: 'x' } }, -32602, true],
  ['a name in the wrong case', { ...request, Method: 'ping' }, -32600, true],
  ['a name with NUL', { ...request, 'method\u0000': 'ping' }, -32600, true],
  ['request and response', { ...request, result: {} }, -32600, true],
  ['params an array', { ...request, params: [] }, -32602, true],
  ['params a string', { ...request, params: 'x' }, -32602, true],
  ['uri missing', { ...request, method: 'resources/read', params: {} }, -32602, true],
  ['uri a number', { ...request, method: 'resources/read', params: { uri: 7 } }, -32602, true],
  ['uri relative', { ...request, method: 'resources/read', params: { uri: 'cart' } }, -32602, true],
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
  [
    'an unknown version',
    {
      ...request,
      method: 'server/discover',
      params: { _meta: { ...envelope, 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } },
    },
    -32022,
    true,
  ],
  ['discover without envelope', { ...request, method: 'server/discover' }, -32602, true],
  [
    'initialize twice',
    { ...request, method: 'initialize', params: { protocolVersion: '2025-11-25' } },
    -32600,
    true,
  ],
  [
    'initialize with envelope',
    { ...request, method: 'initialize', params: { _meta: envelope } },
    -32601,
    true,
  ],
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
  ['an unknown notification', { jsonrpc: '2.0', method: 'notifications/no' }],
  ['a notification that is not JSON', { jsonrpc: '2.0', method: 'x', params: new Map() }],
  ['a notification with bad params', { jsonrpc: '2.0', method: 'x', params: [] }],
  ['a response to nothing', { jsonrpc: '2.0', id: 'x', result: {} }],
  ['an error to nothing', { jsonrpc: '2.0', id: 'x', error: { code: 1, message: 'x' } }],
  [
    'a cancel of nothing',
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'no' } },
  ],
  ['a cancel without id', { jsonrpc: '2.0', method: 'notifications/cancelled' }],
  [
    'a cancel with an odd id',
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: {} } },
  ],
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
    { uri: 'notes://slow', name: 'Slow' },
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

test('text: raw ids, malformed JSON, duplicate names, size', async () => {
  const engine = await startEngine(options, {
    module: await engineModule(),
    Go: await goRuntime(),
    provide: () => ({ value: 'content' }),
    call: () => Promise.reject(new Error('there is nothing to call')),
    state() {},
    read() {},
    report() {},
  })
  engine.register(1, { resources: [{ uri: 'notes://cart', name: 'Cart' }] })
  let said: string[] = []
  const channel: TextChannel = { send: (text) => said.push(text), lost() {} }
  const text = engine.clients.openText(channel, 'gateway')
  const answer = (message: string) => {
    said = []
    text.receive(message)
    const answers = said
    said = []
    text.receive('{"jsonrpc":"2.0","id":"live","method":"ping"}')
    assert.deepEqual(said, ['{"jsonrpc":"2.0","id":"live","result":{}}'])
    return answers
  }
  for (const id of ['7', '"7"', '9007199254740993', '-1', '"\\u0061"', '""']) {
    const message = `{"jsonrpc":"2.0","id":${id},"method":"ping"}`
    assert.deepEqual(answer(message), [`{"jsonrpc":"2.0","id":${id},"result":{}}`])
  }
  const code = (message: string) => {
    const [first] = answer(message).map((one) => JSON.parse(one) as Message)
    return [(first?.error as Message | undefined)?.code, first !== undefined && 'id' in first]
  }
  assert.deepEqual(code(''), [-32700, false])
  assert.deepEqual(code('{"jsonrpc":"2.0","id":1,"method":"ping"'), [-32700, false])
  assert.deepEqual(code('\ufeff{"jsonrpc":"2.0","id":1,"method":"ping"}'), [-32700, false])
  assert.deepEqual(code('{"jsonrpc":"2.0","id":1,"method":"ping"} x'), [-32700, false])
  assert.deepEqual(code('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}')[0], -32600)
  assert.deepEqual(code('{"jsonrpc":"2.0","id":1e2,"method":"ping"}'), [-32600, false])
  assert.deepEqual(code('{"jsonrpc":"2.0","id":-0,"method":"ping"}'), [-32600, false])
  assert.deepEqual(
    code(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":${'['.repeat(200)}`),
    [-32700, false],
  )
  assert.equal(
    code(
      `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${'x'.repeat((1 << 20) + (64 << 10))}"}}`,
    )[0],
    -32600,
  )
  assert.equal(
    code(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"${'é'.repeat(1 << 20)}"}}`)[0],
    -32600,
  )
  const meta = JSON.stringify(envelope)
  const [read] = answer(
    `{"jsonrpc":"2.0","id":123456789012345678901,"method":"resources/read","params":{"uri":"notes://cart","_meta":${meta}}}`,
  )
  assert.ok(read?.startsWith('{"jsonrpc":"2.0","id":123456789012345678901,"result":{'))
  assert.equal(JSON.parse(read as string).result.contents[0].text, 'content')
  engine.close()
})

test('two clients may use the same ids', async () => {
  const a = page.client()
  const b = page.client()
  const answers = await Promise.all([a.ask('ping', undefined, 1), b.ask('ping', undefined, 1)])
  for (const answer of answers) assert.deepEqual(answer.result, {})
  a.close()
  b.close()
})
