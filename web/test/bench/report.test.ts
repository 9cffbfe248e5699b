/** The arithmetic of the benchmark. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Goal, goalTable } from '../../bench/goals.ts'
import { median, ratio, type Section } from '../../bench/report.ts'

const rounds = [
  { ours: 1, ts1: 2 },
  { ours: 30, ts1: 20 },
  { ours: 3, ts1: 3 },
]
const row = { workload: 'ping', rounds }
const section = (name: string): Section => ({ name, unit: 'µs', rows: [row] })

test('a ratio is taken within each round, not between medians', () => {
  assert.deepEqual(ratio(row, 'ours', 'ts1'), { q1: 0.75, median: 1, q3: 1.25 })
  assert.equal(median(row, 'ours'), 3)
})

const goal: Goal = {
  title: 't',
  section: 's',
  rows: ['ping'],
  of: 'ours',
  to: ['ts1'],
}

for (const [bound, verdict] of [
  [{ atMost: 1 }, 'met'],
  [{ atMost: 0.8 }, 'missed by 25 %'],
  [{ atLeast: 1 }, 'met'],
  [{ atLeast: 1.25 }, 'missed by 20 %'],
] as const) {
  test(`a ratio of 1 with ${JSON.stringify(bound)} is ${verdict}`, () => {
    const lines = goalTable({ ...goal, ...bound }, [section('s')])?.split('\n') ?? []
    const cells = lines
      .at(-1)
      ?.split('|')
      .map((cell) => cell.trim())
    assert.equal(cells?.[5], verdict)
  })
}

test('a goal without measured rows has no table', () => {
  assert.equal(goalTable(goal, [section('other')]), undefined)
})

const several: Goal = { ...goal, rows: ['ping', 'list'], atLeast: [1, 2] }

test('each row of a goal may have a bound of its own', () => {
  const rows = [row, { ...row, workload: 'list' }]
  const lines = goalTable(several, [{ name: 's', unit: 'µs', rows }]) ?? ''
  assert.match(lines, /ping .* met .*\n.*list .* missed by 50 %/)
})
