import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextIndex } from '../../../playground/timeline/arrow-keys.ts'
import {
  type Listing,
  maxOffset,
  offsetAt,
  reveal,
  scrollTopAt,
  viewAt,
} from '../../../playground/timeline/visible-range.ts'

const list: Listing = { count: 1000, rowHeight: 26, viewport: 260 }

test('the rows in sight are drawn, and a few around them', () => {
  assert.deepEqual(viewAt(list, 0), { first: 0, end: 14, top: 0, height: 26_000 })
  assert.deepEqual(viewAt(list, 2600), { first: 96, end: 114, top: 2496, height: 26_000 })
  assert.equal(viewAt(list, maxOffset(list)).end, 1000)
})

test('a list that fits does not scroll', () => {
  const short = { ...list, count: 3 }
  assert.equal(maxOffset(short), 0)
  assert.deepEqual(viewAt(short, 0), { first: 0, end: 3, top: 0, height: 78 })
  assert.deepEqual(viewAt({ ...list, count: 0 }, 0), { first: 0, end: 0, top: 0, height: 0 })
})

test('a list too tall for an element is scrolled to its last row all the same', () => {
  const long = { ...list, count: 1_000_000 }
  const end = maxOffset(long)
  const view = viewAt(long, end)
  assert.equal(view.height, 12_000_000)
  assert.equal(view.end, 1_000_000)
  // The last row ends where the element ends.
  assert.ok(Math.abs(view.top + (view.end - view.first) * 26 - view.height) < 0.01)
  for (const row of [0, 1, 333_333, 999_000]) {
    const top = scrollTopAt(long, row * 26)
    assert.ok(Math.abs(offsetAt(long, top) - row * 26) < 0.01)
  }
})

test('a row is brought into sight by as little as possible', () => {
  assert.equal(reveal(list, 0, 5), 0)
  assert.equal(reveal(list, 0, 10), 26)
  assert.equal(reveal(list, 260, 3), 78)
})

test('arrows, pages and ends lead to places in the list', () => {
  const from = (key: string) => nextIndex(key, 5, 20, 10)
  assert.deepEqual(['ArrowDown', 'ArrowUp', 'PageDown', 'PageUp', 'Home', 'End', 'x'].map(from), [
    6,
    4,
    15,
    0,
    0,
    19,
    undefined,
  ])
})
