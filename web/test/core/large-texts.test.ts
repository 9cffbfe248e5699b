// Large texts on their way to the engine's Worker: an unchanged one crosses once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type Crossing,
  crossed,
  crossing,
  dropTexts,
  type LargeTexts,
} from '../../src/large-texts.ts'

const large = 'x'.repeat(70_000)
const huge = 'y'.repeat(20 << 20)

/** Both sides of the threads' boundary. */
function boundary() {
  const sent: LargeTexts = new Map()
  const got: LargeTexts = new Map()
  /** A read: what crosses, and what the Worker gets. */
  const read = (ref: number, value: string, mimeType?: string) => {
    const known = got.get(ref)
    const ready = { value, ...(mimeType && { mimeType }) }
    const over = structuredClone(crossing(sent, ref, known?.number, true, ready)) as Crossing
    const ready2 = crossed(got, ref, known, over)
    assert.equal(ready2?.value, value)
    assert.equal(ready2?.mimeType, mimeType)
    return over !== undefined && 'sameAs' in over ? 'same' : 'text'
  }
  return { sent, got, read }
}

test('a large text crosses again only when it has changed', () => {
  const { read } = boundary()
  assert.equal(read(1, large), 'text')
  assert.equal(read(1, large), 'same')
  assert.equal(read(1, large, 'application/json'), 'same')
  assert.equal(read(2, large), 'text', 'of another provider')
  assert.equal(read(1, `${large}!`), 'text')
  assert.equal(read(1, large), 'text', 'the text before is not stored')
  assert.equal(read(1, large), 'same')
})

test('a small text crosses each time, and nothing is stored', () => {
  const { sent, got, read } = boundary()
  assert.equal(read(1, 'small'), 'text')
  assert.equal(read(1, 'small'), 'text')
  assert.equal(sent.get(1), undefined)
  assert.equal(got.get(1), undefined)
})

test('bytes, and no content, cross as they are', () => {
  const { sent, got } = boundary()
  const bytes = { value: new Uint8Array(100_000) }
  assert.equal(crossing(sent, 1, undefined, true, bytes), bytes)
  assert.equal(crossed(got, 1, undefined, bytes), bytes)
  assert.equal(crossing(sent, 1, undefined, true, undefined), undefined)
  assert.equal(crossed(got, 1, undefined, undefined), undefined)
})

test('what is stored is bounded, on both sides', () => {
  const { sent, got, read } = boundary()
  assert.equal(read(1, huge), 'text')
  assert.equal(read(2, huge), 'text')
  assert.deepEqual([sent.get(1), got.get(1)], [undefined, undefined])
  assert.equal(read(2, huge), 'same')
  assert.equal(read(3, huge + huge), 'text')
  assert.deepEqual([sent.get(3), got.get(3)], [undefined, undefined])
  assert.equal(read(1, huge), 'text')
})

test('one side that has dropped a text gets it again', () => {
  const { sent, got, read } = boundary()
  read(1, large)
  dropTexts(sent, 1, 1)
  assert.equal(read(1, large), 'text')
  dropTexts(got, 1, 1)
  assert.equal(read(1, large), 'text')
  assert.equal(read(1, large), 'same')
})

test('texts are dropped with their registration, also one that is on its way', () => {
  const { sent, got, read } = boundary()
  read(4, large)
  read(5, large)
  read(6, large)
  for (const side of [sent, got]) dropTexts(side, 4, 2)
  assert.deepEqual(
    [4, 5, 6].map((ref) => got.has(ref)),
    [false, false, true],
  )
  // The answer of a provider that was removed while it ran.
  const over = crossing(sent, 4, undefined, false, { value: large })
  assert.equal(crossed(got, 4, undefined, over)?.value, large)
  assert.deepEqual([sent.has(4), got.has(4)], [false, false])
})
