// The types that JSON Schemas give to the arguments of tools. `tsc` checks the types. Each test then checks
// that the validator agrees: it accepts the values that have the type, and rejects the ones that do not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ArgumentsOf, FromJsonSchema, JsonSchema, PageMcp } from '../../src/index.ts'
import type { usePageMcpTool } from '../../src/react.ts'
import { checker } from '../../src/schema.ts'

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only if its type argument is true. */
const holds = <_ extends true>() => {}

/** What the validator of tools says about values. */
async function validates<const S extends JsonSchema>(
  schema: S,
  accepted: readonly FromJsonSchema<S>[],
  rejected: readonly unknown[],
): Promise<void> {
  const { check } = checker('schema', schema, 'output')
  for (const value of accepted) {
    const outcome = await check(value)
    assert.ok('value' in outcome, `${JSON.stringify(value)}: ${JSON.stringify(outcome)}`)
  }
  for (const value of rejected) {
    assert.ok('problems' in (await check(value)), `accepted: ${JSON.stringify(value)}`)
  }
}

test('the helper of these tests can fail', () => {
  // @ts-expect-error: the types differ
  holds<Equal<{ a: string }, { a?: string }>>()
  // @ts-expect-error: any is no other type
  // biome-ignore lint/suspicious/noExplicitAny: that is what is tested
  holds<Equal<any, string>>()
})

test('required and optional properties', async () => {
  const schema = {
    type: 'object',
    properties: { what: { type: 'string' }, count: { type: 'integer' }, ratio: { type: 'number' } },
    required: ['what'],
  } as const
  type Args = FromJsonSchema<typeof schema>
  holds<Equal<Args, { what: string; count?: number; ratio?: number }>>()
  // @ts-expect-error: what is required
  const without: Args = { count: 1 }
  // @ts-expect-error: count is a number
  const text: Args = { what: 'pears', count: '1' }
  await validates(schema, [{ what: 'pears' }, { what: 'pears', count: 2 }], [without, text])
})

test('const and enum, of values of every kind', async () => {
  const schema = {
    type: 'object',
    properties: {
      kind: { const: 'fruit' },
      size: { type: 'string', enum: ['small', 'large'] },
      mixed: { enum: ['auto', 4, true, null] },
      point: { const: { x: 1, tags: ['a', 'b'] } },
    },
    required: ['kind', 'size', 'mixed', 'point'],
  } as const
  type Args = FromJsonSchema<typeof schema>
  holds<
    Equal<
      Args,
      {
        kind: 'fruit'
        size: 'small' | 'large'
        mixed: 'auto' | 4 | true | null
        point: { x: 1; tags: ['a', 'b'] }
      }
    >
  >()
  const rest = { kind: 'fruit', mixed: null, point: { x: 1, tags: ['a', 'b'] } } as const
  // @ts-expect-error: not in the enum
  const medium: Args = { ...rest, point: { x: 1, tags: ['a', 'b'] }, size: 'medium' }
  await validates(
    schema,
    [{ kind: 'fruit', size: 'small', mixed: 4, point: { x: 1, tags: ['a', 'b'] } }],
    [medium],
  )
})

test('nested objects and arrays', async () => {
  const schema = {
    type: 'object',
    properties: {
      address: {
        type: 'object',
        properties: {
          city: { type: 'string' },
          lines: { type: 'array', items: { type: 'string' } },
        },
        required: ['city'],
      },
      grid: { type: 'array', items: { type: 'array', items: { type: 'number' } } },
      anything: { type: 'array' },
    },
    required: ['address'],
  } as const
  type Args = FromJsonSchema<typeof schema>
  holds<
    Equal<
      Args,
      {
        address: { city: string; lines?: string[] }
        grid?: number[][]
        anything?: unknown[]
      }
    >
  >()
  // @ts-expect-error: lines are strings
  const wrong: Args = { address: { city: 'Lisbon', lines: [1] } }
  await validates(schema, [{ address: { city: 'Lisbon', lines: [] }, grid: [[1], []] }], [wrong])
})

test('tuples: what may be missing, and what may follow', async () => {
  const closed = {
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'number' }],
    minItems: 2,
    items: false,
  } as const
  holds<Equal<FromJsonSchema<typeof closed>, [string, number]>>()
  // @ts-expect-error: too long
  const long: FromJsonSchema<typeof closed> = ['a', 1, 2]
  // @ts-expect-error: too short
  const short: FromJsonSchema<typeof closed> = ['a']
  await validates(closed, [['a', 1]], [long, short])

  const open = {
    type: 'array',
    prefixItems: [{ type: 'string' }, { type: 'number' }],
    minItems: 1,
    items: { type: 'boolean' },
  } as const
  holds<Equal<FromJsonSchema<typeof open>, [string, number?, ...boolean[]]>>()
  await validates(open, [['a'], ['a', 1], ['a', 1, true]], [[], ['a', true]])

  const unbounded = { type: 'array', prefixItems: [{ type: 'string' }] } as const
  holds<Equal<FromJsonSchema<typeof unbounded>, [string?, ...unknown[]]>>()
  await validates(unbounded, [[], ['a'], ['a', 7, null]], [[7]])

  const old = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'array',
    items: [{ type: 'string' }, { type: 'null' }],
    minItems: 2,
    additionalItems: false,
  } as const
  holds<Equal<FromJsonSchema<typeof old>, [string, null]>>()
  await validates(old, [['a', null]], [['a', 1]])
})

test('properties that no name is given for', async () => {
  const record = { type: 'object', additionalProperties: { type: 'number' } } as const
  holds<Equal<FromJsonSchema<typeof record>, { [name: string]: number }>>()
  await validates(record, [{}, { a: 1 }], [{ a: 'x' }])

  const closed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    additionalProperties: false,
  } as const
  holds<Equal<FromJsonSchema<typeof closed>, { a?: string }>>()
  // @ts-expect-error: b is not described
  const more: FromJsonSchema<typeof closed> = { a: 'x', b: 1 }
  await validates(closed, [{}, { a: 'x' }], [more])

  const mixed = {
    type: 'object',
    properties: { a: { type: 'string' } },
    required: ['a'],
    additionalProperties: { type: 'number' },
  } as const
  type Mixed = FromJsonSchema<typeof mixed>
  holds<Equal<Mixed['a'], string>>()
  holds<Equal<Mixed['other'], string | number>>()
  await validates(mixed, [{ a: 'x', b: 1 }], [{ a: 'x', b: 'y' }])

  const anyMore = { ...closed, additionalProperties: true } as const
  holds<Equal<FromJsonSchema<typeof anyMore>['other'], unknown>>()

  const patterns = {
    type: 'object',
    patternProperties: { '^n': { type: 'number' }, '^s': { type: 'string' } },
    additionalProperties: false,
  } as const
  holds<Equal<FromJsonSchema<typeof patterns>, { [name: string]: number | string }>>()
  await validates(patterns, [{ n1: 1, s1: 's' }], [{ n1: 's' }, { x: 1 }])

  const undescribed = { type: 'object', required: ['id'] } as const
  holds<Equal<FromJsonSchema<typeof undescribed>, { id: unknown }>>()
})

test('anyOf, oneOf and allOf', async () => {
  const choice = {
    type: 'object',
    properties: {
      by: {
        anyOf: [
          { type: 'string' },
          { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] },
        ],
      },
    },
    required: ['by'],
  } as const
  holds<Equal<FromJsonSchema<typeof choice>, { by: string | { id: number } }>>()
  await validates(choice, [{ by: 'x' }, { by: { id: 1 } }], [{ by: 1 }])

  const tagged = {
    type: 'object',
    oneOf: [
      {
        properties: { kind: { const: 'text' }, text: { type: 'string' } },
        required: ['kind', 'text'],
      },
      {
        properties: { kind: { const: 'link' }, href: { type: 'string' } },
        required: ['kind', 'href'],
      },
    ],
  } as const
  holds<
    Equal<
      FromJsonSchema<typeof tagged>,
      { kind: 'text'; text: string } | { kind: 'link'; href: string }
    >
  >()
  await validates(tagged, [{ kind: 'text', text: 'a' }], [{ kind: 'link', text: 'a' }])

  const eitherOr = {
    type: 'object',
    properties: { id: { type: 'integer' }, name: { type: 'string' } },
    anyOf: [{ required: ['id'] }, { required: ['name'] }],
  } as const
  holds<
    Equal<
      FromJsonSchema<typeof eitherOr>,
      { id: number; name?: string } | { id?: number; name: string }
    >
  >()
  await validates(eitherOr, [{ id: 1 }, { name: 'a' }], [{}])

  const both = {
    type: 'object',
    allOf: [
      { properties: { a: { type: 'string' } }, required: ['a'] },
      { properties: { b: { type: 'number' } } },
    ],
  } as const
  holds<Equal<FromJsonSchema<typeof both>, { a: string; b?: number }>>()
  await validates(both, [{ a: 'x' }, { a: 'x', b: 1 }], [{ b: 1 }])
})

test('values that may be null', async () => {
  const schema = {
    type: 'object',
    properties: {
      list: { type: ['string', 'null'] },
      choice: { anyOf: [{ type: 'number' }, { type: 'null' }] },
      nothing: { type: 'null' },
    },
    required: ['list'],
  } as const
  type Args = FromJsonSchema<typeof schema>
  holds<Equal<Args, { list: string | null; choice?: number | null; nothing?: null }>>()
  // @ts-expect-error: list may be null, not absent
  const absent: Args = {}
  await validates(schema, [{ list: null }, { list: 'a', choice: null }], [absent])
})

test('$ref into $defs, also recursive', async () => {
  const schema = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/node' }, other: { $ref: '#/$defs/missing' } },
    required: ['root'],
    $defs: {
      node: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          children: { type: 'array', items: { $ref: '#/$defs/node' } },
        },
        required: ['name'],
      },
      missing: true,
    },
  } as const
  type Args = FromJsonSchema<typeof schema>
  type Deep = NonNullable<NonNullable<Args['root']['children']>[0]['children']>[0]
  holds<Equal<Deep['name'], string>>()
  // @ts-expect-error: names are strings, at each depth
  const wrong: Args = { root: { name: 'a', children: [{ name: 'b', children: [{ name: 3 }] }] } }
  await validates(schema, [{ root: { name: 'a', children: [{ name: 'b' }] } }], [wrong])

  const self = {
    type: 'object',
    properties: { next: { anyOf: [{ $ref: '#' }, { type: 'null' }] } },
    required: ['next'],
  } as const
  type Self = FromJsonSchema<typeof self>
  const ends: Self = { next: { next: { next: null } } }
  await validates(self, [ends], [{ next: { next: 1 } }])

  const definitions = {
    type: 'object',
    properties: { a: { $ref: '#/definitions/a' }, b: { $ref: 'https://a.example/b' } },
    definitions: { a: { enum: [1, 2] } },
  } as const
  holds<Equal<FromJsonSchema<typeof definitions>, { a?: 1 | 2; b?: unknown }>>()

  // No property is between: the type checker must still come to an end.
  const endless = { type: 'array', items: { $ref: '#' } } as const
  const empty: FromJsonSchema<typeof endless> = [[], [[]]]
  await validates(endless, [empty], [[1]])
})

test('where the literals of a schema are not known, arguments are a record', () => {
  const notConst = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
  holds<Equal<ArgumentsOf<typeof notConst>, Record<string, unknown>>>()
  holds<Equal<ArgumentsOf<JsonSchema>, Record<string, unknown>>>()
  holds<Equal<FromJsonSchema<JsonSchema>, unknown>>()
  const empty = {} as const
  holds<Equal<ArgumentsOf<typeof empty>, Record<string, unknown>>>()
  const object = { type: 'object' } as const
  holds<Equal<ArgumentsOf<typeof object>, Record<string, unknown>>>()
})

test('a tool, and its hook, give the type of the schema to the handler', () => {
  const schema = {
    type: 'object',
    properties: { what: { type: 'string' }, count: { type: 'integer' } },
    required: ['what'],
  } as const
  const uses = (mcp: PageMcp, useTool: typeof usePageMcpTool) => {
    mcp.tool({ name: 'named', inputSchema: schema }, (args) => {
      holds<Equal<typeof args, { what: string; count?: number }>>()
      // @ts-expect-error: no such property
      args.colour
      return args.what
    })
    mcp.tool(
      {
        name: 'in place',
        inputSchema: { type: 'object', properties: { sure: { type: 'boolean' } } },
      },
      ({ sure }) => {
        holds<Equal<typeof sure, boolean | undefined>>()
        return String(sure)
      },
    )
    useTool({ name: 'hook', inputSchema: schema }, ({ what }) => {
      holds<Equal<typeof what, string>>()
      return what
    })
    const plain: JsonSchema = schema
    mcp.tool({ name: 'plain', inputSchema: plain }, (args) => {
      holds<Equal<typeof args, Record<string, unknown>>>()
      return String(args.what)
    })
    mcp.tool({ name: 'none' }, (args) => {
      holds<Equal<typeof args, Record<string, unknown>>>()
      return Object.keys(args).join()
    })
  }
  assert.equal(typeof uses, 'function')
})
