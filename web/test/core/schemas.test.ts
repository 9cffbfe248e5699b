// Arguments are checked before a tool runs, and what it answers before it is sent.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { checker, type JsonSchema } from '../../src/tool.ts'
import { errorOf, resultOf } from '../harness/client.ts'
import { testPage } from './page.ts'

interface Result {
  content: { text: string }[]
  structuredContent?: unknown
  isError?: boolean
}

test('a zod schema describes, checks and types the arguments', async (t) => {
  const page = await testPage(t)
  const inputSchema = z.object({
    city: z.string().describe('Where').min(2),
    days: z.number().int().max(7).default(1),
  })
  page.mcp.tool('forecast', { inputSchema }, ({ city, days }) => {
    const rest: number = days - 1 // the types are those of the schema's output
    return `${city.toUpperCase()} for ${rest + 1} days`
  })
  const client = page.client()
  const { tools } = resultOf<{ tools: { inputSchema: Record<string, unknown> }[] }>(
    await client.askModern('tools/list'),
  )
  const { required, properties } = tools[0]?.inputSchema ?? {}
  assert.deepEqual(required, ['city'])
  assert.deepEqual(properties, {
    city: { type: 'string', description: 'Where', minLength: 2 },
    days: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: 7, default: 1 },
  })
  const call = async (args: object) =>
    resultOf<Result>(await client.askModern('tools/call', { name: 'forecast', arguments: args }))
  assert.equal((await call({ city: 'Rome' })).content[0]?.text, 'ROME for 1 days')
  const { isError, content } = await call({ city: 'x', days: 9 })
  assert.equal(isError, true)
  assert.match(content[0]?.text ?? '', /^The arguments are not valid\. \/city: .*; \/days: /)
})

test('JSON Schema is checked, too: 2020-12, and draft 7 by name', async (t) => {
  const page = await testPage(t)
  let runs = 0
  const inputSchema = {
    type: 'object',
    properties: { tags: { type: 'array', items: { $ref: '#/$defs/tag' } }, n: { minimum: 1 } },
    required: ['tags'],
    additionalProperties: false,
    $defs: { tag: { type: 'string', pattern: '^[a-z]+$' } },
  }
  page.mcp.tool('tag', { inputSchema }, ({ tags }) => {
    runs++
    return tags as string[]
  })
  const client = page.client()
  const call = async (args: object) => {
    const params = { name: 'tag', arguments: args }
    const { isError, content } = resultOf<Result>(await client.askModern('tools/call', params))
    return [isError ?? false, content[0]?.text]
  }
  assert.deepEqual(await call({ tags: ['a', 'b'] }), [false, '["a","b"]'])
  for (const [args, path] of [
    [{}, /"tags"/],
    [{ tags: ['a', 'B'] }, /\/tags\/1: /],
    [{ tags: [], n: 0 }, /\/n: /],
    [{ tags: [], other: 1 }, /\/other: /],
  ] as const) {
    const [isError, text] = await call(args)
    assert.equal(isError, true)
    assert.match(String(text), path)
  }
  assert.equal(runs, 1)
  assert.deepEqual(page.errors, [])

  const draft7 = checker(
    'schema',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { items: [{ type: 'string' }, { type: 'number' }] } },
    },
    'input',
  )
  assert.ok('value' in (await draft7.check({ pair: ['a', 1] })))
  assert.ok('problems' in (await draft7.check({ pair: [1, 'a'] })))
})

test('checking does not take long, whatever is sent', async (t) => {
  const page = await testPage(t)
  const inputSchema = {
    type: 'object',
    properties: { all: { type: 'array', uniqueItems: true } },
  }
  page.mcp.tool('unique', { inputSchema }, ({ all }) => `${(all as number[]).length}`)
  const client = page.client()
  const call = async (length: number) => {
    const all = Array.from({ length }, (_, i) => i)
    const params = { name: 'unique', arguments: { all } }
    return resultOf<Result>(await client.askModern('tools/call', params)).content[0]?.text
  }
  assert.equal(await call(2000), '2000')
  assert.match(String(await call(150_000)), /more than 10000 values/)
})

test('structured content is checked, and sent as text as well', async (t) => {
  const page = await testPage(t)
  const outputSchema = z.object({ degrees: z.number(), sky: z.string().optional() })
  const answers: Record<string, unknown> = {
    plain: { degrees: 20 },
    whole: { structuredContent: { degrees: 20 }, content: [{ type: 'text', text: 'warm' }] },
    failed: { isError: true, content: [{ type: 'text', text: 'no thermometer' }] },
    wrong: { degrees: 'warm' },
    nothing: undefined,
  }
  for (const name of Object.keys(answers)) {
    page.mcp.tool(name, { outputSchema }, () => answers[name] as never)
  }
  const list = { type: 'array', items: { type: 'integer' } }
  page.mcp.tool('json', { outputSchema: list }, () => [1, 2, undefined])
  page.mcp.tool('list', { outputSchema: list }, () => [1, 2])
  const client = page.client()
  const call = async (name: string) => client.askModern('tools/call', { name })
  const plain = resultOf<Result>(await call('plain'))
  assert.deepEqual(plain.structuredContent, { degrees: 20 })
  assert.deepEqual(plain.content, [{ type: 'text', text: '{"degrees":20}' }])
  const whole = resultOf<Result>(await call('whole'))
  assert.deepEqual(whole.content, [{ type: 'text', text: 'warm' }])
  assert.equal(resultOf<Result>(await call('failed')).isError, true)
  assert.deepEqual(resultOf<Result>(await call('list')).structuredContent, [1, 2])
  for (const name of ['wrong', 'nothing', 'json']) {
    assert.equal(errorOf(await call(name)).code, -32603, name)
  }
  assert.equal(page.errors.length, 3)
  assert.match(String(page.errors[0]), /degrees/)
})

test('a schema of no use is refused when the tool is registered', async (t) => {
  const page = await testPage(t)
  const refuse = (inputSchema: JsonSchema, why: RegExp) => {
    const register = () => page.mcp.tool('x', { inputSchema }, () => '')
    assert.throws(register, (error: Error) => error instanceof TypeError && why.test(error.message))
  }
  refuse({ type: 'string' }, /"type": "object"/)
  refuse({}, /"type": "object"/)
  refuse('object' as never, /must be a JSON Schema/)
  refuse({ $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' }, /draft-04/)
  const { jsonSchema: _, ...old } = z.object({})['~standard']
  refuse({ '~standard': old }, /no Standard JSON Schema/)
  assert.throws(() => page.mcp.tool('', () => ''), TypeError)

  // What only looks like a reference is none, and schemas may refer to themselves by name.
  page.mcp.tool(
    'fine',
    {
      inputSchema: {
        $id: 'https://example.com/tree',
        type: 'object',
        properties: {
          $ref: { const: { $ref: 'https://example.com/x' } },
          child: { $ref: 'https://example.com/tree' },
        },
      },
    },
    () => 'fine',
  )
  const client = page.client()
  const args = { $ref: { $ref: 'https://example.com/x' }, child: { child: {} } }
  const call = (own: object) => client.askModern('tools/call', { name: 'fine', arguments: own })
  assert.equal(resultOf<Result>(await call(args)).content[0]?.text, 'fine')
  assert.equal(resultOf<Result>(await call({ child: { child: 1 } })).isError, true)
})
