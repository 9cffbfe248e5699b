// The rings of development mode: what they keep, and how often they announce it.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { linesOf, ring, spaced } from '../../src/dev/ring.ts'

test('a ring keeps the last entries', () => {
  let changes = 0
  const numbers = ring<{ n: number }>(3, () => changes++)
  for (const n of [1, 2, 3, 4, 5]) numbers.add({ n })
  assert.equal(linesOf(numbers.entries()), '{"n":3}\n{"n":4}\n{"n":5}\n')
  assert.equal(changes, 5)
})

test('what is too fast is counted', () => {
  mock.timers.enable({ apis: ['Date'], now: 1e12 })
  try {
    const numbers = ring<{ n: number }>(1000, () => {})
    const log = (times: number) => {
      for (let n = 0; n < times; n++) if (numbers.admits()) numbers.add({ n })
    }
    log(10_000)
    const kept = numbers.entries().length
    assert.ok(kept < 1000)
    mock.timers.setTime(1e12 + 1000)
    log(1)
    assert.equal(numbers.entries().at(-1)?.dropped, 10_000 - kept)
    mock.timers.setTime(1e12) // the clock was set back
    log(1)
    assert.equal(numbers.entries().length, kept + 2)
  } finally {
    mock.timers.reset()
  }
})

test('announcements are spaced: the first at once, the last after all', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    let calls = 0
    const announce = spaced(250, () => calls++)
    for (let i = 0; i < 5; i++) announce()
    assert.equal(calls, 1)
    mock.timers.tick(250)
    assert.equal(calls, 2)
    mock.timers.tick(1000)
    assert.equal(calls, 2)
    announce()
    assert.equal(calls, 3)
  } finally {
    mock.timers.reset()
  }
})
