/**
 * What the official conformance suite has to find at a URL: both requirement sets in full, without a failure and
 * without a warning. What is beyond the requirements and not built is listed in testdata/conformance-expected.txt,
 * which may only shrink.
 */

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Outcome, passed, required, run, table } from './suite.ts'

const listFile = join(import.meta.dirname, '../../../testdata/conformance-expected.txt')

/** For a run of some fifty scenarios. */
export const timeout = 240_000 // ms

/** The revisions with a list of requirements, and how many there are. */
export const sets = [
  ['2025-11-25', 30],
  ['2026-07-28', 37],
] as const

/** Scenarios of the extension for tasks, SEP-2663, which belongs to the second revision. */
const taskScenarios = 10

/** Where the suite connects: to the fixtures' page alone, or to all pages. */
export type Endpoint = (which: 'page' | 'all') => string

/** Makes a test of each revision's requirements. */
export function testRequirements(url: Endpoint): void {
  for (const [revision, count] of sets) {
    test(`what ${revision} requires`, { timeout }, async () => {
      const rest = await meetRequirements(url('page'), revision, count)
      console.log(table(`beyond what ${revision} requires`, rest))
      const tasks = rest.filter(({ scenario }) => scenario.startsWith('tasks-'))
      assert.equal(tasks.length, revision === '2026-07-28' ? taskScenarios : 0)
      await compareWithExpected(revision, rest)
    })
  }
}

/** Makes tests of scenarios that no revision requires, and of older revisions. */
export function testTheRest(url: Endpoint): void {
  // The counts are those of the suite: fewer would mean that something was not tried.
  for (const [scenario, revision, checks] of [
    ['server-session-lifecycle', '2025-11-25', 3],
    ['http-header-validation', '2026-07-28', 14],
    ['http-custom-header-server-validation', '2026-07-28', 10],
  ] as const) {
    test(`beyond the requirements: ${scenario} of ${revision}`, { timeout }, async () => {
      const outcomes = await run(url('page'), '--scenario', scenario, '--spec-version', revision)
      console.log(table(`${scenario} of ${revision}`, outcomes))
      const [outcome] = outcomes
      assert.ok(outcome !== undefined && passed(outcome), 'failed')
      assert.equal(outcome.counts.SUCCESS, checks)
    })
  }

  // SEP-2640 is an extension: it is in no list of a revision. resources/directory/read is optional, and not built.
  for (const scenario of ['sep-2640-skills-enumeration', 'sep-2640-skills-manifest']) {
    for (const which of ['page', 'all'] as const) {
      test(`skills of ${which}: ${scenario}`, { timeout }, async () => {
        const outcomes = await run(url(which), '--scenario', scenario)
        console.log(table(`${scenario} of ${which}`, outcomes))
        const [outcome] = outcomes
        assert.ok((outcome?.counts.SUCCESS ?? 0) > 5, 'it has tried something')
        // The gateway's schemes begin with the name of the page; SEP-2640 permits any.
        const problems = outcome?.problems.filter((one) => !one.includes('explicitly permitted'))
        assert.deepEqual(problems, [])
      })
    }
  }

  for (const revision of ['2025-06-18', '2025-03-26']) {
    test(`everything that there is for ${revision}`, { timeout }, async () => {
      const outcomes = await run(url('page'), '--suite', 'all', '--spec-version', revision)
      console.log(table(`all of ${revision}`, outcomes))
      await compareWithExpected(revision, outcomes)
    })
  }
}

/** Runs what a revision requires; returns what was run besides. */
export async function meetRequirements(
  at: string,
  revision: string,
  count: number,
): Promise<Outcome[]> {
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
async function compareWithExpected(revision: string, outcomes: readonly Outcome[]): Promise<void> {
  const failing = outcomes
    .filter((one) => !passed(one))
    .map(({ scenario }) => `${revision} ${scenario}`)
  const lines = (await readFile(listFile, 'utf8')).split('\n')
  const listed = lines.filter((line) => line.startsWith(`${revision} `))
  assert.deepEqual(failing.sort(), listed.sort(), 'testdata/conformance-expected.txt')
}
