// What a web app answers and the schema of MCP does not allow: the client gets an internal error, which says nothing of
// it, and the page an `error` event that names the member..

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contents, type PageMcp, type Source } from '../../src/index.ts'
import { errorOf, resultOf } from '../harness/client.ts'
import { testPage } from './page.ts'

/** Answers as JavaScript lets them through. */
type Anything = never

const image = { type: 'image', data: 'AAEC', mimeType: 'image/png' }

const blocks: [member: string, block: object][] = [
  ['resource.uri', { type: 'resource', resource: {} }],
  ['resource.text', { type: 'resource', resource: { uri: 'a:b' } }],
  ['resource.text', { type: 'resource', resource: { uri: 'a:b', text: '', blob: '' } }],
  ['resource.blob', { type: 'resource', resource: { uri: 'a:b', blob: '***' } }],
  ['resource.uri', { type: 'resource', resource: { uri: 'no uri', text: '' } }],
  ['mimeType', { type: 'image', data: 'AAEC' }],
  ['mimeType', { type: 'audio', data: 'AAEC' }],
  ['data', { type: 'image', data: '***', mimeType: 'image/png' }],
  ['uri', { type: 'resource_link', uri: 'not a uri', name: 'x' }],
  ['name', { type: 'resource_link', uri: 'a:b' }],
  ['annotations', { ...image, annotations: { priority: 2 } }],
  ['_meta', { ...image, _meta: 7 }],
]

const items: [member: string, item: object][] = [
  ['text', { uri: 'a:b' }],
  ['text', { uri: 'a:b', text: 'x', blob: new Uint8Array(1) }],
  ['text', { uri: 'a:b', text: 7 }],
  ['blob', { uri: 'a:b', blob: 'AAEC' }],
  ['blob', { uri: 'a:b', blob: { length: 3 } }],
  ['uri', { text: 'x' }],
  ['uri', { uri: 'not a uri', text: 'x' }],
  ['uri', { uri: 'a:%zz', text: 'x' }],
  ['mimeType', { uri: 'a:b', text: 'x', mimeType: 7 }],
  ['_meta', { uri: 'a:b', text: 'x', _meta: 'x' }],
]

type Way = [method: string, params: object, offer: (mcp: PageMcp, wrong: object) => void]

const source = (more: Partial<Source>): Source => ({
  list: async () => ({ resources: [] }),
  read: async () => [],
  ...more,
})

const blockWays: Record<string, Way> = {
  'tool, a block': [
    'tools/call',
    { name: 't' },
    (mcp, wrong) => mcp.tool('t', () => wrong as Anything),
  ],
  'tool, after another block': [
    'tools/call',
    { name: 't' },
    (mcp, wrong) => mcp.tool('t', () => ({ content: [image, wrong] }) as Anything),
  ],
  prompt: [
    'prompts/get',
    { name: 'p' },
    (mcp, wrong) => mcp.prompt('p', () => [{ role: 'user', content: wrong }] as Anything),
  ],
}

const itemWays: Record<string, Way> = {
  resource: [
    'resources/read',
    { uri: 'a:b' },
    (mcp, wrong) => mcp.resource('a:b', { name: 'B' }, () => contents([wrong as Anything])),
  ],
  'resource, later': [
    'resources/read',
    { uri: 'a:b' },
    (mcp, wrong) =>
      mcp.resource('a:b', { name: 'B' }, async () =>
        contents([{ uri: 'a:b#1', text: '' }, wrong as Anything]),
      ),
  ],
  template: [
    'resources/read',
    { uri: 'a:b' },
    (mcp, wrong) =>
      mcp.resources('a:{x}', { name: 'B', read: () => contents([wrong as Anything]) }),
  ],
  'mounted source': [
    'resources/read',
    { uri: 'a:b' },
    (mcp, wrong) => mcp.mount(source({ read: async () => [wrong as Anything] })),
  ],
}

for (const [ways, wrongs] of [
  [blockWays, blocks],
  [itemWays, items],
] as const) {
  for (const [way, [method, params, offer]] of Object.entries(ways)) {
    for (const [member, wrong] of wrongs) {
      test(`${way}: ${JSON.stringify(wrong)} is refused, and ${member} is named`, async (t) => {
        const page = await testPage(t)
        offer(page.mcp, wrong)
        const client = page.client()
        const error = errorOf(await client.askModern(method, params))
        assert.equal(error.code, -32603)
        assert.ok(!JSON.stringify(error).includes('not a uri'), 'the client learns nothing of it')
        assert.equal(page.errors.length, 1, String(page.errors))
        assert.match(String(page.errors[0]), new RegExp(`\\b${member}\\b`))
        assert.deepEqual(resultOf(await client.ask('ping')), {})
      })
    }
  }
}

test('with a redact hook the same is refused', async (t) => {
  for (const [member, wrong] of items) {
    const page = await testPage(t, { redact: (_, content) => content })
    itemWays['mounted source']?.[2](page.mcp, wrong)
    const { code } = errorOf(await page.client().askModern('resources/read', { uri: 'a:b' }))
    assert.equal(code, -32603, JSON.stringify(wrong))
    assert.match(String(page.errors[0]), new RegExp(`\\b${member}\\b`))
  }
})

test('a _meta of several contents is what JSON makes of it', async (t) => {
  const page = await testPage(t)
  const _meta = { 'a.example/when': new Date(0), 'a.example/f': () => 1 }
  page.mcp.resource('a:b', { name: 'B' }, () =>
    contents([{ uri: 'a:b', text: 'x', _meta: _meta as Anything }]),
  )
  const { contents: items } = resultOf<{ contents: { _meta: object }[] }>(
    await page.client().askModern('resources/read', { uri: 'a:b' }),
  )
  const when = (items[0]?._meta as Record<string, unknown> | undefined)?.['a.example/when']
  assert.equal(when, '1970-01-01T00:00:00.000Z')
})
