import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import {
  keyFromSegment,
  keyFromText,
  keyLabel,
  keySegment,
  keyText,
  nameSegment,
} from '../../src/sources/idb-open.ts'
import { type KeyCase, makeKey, makeName, type UriTable } from './key-cases.ts'
import { random } from './random.ts'

const table: UriTable = JSON.parse(
  readFileSync(new URL('../../../testdata/uris.json', import.meta.url), 'utf8'),
)

test('every key of the table has its text and its segment', () => {
  for (const { key, text, segment } of table.keys) {
    assert.equal(keyText(makeKey(key)), text)
    assert.equal(keySegment(makeKey(key)), segment)
  }
})

test('every text and every segment lead back to the key', () => {
  for (const { key, text, segment } of table.keys) {
    assert.deepEqual(keyFromText(text), makeKey(key), text)
    assert.deepEqual(keyFromSegment(segment), makeKey(key), segment)
  }
})

test('equal keys have the same text', () => {
  for (const { key, text } of table.same) assert.equal(keyText(makeKey(key)), text)
  const bytes = new Uint8Array([0, 222, 173, 190, 239, 0])
  const view = new DataView(bytes.buffer, 1, 4)
  assert.equal(keyText(view), keyText(bytes.slice(1, 5)))
  assert.equal(keyText(view), 'b.3q2-7w')
})

test('any percent-encoding of a text names the key', () => {
  for (const { segment, text } of table.spellings) {
    const key = keyFromSegment(segment)
    assert.notEqual(key, undefined, segment)
    assert.equal(keyText(key as IDBValidKey), text)
  }
})

test('a segment that is no key is refused', () => {
  for (const segment of table.refused) assert.equal(keyFromSegment(segment), undefined, segment)
})

test('hostile nesting is refused and does not exhaust the stack', () => {
  const nested = (depth: number) => `a.${'['.repeat(depth)}${']'.repeat(depth)}`
  assert.notEqual(keyFromText(nested(2000)), undefined)
  assert.equal(keyFromText(nested(2001)), undefined)
  assert.equal(keyFromText(nested(1_000_000)), undefined)
})

test('random keys come back from their segments, and only equal ones share one', () => {
  const next = random(2026)
  const seen = new Map<string, string>()
  for (let i = 0; i < 5000; i++) {
    const key = randomKey(next, 3)
    const segment = keySegment(key)
    assert.deepEqual(keyFromSegment(segment), key, segment)
    const canonical = JSON.stringify(described(key))
    assert.equal(seen.get(segment) ?? canonical, canonical)
    seen.set(segment, canonical)
  }
})

test('names of databases and stores have injective segments', () => {
  const segments = table.names.map((name) => nameSegment(makeName(name)))
  assert.deepEqual(
    segments,
    table.names.map(({ segment }) => segment),
  )
  assert.equal(new Set(segments).size, segments.length)
})

test('labels are for people', () => {
  assert.equal(keyLabel(7), '7')
  assert.equal(keyLabel('welcome'), 'welcome')
  assert.equal(keyLabel('\ud800'), '\ufffd')
  assert.equal(keyLabel(new Date(0)), '1970-01-01T00:00:00.000Z')
  assert.equal(keyLabel(['a', 1, [2]]), '[a, 1, [2]]')
})

function randomKey(next: (below: number) => number, depth: number): IDBValidKey {
  const units = [0x2e, 0x31, 0x61, 0x2f, 0x25, 0x22, 0x5c, 0xe9, 0x3042, 0xd83d, 0xde00, 0xfffd]
  switch (next(depth > 0 ? 5 : 4)) {
    case 0:
      return [0, 1, -1, 0.5, 1e21, Infinity, -Infinity, next(1000)][next(8)] as number
    case 1:
      return String.fromCharCode(...Array.from({ length: next(4) }, () => units[next(12)] ?? 0))
    case 2:
      return new Date([0, 1, -1, next(2 ** 32)][next(4)] as number)
    case 3:
      return Uint8Array.from({ length: next(4) }, () => next(256)).buffer
    default:
      return Array.from({ length: next(4) }, () => randomKey(next, depth - 1))
  }
}

/** A key as JSON that tells all keys apart; written apart from the code under test. */
function described(key: IDBValidKey): KeyCase {
  if (Array.isArray(key)) return { array: key.map(described) }
  if (typeof key === 'number') return { number: String(key) }
  if (typeof key === 'string')
    return { utf16: Array.from({ length: key.length }, (_, i) => key.charCodeAt(i)) }
  if (key instanceof Date) return { date: key.getTime() }
  return { bytes: Buffer.from(key as ArrayBuffer).toString('hex') }
}
