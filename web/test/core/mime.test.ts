// A content says its MIME type wherever that is known: from the description, from the value, or from its item. R-112.

import assert from 'node:assert/strict'
import { test } from 'node:test'
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
