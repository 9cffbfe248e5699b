import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  asBinary,
  encodeValue,
  fieldText,
  maxDepth,
  maxInlineBytes,
  withFields,
} from '../../src/sources/idb-reader.ts'

const shared = { a: 1 }
const cycle: { self?: unknown } = {}
cycle.self = cycle
const looped = new Map<string, unknown>()
looped.set('me', looped)
const withName: unknown[] & { tag?: string } = [1]
withName.tag = 'x'
const sparse: unknown[] = []
sparse[2] = 'c'
sparse.length = 5

/**
 * Each value is cloned first, as IndexedDB does, and compared with its JSON and what is said to be
 * lossy.
 */
const table: [what: string, value: unknown, json: unknown, lossy?: string[]][] = [
  ['null', null, null],
  ['false', false, false],
  ['zero', 0, 0],
  ['empty string', '', ''],
  ['text', 'héllo\n', 'héllo\n'],
  ['lone surrogate', 'a\ud800b', 'a\ud800b'],
  ['number', -1.5e-7, -1.5e-7],
  ['NaN', NaN, { $number: 'NaN' }],
  ['infinities', [Infinity, -Infinity], [{ $number: 'Infinity' }, { $number: '-Infinity' }]],
  ['negative zero', -0, { $number: '-0' }],
  ['BigInt', 2n ** 64n, { $bigint: '18446744073709551616' }],
  ['undefined', undefined, { $undefined: true }],
  ['undefined in an object', { a: undefined }, { a: { $undefined: true } }],
  ['plain', { a: [1, { b: null }], '': 0 }, { a: [1, { b: null }], '': 0 }],
  ['holes', sparse, { $array: { 2: 'c' }, length: 5 }],
  [
    'a long way to one element',
    sparseTo(2 ** 32 - 2),
    { $array: { 4294967294: 'end' }, length: 2 ** 32 - 1 },
  ],
  ['named property of an array', withName, { $array: { 0: 1, tag: 'x' }, length: 1 }],
  ['Date', new Date(0), { $date: '1970-01-01T00:00:00.000Z' }],
  ['invalid Date', new Date(NaN), { $date: null }],
  [
    'Map',
    new Map<unknown, unknown>([
      ['a', 1],
      [{ k: 1 }, new Set([2])],
    ]),
    {
      $map: [
        ['a', 1],
        [{ k: 1 }, { $set: [2] }],
      ],
    },
  ],
  ['Set', new Set(['', 0]), { $set: ['', 0] }],
  ['RegExp', /a\/b/gi, { $regexp: { source: 'a\\/b', flags: 'gi' } }],
  ['Error', new TypeError('no'), { $error: { name: 'TypeError', message: 'no' } }, ['']],
  [
    'boxed',
    [Object(true), Object(1n)],
    [{ $object: 'Boolean' }, { $object: 'BigInt' }],
    ['/0', '/1'],
  ],
  [
    'ArrayBuffer',
    { a: new Uint8Array([1, 2, 255]).buffer },
    { a: { $bytes: 'AQL/', type: 'ArrayBuffer' } },
  ],
  [
    'typed array',
    { a: new Float32Array([1]) },
    { a: { $bytes: 'AACAPw==', type: 'Float32Array' } },
  ],
  [
    'view of a part',
    { a: new Uint8Array([1, 2, 3, 4]).subarray(1, 3) },
    { a: { $bytes: 'AgM=', type: 'Uint8Array' } },
  ],
  ['DataView', [new DataView(new ArrayBuffer(1))], [{ $bytes: 'AA==', type: 'DataView' }]],
  [
    'Blob',
    { a: new Blob(['hi'], { type: 'text/plain' }) },
    { a: { $blob: 'aGk=', type: 'text/plain', size: 2 } },
  ],
  ['cycle', cycle, { self: { $ref: '' } }],
  ['cycle through a Map', looped, { $map: [['me', { $ref: '' }]] }],
  ['shared', { 'x/y~': shared, z: [shared] }, { 'x/y~': { a: 1 }, z: [{ $ref: '/x~1y~0' }] }],
  ['the same Date twice', twice(new Date(0)), twice({ $date: '1970-01-01T00:00:00.000Z' })],
  [
    'names like tags',
    { $date: 1, $$date: 2, $id: 3, $: 4 },
    { $$date: 1, $$$date: 2, $id: 3, $: 4 },
  ],
  [
    '__proto__',
    JSON.parse('{"__proto__": {"a": 1}, "toJSON": 1}'),
    JSON.parse('{"__proto__": {"a": 1}, "toJSON": 1}'),
  ],
]

for (const [what, value, json, lossy = []] of table) {
  test(`encodes ${what}`, async () => {
    const encoded = await encodeValue(structuredClone(value))
    assert.deepEqual(JSON.parse(encoded.text), json)
    assert.deepEqual(encoded.lossy, lossy)
  })
}

test('says where $ref leads: a JSON Pointer into the JSON that is served', async () => {
  const inner = [new Date(0)]
  const { text } = await encodeValue(
    structuredClone(
      new Map([
        ['$date', { $date: inner }],
        ['b', { $date: inner }],
      ]),
    ),
  )
  const json = JSON.parse(text)
  assert.equal(json.$map[1][1].$$date.$ref, '/$map/0/1/$$date')
  assert.deepEqual(json.$map[0][1].$$date, [{ $date: '1970-01-01T00:00:00.000Z' }])
})

test('a billion laughs stay short', async () => {
  let value: unknown = 'ha'
  for (let i = 0; i < 60; i++) value = [value, value]
  assert.ok((await encodeValue(structuredClone(value))).text.length < 10_000)
})

test('stops at the depth bound and says where', async () => {
  let value: unknown = { end: true }
  for (let i = 0; i < maxDepth + 50; i++) value = [value]
  const { text, lossy } = await encodeValue(value)
  assert.deepEqual(lossy, ['/0'.repeat(maxDepth)])
  assert.equal(text, `${'['.repeat(maxDepth)}{"$deep":"Array"}${']'.repeat(maxDepth)}`)
})

test('bytes beyond the bound are described', async () => {
  const { text, lossy } = await encodeValue({
    buffer: new Uint8Array(maxInlineBytes + 1),
    blob: new Blob([new Uint8Array(maxInlineBytes + 1)]),
    fits: new Blob([new Uint8Array(maxInlineBytes)]),
  })
  const json = JSON.parse(text)
  assert.deepEqual(json.buffer, { $bytes: null, type: 'Uint8Array', size: maxInlineBytes + 1 })
  assert.deepEqual(json.blob, { $blob: null, type: '', size: maxInlineBytes + 1 })
  assert.equal(json.fits.$blob.length, Math.ceil(maxInlineBytes / 3) * 4)
  assert.deepEqual(lossy, ['/buffer', '/blob'])
})

test('the list of losses is bounded', async () => {
  const { lossy } = await encodeValue(Array.from({ length: 1000 }, () => new Error('no')))
  assert.equal(lossy.length, 101)
  assert.equal(lossy.at(-1), '…')
})

test('a record that is bytes as a whole is a blob with its type', async () => {
  assert.equal(asBinary(new Blob(['x'], { type: 'image/png' }))?.mimeType, 'image/png')
  assert.equal(asBinary(new Blob(['x']))?.mimeType, 'application/octet-stream')
  const part = asBinary(new Uint8Array([1, 2, 3, 4]).subarray(1, 3))?.blob
  assert.deepEqual(part, new Uint8Array([2, 3]))
  assert.deepEqual(asBinary(new ArrayBuffer(2))?.blob, new Uint8Array(2))
  assert.equal(asBinary({ size: 1, type: 'image/png' }), undefined)
})

test('fields narrow plain objects, and leave nothing of others', () => {
  const record = { title: 'a', secret: 1, none: undefined }
  assert.deepEqual(
    { ...withFields(record, ['title', 'none', 'toString', 'absent']) },
    { title: 'a', none: undefined },
  )
  for (const other of ['text', 0, null, [1], new Map([['title', 1]]), new Blob(['x'])]) {
    assert.deepEqual(Object.keys(withFields(other, ['title', 'size', '0', 'length'])), [])
  }
})

test('names and titles are text or numbers of own fields', () => {
  assert.equal(fieldText({ title: 'a\ud800' }, 'title'), 'a\ufffd')
  assert.equal(fieldText({ title: 0 }, 'title'), '0')
  for (const title of ['', true, null, {}, new Date()])
    assert.equal(fieldText({ title }, 'title'), undefined)
  assert.equal(fieldText({}, 'constructor'), undefined)
  assert.equal(fieldText('text', 'length'), undefined)
  assert.equal(fieldText({ title: 'a' }, undefined), undefined)
})

function twice<T>(value: T): T[] {
  return [value, value]
}

function sparseTo(index: number): unknown[] {
  const array: unknown[] = []
  array[index] = 'end'
  return array
}
