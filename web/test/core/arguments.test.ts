// Arguments as models and hosts send them: JSON as text, whole numbers that JavaScript would round, and keys
// that APIs of models refuse.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exactArguments, parseExact } from '../../src/answer-call.ts'
import { shownKeys } from '../../src/webmcp-tools.ts'
import { resultOf, type TestClient } from '../harness/client.ts'
import { testPage } from './page.ts'

interface Result {
  content: { text: string }[]
  isError?: boolean
}

async function call(client: TestClient, name: string, args: object) {
  const answer = await client.askModern('tools/call', { name, arguments: args })
  const { content, isError } = resultOf<Result>(answer)
  return `${isError ? 'error: ' : ''}${content[0]?.text}`
}

test('a text that is JSON of what the schema wants is taken for it, once', async (t) => {
  const page = await testPage(t)
  const inputSchema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'string' } },
      n: { type: 'integer', minimum: 1 },
      on: { type: 'boolean' },
      any: { anyOf: [{ type: 'object', properties: { a: { type: 'number' } } }, { type: 'null' }] },
      text: { type: 'string' },
      both: { type: ['string', 'number'] },
    },
    additionalProperties: false,
  } as const
  page.mcp.tool('echo', { inputSchema }, (args) => JSON.stringify(args))
  const client = page.client()
  const echo = (args: object) => call(client, 'echo', args)

  assert.equal(await echo({ list: '["a","b"]' }), '{"list":["a","b"]}')
  assert.equal(await echo({ n: '7', on: 'true' }), '{"n":7,"on":true}')
  assert.equal(await echo({ any: '{"a":1}' }), '{"any":{"a":1}}')
  assert.equal(await echo({ text: '7', both: '7' }), '{"text":"7","both":"7"}')
  assert.match(await echo({ list: '"[\\"a\\"]"' }), /^error: The arguments are not valid/) // quoted twice
  assert.match(await echo({ list: '[1]' }), /^error: The arguments are not valid/)
  assert.match(await echo({ n: '0' }), /^error: The arguments are not valid/)
  assert.match(await echo({ n: 'seven' }), /^error: The arguments are not valid/)
})

test('a whole number that JavaScript would round is text, or an error', async (t) => {
  const page = await testPage(t)
  const wide = 2 ** 60
  const inputSchema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      n: { type: 'integer' },
      ids: { type: 'array', items: { $ref: '#/$defs/id' } },
    },
    $defs: { id: { type: 'string' } },
  }
  page.mcp.tool('echo', { inputSchema }, (args) => JSON.stringify(args))
  page.mcp.tool('any', (args) => JSON.stringify(args))
  page.mcp.mount({
    list: async () => ({ resources: [] }),
    read: async () => [],
    tools: async () => [{ name: 'mounted' }],
    callTool: async (_, args) => JSON.stringify(args),
  })
  const client = page.client()
  assert.equal(await call(client, 'echo', { id: wide }), `{"id":"${wide}"}`)
  assert.equal(await call(client, 'echo', { ids: [wide] }), `{"ids":["${wide}"]}`)
  assert.equal(
    await call(client, 'echo', { n: Number.MAX_SAFE_INTEGER }),
    `{"n":${Number.MAX_SAFE_INTEGER}}`,
  )
  for (const [name, args] of [
    ['echo', { n: wide }],
    ['echo', { n: `${wide}` }],
    ['any', { deep: { n: [wide] } }],
    ['mounted', { n: wide }],
  ] as const) {
    assert.match(await call(client, name, args), /^error: .*(would be rounded|not valid)/, name)
  }
  assert.match(await call(client, 'any', { n: wide }), /beyond 2\^53/)
})

test('digits keep their value from the text on', () => {
  const text =
    '{"a":9007199254740993,"b":"9007199254740993","c":[-12345678901234567890,1e20,1.5],"d":9007199254740993.0,"e":"\\"9007199254740993"}'
  assert.deepEqual(parseExact(text), {
    a: 9007199254740993n,
    b: '9007199254740993',
    c: [-12345678901234567890n, 1e20, 1.5],
    d: 9007199254740993n,
    e: '"9007199254740993',
  })
  assert.deepEqual(parseExact('{"\\u0000whole":"x","n":1234567890123456}'), {
    '\0whole': 'x',
    n: 1234567890123456,
  })
  const properties = { a: { type: 'string' } }
  assert.deepEqual(exactArguments({ a: 9007199254740993n }, { properties }), {
    a: '9007199254740993',
  })
  assert.equal(typeof exactArguments({ b: 9007199254740993n }, { properties }), 'string')
})

test('keys are shown as APIs take them, each once', () => {
  const keys = ['a', 'items[]', 'items__', 'with space', '', 'ü', 'x'.repeat(70), 'y.z-1']
  const byKey = shownKeys(keys)
  const shown = keys.map((key) => byKey.get(key) ?? '')
  assert.equal(shown.length, keys.length)
  assert.equal(new Set(shown).size, keys.length)
  assert.ok(
    shown.every((key) => /^[\w.-]{1,64}$/.test(key)),
    String(shown),
  )
  assert.deepEqual([shown[0], shown[2], shown[7]], ['a', 'items__', 'y.z-1'])
})
