/** Which rows a presentation shows of all that the timeline has. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newestOf } from '../../../playground/lessons/newest-rows.ts'

const rows = (length: number) => ({ length, row: (index: number) => index * 2 })

/** Every third row belongs to connection 1. */
const connectionOf = (row: number) => (row % 3 === 0 ? 1 : 2)

for (const [what, all, connections, wanted] of [
  ['none', 0, undefined, []],
  ['all, in their order', 4, undefined, [0, 2, 4, 6]],
  ['those of a connection', 7, new Set([1]), [0, 6, 12]],
  ['of no connection', 7, new Set<number>(), []],
] as const)
  test(`rows of a presentation: ${what}`, () => {
    assert.deepEqual(newestOf(rows(all), connections, connectionOf), wanted)
  })

test('a presentation has a bounded number of rows, the newest, and looks at a bounded number', () => {
  const shown = newestOf(rows(100_000), undefined, connectionOf)
  assert.equal(shown.length, 300)
  assert.equal(shown.at(-1), 199_998)
  let looked = 0
  const none = newestOf(rows(100_000), new Set([7]), () => {
    looked++
    return 1
  })
  assert.deepEqual([none, looked], [[], 20_000])
})
