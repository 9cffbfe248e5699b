import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseFilter } from '../../../playground/timeline/filter.ts'
import { between, moved, type Range, withRange, zoomed } from '../../../playground/timeline/zoom.ts'

const whole = { from: 0, to: 1000 }
const text = (range: Range | undefined) => (range ? `${range.from}..${range.to}` : 'whole')

for (const [name, range, expected] of [
  ['the middle keeps its place', zoomed({ from: 200, to: 600 }, whole, 0.5), '300..500'],
  ['a place keeps its time', zoomed({ from: 200, to: 600 }, whole, 0.5, 0.25), '250..450'],
  ['out', zoomed({ from: 400, to: 500 }, whole, 2), '350..550'],
  ['out at the edge', zoomed({ from: 0, to: 100 }, whole, 2), '0..200'],
  ['out at the end', zoomed({ from: 900, to: 1000 }, whole, 4), '600..1000'],
  ['out beyond everything', zoomed({ from: 200, to: 800 }, whole, 2), 'whole'],
  ['no shorter than a millisecond', zoomed({ from: 10, to: 12 }, whole, 0.1, 0), '10..11'],
  ['to the right', moved({ from: 100, to: 300 }, whole, 0.25), '150..350'],
  ['to the left, up to the first message', moved({ from: 20, to: 220 }, whole, -0.25), '0..200'],
  ['to the right, up to the last', moved({ from: 750, to: 950 }, whole, 1), '800..1000'],
  ['the whole stays', moved(whole, whole, 0.25), 'whole'],
  ['dragged', between({ from: 100, to: 200 }, 0.2, 0.7), '120..170'],
  ['dragged to the left, past the edge', between({ from: 100, to: 200 }, 0.7, -3), '100..170'],
] as const) {
  test(`a range is zoomed and moved within the whole: ${name}`, () => {
    assert.equal(text(range), expected)
  })
}

test('a range takes the place of the one in the filter, and leaves everything else', () => {
  const range = { from: 120.04, to: 480.96 }
  for (const [filter, expected] of [
    ['', 'at:120..481ms'],
    ['method:ping', 'method:ping at:120..481ms'],
    ['at:1s..2s dir:in', 'dir:in at:120..481ms'],
    ['dir:in AT:5', 'dir:in at:120..481ms'],
    ['"look at:5 there" at:9', '"look at:5 there" at:120..481ms'],
    ['-at:5 chat:x', '-at:5 chat:x at:120..481ms'],
  ] as const) {
    assert.equal(withRange(filter, range), expected)
    const again = parseFilter(expected).range
    assert.deepEqual(again, { from: 120, to: 481 })
    assert.equal(withRange(expected, undefined), expected.replace(/ ?at:120\.\.481ms/, ''))
  }
})
