/**
 * The official conformance suite: assistant → HTTP → gateway → WebSocket → a page in a real browser. Both requirement
 * sets on one URL, in full: no failure and no warning. What is beyond the requirements and not built is listed in
 * testdata/conformance-expected.txt, which may only shrink.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { type Subject, startSubject } from './subject.ts'
import { type Outcome, passed, required, run, table } from './suite.ts'

const listFile = join(import.meta.dirname, '../../../testdata/conformance-expected.txt')

let subject: Subject
let url: string
let expected: Set<string>
before(
  async () => {
    subject = await startSubject('conformance')
    url = subject.front.url('/mcp/conformance')
    const lines = (await readFile(listFile, 'utf8')).split('\n')
    expected = new Set(lines.filter((line) => line !== '' && !line.startsWith('#')))
  },
  { timeout: 300_000 },
)
after(() => subject?.close())

const timeout = 240_000 // ms, for a run of some fifty scenarios

for (const [revision, count] of [
  ['2025-11-25', 30],
  ['2026-07-28', 37],
] as const) {
  test(`what ${revision} requires`, { timeout }, async () => {
    const wanted = await required(revision)
    assert.equal(wanted.length, count)
    const outcomes = await run(url, '--requirements', revision)
    const known = new Map(outcomes.map((outcome) => [outcome.scenario, outcome]))
    const scored = wanted.map(
      (name) => known.get(name) ?? { scenario: name, counts: {}, problems: ['did not run'] },
    )
    const rest = outcomes.filter(({ scenario }) => !wanted.includes(scenario))
    console.log(table(`required by ${revision}`, scored))
    console.log(table(`beyond what ${revision} requires`, rest))
    assert.deepEqual(
      scored.filter((one) => !passed(one) || !one.counts.SUCCESS),
      [],
    )
    compareWithExpected(revision, rest)
  })
}

/** What fails is listed, and what is listed fails. */
function compareWithExpected(revision: string, outcomes: readonly Outcome[]) {
  const failing = outcomes
    .filter((one) => !passed(one))
    .map(({ scenario }) => `${revision} ${scenario}`)
  const listed = [...expected].filter((line) => line.startsWith(`${revision} `))
  assert.deepEqual(failing.sort(), listed.sort(), 'testdata/conformance-expected.txt')
}

// The counts are those of the suite: fewer would mean that something was not tried.
for (const [scenario, revision, checks] of [
  ['server-session-lifecycle', '2025-11-25', 3],
  ['json-schema-2020-12', '2025-11-25', 8],
  ['json-schema-2020-12', '2026-07-28', 8],
  ['http-header-validation', '2026-07-28', 14],
  ['http-custom-header-server-validation', '2026-07-28', 10],
] as const) {
  test(`beyond the requirements: ${scenario} of ${revision}`, { timeout }, async () => {
    const outcomes = await run(url, '--scenario', scenario, '--spec-version', revision)
    console.log(table(`${scenario} of ${revision}`, outcomes))
    const [outcome] = outcomes
    assert.ok(outcome !== undefined && passed(outcome), 'failed')
    assert.equal(outcome.counts.SUCCESS, checks)
  })
}

for (const revision of ['2025-06-18', '2025-03-26']) {
  test(`everything that there is for ${revision}`, { timeout }, async () => {
    const outcomes = await run(url, '--suite', 'all', '--spec-version', revision)
    console.log(table(`all of ${revision}`, outcomes))
    compareWithExpected(revision, outcomes)
  })
}
