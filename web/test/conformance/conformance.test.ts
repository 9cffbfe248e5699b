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

let subject: Subject // in Chromium; Firefox has a test of its own
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

const sets = [
  ['2025-11-25', 30],
  ['2026-07-28', 37],
] as const

for (const [revision, count] of sets) {
  test(`what ${revision} requires`, { timeout }, async () => {
    const rest = await meetRequirements(url, revision, count)
    console.log(table(`beyond what ${revision} requires`, rest))
    compareWithExpected(revision, rest)
  })
}

test('what both require, with the page in Firefox', { timeout: 2 * timeout }, async () => {
  const other = await startSubject('conformance', 'firefox')
  try {
    for (const [revision, count] of sets) {
      await meetRequirements(other.front.url('/mcp/conformance'), revision, count)
    }
  } finally {
    await other.close()
  }
})

/** Runs what a revision requires; returns what was run besides. */
async function meetRequirements(at: string, revision: string, count: number): Promise<Outcome[]> {
  const wanted = await required(revision)
  assert.equal(wanted.length, count)
  const outcomes = await run(at, '--requirements', revision)
  const known = new Map(outcomes.map((outcome) => [outcome.scenario, outcome]))
  const scored = wanted.map(
    (scenario) => known.get(scenario) ?? { scenario, counts: {}, problems: ['did not run'] },
  )
  console.log(table(`required by ${revision}`, scored))
  assert.deepEqual(
    scored.filter((one) => !passed(one) || !one.counts.SUCCESS),
    [],
  )
  return outcomes.filter(({ scenario }) => !wanted.includes(scenario))
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
