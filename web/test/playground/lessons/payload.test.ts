/** What an audience sees of a message: folded, and marked by what the caption names. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { namesIn, partsOf } from '../../../playground/lessons/payload-parts.ts'

const text = (raw: string, ...names: string[]) =>
  partsOf(raw, new Set(names))
    .map(({ text, marked }) => (marked ? `<${text}>` : text))
    .join('')

test('names are what a caption writes as code', () => {
  const names = namesIn('The `uri`, not `"notes://today"`; see `params.uri`, `a.b.c` and text.')
  assert.deepEqual([...names], ['uri', 'notes://today', 'params.uri', 'a.b.c', 'c'])
  assert.deepEqual([...namesIn('no code')], [])
})

test('a named member is marked with its value, an object by its name, and a named string anywhere', () => {
  const raw = '{"id":1,"method":"resources/read","params":{"uri":"notes://today"}}'
  assert.equal(
    text(raw, 'uri'),
    '{\n  "id": 1,\n  "method": "resources/read",\n  "params": {\n    <"uri": "notes://today">\n  }\n}',
  )
  assert.match(text(raw, 'params', 'resources/read'), /"method": <"resources\/read">/)
  assert.match(text(raw, 'params'), /<"params">: \{/)
})

test('long content is folded: _meta, items, strings', () => {
  const meta = '{"_meta":{"a":{"b":1}},"x":[1,2,3,4,5,6],"e":{},"l":[]}'
  assert.equal(
    text(meta),
    '{\n  "_meta": {…},\n  "x": [\n    1,\n    2,\n    3,\n    4,\n    … +2\n  ],\n  "e": {},\n  "l": []\n}',
  )
  assert.match(text(meta, 'b'), /<"b": 1>/)
  assert.match(text(meta, '_meta'), /<"_meta">: \{\n/)
  assert.ok(text(JSON.stringify({ long: 'x'.repeat(5000) })).length < 300)
  assert.equal(text('{"broken', 'broken'), '{"broken')
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`k${i}`, i]))
  const marked = partsOf(JSON.stringify(wide), new Set(Object.keys(wide)))
  assert.ok(marked.length <= 600, `${marked.length} parts`)
})
