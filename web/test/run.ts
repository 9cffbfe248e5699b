/**
 * Runs test files as `node --test` does, one process each, with browsers that the files share; see harness/keeper.ts.
 * Ends with the files that took longest. Takes file names and patterns, as `node test/run.ts --jobs 1 test/idb/a.test.ts`.
 * With CI=true, files that fail run once more, alone; see harness/repeat.ts.
 */

import * as fs from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { addressVariable, keepBrowsers } from './harness/keeper.ts'
import { collectFailures, repeat, runAlone } from './harness/repeat.ts'

// @types/node of Node 20 does not know it; tests run in Node 24.
const { globSync } = fs as unknown as {
  globSync(patterns: readonly string[], options: { cwd: string }): string[]
}

const web = join(import.meta.dirname, '..')

/** How long one test may take that does not say it, and one file, ms. */
const timeout = 300_000

/** How many of the slowest files are printed. */
const shown = 15

/** What takes longest begins first: if it began last, it would run alone at the end. */
const longest = [
  'test/playground/shell/axe.test.ts',
  'test/demo/pages.test.ts',
  'test/docs/site.test.ts',
  'test/playground/shell/introduction.test.ts',
  'test/extension/firefox.test.ts',
  'test/mcp-b/mcp-b.test.ts',
  'test/attack/port.test.ts',
  'test/tabs/tabs.test.ts',
]

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    // One for each core: browsers use several. More of them save a tenth of the time, and tests that wait fail now and then.
    jobs: { type: 'string', default: String(availableParallelism()) },
  },
})
const patterns = positionals.length > 0 ? positionals : ['test/**/*.test.ts']
const rank = (file: string) => (longest.includes(file) ? longest.indexOf(file) : longest.length)
const files = [...new Set(globSync(patterns, { cwd: web }))]
  .sort()
  .sort((a, b) => rank(a) - rank(b))
if (files.length === 0) throw new Error(`no test files: ${patterns.join(' ')}`)

const browsers = await keepBrowsers()
process.env[addressVariable] = browsers.address
const took: { file: string; ms: number }[] = []
let success = false
const paths = files.map((file) => resolve(web, file))
const { events, failures } = collectFailures(paths)
const tests = run({
  files: paths,
  concurrency: Number(options.jobs),
  cwd: web,
  timeout,
} as Parameters<typeof run>[0])
tests.on(
  'test:summary' as never,
  ((summary: { file?: string; duration_ms: number; success: boolean }) => {
    if (summary.file === undefined) success = summary.success
    else took.push({ file: relative(web, summary.file), ms: summary.duration_ms })
  }) as never,
)
await pipeline(tests, events, new spec(), process.stdout, { end: false })
await browsers.close()

console.log('slowest files:')
for (const { file, ms } of took.toSorted((a, b) => b.ms - a.ms).slice(0, shown)) {
  console.log(`${(ms / 1000).toFixed(1).padStart(7)} s  ${file}`)
}
if (!success && process.env.CI === 'true' && failures.length > 0) {
  success = await repeat(failures, process.env.PAGEMCP_FLAKY, runAlone)
}
process.exitCode = success ? 0 : 1
