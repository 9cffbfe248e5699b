import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paced } from './pace.ts'

test('more files than cores begin while the processors rest, and only then', () => {
  const pace = paced(2, 4)
  const begun: number[] = []
  const ends = [0, 1, 2, 3, 4, 5, 6].map((n) => pace.ask(() => begun.push(n)))
  assert.deepEqual(begun, [0, 1])
  pace.look(0.1)
  assert.deepEqual(begun, [0, 1])
  pace.look(0.9) // one at a time: what it does shows at the next look
  assert.deepEqual(begun, [0, 1, 2])
  pace.look(0.9)
  pace.look(0.9)
  assert.deepEqual(begun, [0, 1, 2, 3])
  ends[0]?.()
  assert.deepEqual(begun, [0, 1, 2, 3])
  pace.look(0.1)
  assert.deepEqual(begun, [0, 1, 2, 3])
  ends[4]?.() // its process ended while it waited
  pace.look(0.9)
  assert.deepEqual(begun, [0, 1, 2, 3, 5])
  for (const n of [1, 2]) ends[n]?.()
  assert.deepEqual(begun, [0, 1, 2, 3, 5])
  ends[3]?.() // of two that may run in any case, one runs
  assert.deepEqual(begun, [0, 1, 2, 3, 5, 6])
})
