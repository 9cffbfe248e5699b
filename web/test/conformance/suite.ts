/** Runs the official conformance suite against a URL, and reads what it found. */

import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const web = join(import.meta.dirname, '..', '..')
const node = join(web, 'node_modules', '.bin', 'node')
const suite = join(web, 'node_modules', '@modelcontextprotocol', 'conformance')
const program = join(suite, 'dist', 'index.js')

/** How long one run may take; one scenario, 30 s. */
const runTimeout = 180_000 // ms

/** What became of one scenario. */
export interface Outcome {
  scenario: string
  /** How many checks had which status: SUCCESS, FAILURE, WARNING, SKIPPED or INFO; LATE: a warning after a wait. */
  counts: { readonly [status: string]: number }
  /** What failed, or was warned of: id and message. */
  problems: string[]
}

/** Whether nothing was found: no failure and no warning. */
export const passed = ({ counts }: Outcome): boolean => !counts.FAILURE && !counts.WARNING

/** What a revision requires of servers, as the suite's own list has it. */
export async function required(revision: string): Promise<string[]> {
  const text = await readFile(join(suite, 'requirements', `${revision}.yaml`), 'utf8')
  const section = /^server:\n((?: {2}- .+\n)+)/m.exec(text)?.[1] ?? ''
  return section.split('\n').flatMap((line) => line.match(/^ {2}- (\S+)/)?.[1] ?? [])
}

/** Runs scenarios; `options` are those of `conformance server`, without `--url`. */
export async function run(url: string, ...options: string[]): Promise<Outcome[]> {
  const output = await mkdtemp(join(tmpdir(), 'pagemcp-conformance-'))
  try {
    const all = [program, 'server', '--url', url, ...options, '-o', output]
    // It ends with 1 if anything that it scores failed: what did is in its files.
    const said = await promisify(execFile)(node, all, { timeout: runTimeout, maxBuffer: 1 << 28 })
      .then(({ stdout, stderr }) => stdout + stderr)
      .catch(({ stdout, stderr, message }) => `${message}\n${stdout}${stderr}`)
    const outcomes = await Promise.all(
      (await readdir(output)).sort().map((one) => read(output, one)),
    )
    if (outcomes.length === 0) throw new Error(`the suite ran nothing: ${said}`)
    return outcomes
  } finally {
    await rm(output, { recursive: true, force: true })
  }
}

/**
 * The warning after a wait of 1.5 s, which a busy machine may exceed: a test must not depend on it. That each change of a
 * list is announced is shown by testdata/transcripts/listen-list-changed.txtar, through two engines as well.
 */
const late = /no notifications\/\S+ arrived on the open subscription stream/

async function read(output: string, directory: string): Promise<Outcome> {
  const scenario = directory.replace(/^server-/, '').replace(/-\d{4}-\d\d-\d\dT[\d-]+Z$/, '')
  const checks = JSON.parse(await readFile(join(output, directory, 'checks.json'), 'utf8')) as {
    id: string
    status: string
    errorMessage?: string
  }[]
  const counts: { [status: string]: number } = {}
  const problems: string[] = []
  for (const { id, status: said, errorMessage } of checks) {
    const isLate = said === 'WARNING' && late.test(errorMessage ?? '')
    const status = isLate ? 'LATE' : said
    counts[status] = (counts[status] ?? 0) + 1
    if (isLate || status === 'FAILURE' || status === 'WARNING')
      problems.push(`${status} ${id}: ${errorMessage}`)
  }
  return { scenario, counts, problems }
}

/** What was not tried at all, such as tasks without tasks, is neither good nor bad. */
const mark = (outcome: Outcome) =>
  passed(outcome) ? (outcome.counts.SUCCESS ? 'ok  ' : 'none') : 'FAIL'

/** The table of a run, as people read it. */
export function table(title: string, outcomes: readonly Outcome[]): string {
  const lines = outcomes.map((outcome) => {
    const counts = Object.entries(outcome.counts).map(
      ([status, n]) => `${n} ${status.toLowerCase()}`,
    )
    const head = `${mark(outcome)} ${outcome.scenario}: ${counts.join(', ')}`
    return [head, ...outcome.problems.map((problem) => `       ${problem}`)].join('\n')
  })
  const good = outcomes.filter((outcome) => mark(outcome) === 'ok  ').length
  return `\n${title}: ${good} of ${outcomes.length} scenarios\n${lines.join('\n')}\n`
}
