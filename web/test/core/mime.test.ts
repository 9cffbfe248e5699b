// A content says its MIME type wherever that is known: from the description, from the value, or from its item. R-112.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isMediaType } from '../../src/contents.ts'
import { contents } from '../../src/index.ts'
import { resultOf } from './client.ts'
import { testPage } from './page.ts'

interface Item {
  mimeType?: string
  text?: string
  blob?: string
}

const table: [
  what: string,
  described: string | undefined,
  value: unknown,
  want: string | undefined,
][] = [
  ['an object', undefined, { a: 1 }, 'application/json'],
  ['an array', undefined, [1], 'application/json'],
  ['null', undefined, null, 'application/json'],
  ['a number', undefined, 7, 'application/json'],
  ['a Blob with a type', undefined, new Blob(['x'], { type: 'image/png' }), 'image/png'],
  ['a Blob without a type', undefined, new Blob(['x']), undefined],
  ['bytes', undefined, new Uint8Array([1]), undefined],
  ['text', undefined, 'x', undefined],
  ['described text', 'text/markdown', 'x', 'text/markdown'],
  ['described bytes', 'image/gif', new Uint8Array([1]), 'image/gif'],
  ['a described object', 'application/geo+json', { a: 1 }, 'application/geo+json'],
  [
    'an item that says its own',
    'text/plain',
    contents([{ uri: 'a:b', text: 'x', mimeType: 'text/css' }]),
    'text/css',
  ],
]

test('contents have the MIME type that is known, by function and by value', async (t) => {
  for (const [what, mimeType, value, want] of table) {
    const page = await testPage(t)
    page.mcp.resource({ uri: 'a:b', name: 'B', mimeType }, () => value as never)
    const client = page.client()
    const answer = await client.askModern('resources/read', { uri: 'a:b' })
    const [item] = resultOf<{ contents: Item[] }>(answer).contents
    assert.equal(item?.mimeType, want, what)
    const { resources } = resultOf<{ resources: Item[] }>(await client.askModern('resources/list'))
    assert.equal(resources[0]?.mimeType, mimeType, `${what}: the list repeats the description`)
  }
})

test('media types have the syntax of HTTP: the table that Go is held to, too', () => {
  const file = new URL('../../../testdata/mediatypes.json', import.meta.url)
  const { valid, invalid } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string[]>
  for (const one of valid ?? []) assert.ok(isMediaType(one), JSON.stringify(one))
  for (const one of invalid ?? []) assert.ok(!isMediaType(one), JSON.stringify(one))
})

test('long texts that are almost media types are decided at once', { timeout: 5_000 }, () => {
  assert.ok(!isMediaType(`a/b${';'.repeat(100_000)}x`))
  assert.ok(!isMediaType(`a/b${' ;\t'.repeat(100_000)}x`))
  assert.ok(!isMediaType(`a/b;a="${'\\x'.repeat(100_000)}`))
})

test('a registration with a wrong MIME type is an error event, and is not listed', async (t) => {
  const page = await testPage(t)
  for (const [i, mimeType] of ['not a mime type', 'text/plain\r\nX: y'].entries()) {
    page.mcp.resource({ uri: `a:wrong-${i}`, name: 'Wrong', mimeType }, 'x')
    page.mcp.template({ uriTemplate: 'a:{wrong}', name: 'Wrong', mimeType }, () => 'x')
  }
  page.mcp.resource({ uri: 'a:right', name: 'Right', mimeType: 'text/plain; charset=utf-8' }, 'x')
  const client = page.client()
  const listed = resultOf(await client.askModern('resources/list')) as { resources: object[] }
  assert.deepEqual(
    listed.resources.map((one) => (one as { uri: string }).uri),
    ['a:right'],
  )
  assert.equal(page.errors.length, 4)
  for (const error of page.errors) assert.match(String(error), /mimeType is not a media type/)
})

test("a wrong MIME type in contents is the provider's error", async (t) => {
  const page = await testPage(t)
  const mimeType = 'text/plain\r\nX: y'
  page.mcp.resource({ uri: 'a:b', name: 'B' }, () =>
    contents([{ uri: 'a:b', text: 'x', mimeType }]),
  )
  page.mcp.mount(
    {
      list: async () => ({ resources: [] }),
      read: async (uri) => [{ uri, text: 'x', mimeType }],
    },
    'src+',
  )
  const client = page.client()
  for (const uri of ['a:b', 'src+a:b']) {
    const { error } = await client.askModern('resources/read', { uri })
    assert.equal((error as { code: number }).code, -32603, uri)
  }
  assert.equal(page.errors.length, 2)
  for (const error of page.errors) assert.match(String(error), /is not a media type/)
})
