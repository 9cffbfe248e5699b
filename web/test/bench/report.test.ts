/** The arithmetic of the benchmark, and what its generator keeps. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Goal, goalTable } from '../../bench/goals.ts'
import { median, ratio, type Section } from '../../bench/report.ts'
import { type Results, resultsText, updatedText } from '../../bench/results.ts'

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
  key: 'k',
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

test('what is written by hand stays when results are generated again', () => {
  const setting = { date: '2026-01-01T00:00', cores: 2, cpu: 'x', versions: { go: '1' } }
  const run: Results = { setting, sections: [section('worker chromium')] }
  const first = resultsText('', [run])
  const marker = '<!-- worker chromium: written by hand -->'
  const written = first.replace(marker, `${marker}\n\nThe reason.\n`)
  assert.ok(written.includes('The reason.'))
  assert.equal(resultsText(written, [run]), written)
})

test('of each part the last run counts', () => {
  const setting = { date: '2026-01-01T00:00', cores: 2, cpu: 'x', versions: {} }
  const later = { ...row, rounds: [{ ours: 7, ts1: 1 }] }
  const text = resultsText('', [
    { setting, sections: [section('plain chromium')] },
    { setting, sections: [{ name: 'plain chromium', unit: 'µs', rows: [later] }] },
  ])
  assert.equal(text.match(/### plain chromium/g)?.length, 1)
  assert.match(text, /\| ping +\| +7\.00 /)
})

test('an update replaces the tables of its own parts only', () => {
  const setting = { date: '2026-01-01T00:00', cores: 2, cpu: 'x', versions: {} }
  const sections = [section('plain chromium'), section('worker chromium')]
  const later = { ...row, rounds: [{ ours: 7, ts1: 1, plain: 1 }] }
  const update: Results = {
    setting,
    sections: [{ name: 'plain chromium', unit: 'µs', rows: [later] }],
  }
  const marker = '<!-- plain chromium: written by hand -->'
  const old = resultsText('', [{ setting, sections }]).replace(marker, `${marker}\n\nThe reason.\n`)
  const text = updatedText(old, [update])
  assert.match(
    text,
    /### plain chromium\n\nExact\.\n\n.*\n.*\n\| ping +\| +7\.00 .*\n\n<!--.*\n\nThe reason\./,
  )
  const from = '### worker chromium'
  assert.equal(text.slice(text.indexOf(from)), old.slice(old.indexOf(from)))
  assert.throws(() => updatedText('', [update]), /no part/)
})

const several: Goal = { ...goal, rows: ['ping', 'list'], atLeast: [1, 2] }

test('each row of a goal may have a bound of its own', () => {
  const rows = [row, { ...row, workload: 'list' }]
  const lines = goalTable(several, [{ name: 's', unit: 'µs', rows }]) ?? ''
  assert.match(lines, /ping .* met .*\n.*list .* missed by 50 %/)
})
