// Small parts by themselves: the JSON data model, contents and their versions, invitations.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeInvitation } from '../../src/connector.ts'
import { bodyOf, provided, toBase64 } from '../../src/contents.ts'
import { measure, notJson } from '../../src/json.ts'
import { readValues } from '../../src/replies.ts'

test('measure accepts what JSON can carry, and nothing else', () => {
  const good = [
    null,
    true,
    0,
    -1.5,
    'x',
    [],
    {},
    { a: [1, { b: null }] },
    { a: undefined },
    Object.create(null),
  ]
  for (const value of good) assert.ok(measure(value, 1000) > 0, JSON.stringify(value))
  const own = { toJSON: () => 1 }
  const bad = [
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    1n,
    Symbol('x'),
    () => 1,
    new Date(),
    new Map(),
    new Set(),
    /x/,
    [undefined],
    new Array(1),
    own,
    new Uint8Array(1),
    { a: { b: 1n } },
  ]
  for (const value of bad) assert.equal(measure(value, 1000), notJson, String(value))
})

test('measure stops at depth 128 and at its limit', () => {
  const deep = (levels: number): unknown => (levels === 0 ? 1 : [deep(levels - 1)])
  assert.ok(measure(deep(128), 1000) > 0)
  assert.equal(measure(deep(129), 1000), notJson)
  const shared = Array.from({ length: 40 }).reduce((inner) => [inner, inner], 'x' as unknown)
  assert.ok(measure(shared, 1000) > 1000)
})

test('measure is never above the length of the text', () => {
  for (const value of [{ a: 'x', b: [1, 2] }, [[]], 'é', { 'a b': { c: false } }]) {
    assert.ok(measure(value, 1000) <= JSON.stringify(value).length, JSON.stringify(value))
  }
})

test('Base64 is the same with and without the built-in', () => {
  const bytes = crypto.getRandomValues(new Uint8Array(40_000))
  const expected = Buffer.from(bytes).toString('base64')
  assert.equal(toBase64(bytes), expected)
  Object.defineProperty(bytes, 'toBase64', { value: undefined })
  assert.equal(toBase64(bytes), expected)
})

test('lone surrogates become U+FFFD, and it is said', () => {
  const body = bodyOf('a\ud800b') as { text: string; lossy: boolean }
  assert.deepEqual([body.text, body.lossy], ['a\ufffdb', true])
})

test('values that wait for their answer are bounded in bytes, and taken once', () => {
  const values = readValues()
  const size = 100 << 20 // bytes
  const refs = [1, 2, 3].map(() => values.keep(new Uint8Array(new ArrayBuffer(size), 0, 1)))
  assert.equal(values.take(refs[0] ?? 0), undefined, 'the oldest was dropped')
  assert.ok(values.take(refs[1] ?? 0))
  assert.equal(values.take(refs[1] ?? 0), undefined)
  assert.ok(values.take(refs[2] ?? 0))
  const huge = values.keep(new ArrayBuffer(3 * size)) // one value is kept, whatever its size
  assert.ok(values.take(huge))
})

test('provided reads what providers answer', () => {
  assert.deepEqual(provided('x'), { value: 'x' })
  assert.equal(provided(undefined), undefined)
  assert.deepEqual(provided(null), { value: 'null', mimeType: 'application/json' })
  assert.deepEqual(provided({ a: 1 }), { value: '{"a":1}', mimeType: 'application/json' })
  const bytes = new Uint8Array(2)
  assert.equal(provided(bytes)?.value, bytes)
  assert.throws(() => provided(() => 1), TypeError)
  assert.throws(() => provided(1n), TypeError)
})

test('an invitation is read, and other text is none', () => {
  const write = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const good = { url: 'ws://127.0.0.1:8808/page', id: 'a', secret: 'b' }
  assert.deepEqual(decodeInvitation(write(good)), good)
  for (const bad of [
    { ...good, url: 'http://x' },
    { ...good, id: 1 },
    { url: good.url },
    null,
    'x',
  ]) {
    assert.equal(decodeInvitation(write(bad)), undefined)
  }
  assert.equal(decodeInvitation('%%%'), undefined)
})
