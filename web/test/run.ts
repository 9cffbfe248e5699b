/**
 * Runs test files as `node --test` does, one process each, with browsers that the files share; see harness/keeper.ts.
 * Ends with the files that took longest, which begin first the next time. Takes file names and patterns, as `node test/run.ts --jobs 1 test/idb/a.test.ts`.
 * With CI=true, files that fail run once more, alone; see harness/repeat.ts. A file that does not end within `--limit` is
 * killed, and fails.
 */

import * as fs from 'node:fs'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { parseArgs } from 'node:util'
import { addressVariable, keepBrowsers } from './harness/keeper.ts'
import { keepPace, limitVariable, most, paceVariable } from './harness/pace.ts'
import { repeats } from './harness/platforms.ts'
import { collectFailures, repeat, runAlone } from './harness/repeat.ts'
import { isWhole } from './harness/whole.ts'

// @types/node of Node 20 does not know it; tests run in Node 24.
const { globSync } = fs as unknown as {
  globSync(patterns: readonly string[], options: { cwd: string }): string[]
}

const web = join(import.meta.dirname, '..')

/** How long one test may take that does not say it, ms. */
const timeout = 300_000

/** How many of the slowest files are printed. */
const shown = 10

/**
 * How long each file took when it ran last, ms. What takes longest begins first: if it began last, it would run alone
 * at the end.
 */
const durationsFile = join(web, '../.cache/test-durations.json')

/** What begins first where no run has ended yet, as in a fresh clone. */
const longest = [
  'test/tabs/tabs.test.ts',
  'test/attack/port.test.ts',
  'test/docs/site.test.ts',
  'test/extension/firefox.test.ts',
  'test/playground/apps/apps.test.ts',
  'test/e2e/names.test.ts',
  'test/demo/pages.test.ts',
  'test/playground/shell/axe.test.ts',
]

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: String(most) }, // at most; see harness/pace.ts
    limit: { type: 'string', default: process.env[limitVariable] ?? '600000' }, // how long a file may run, ms; begin.ts ends it then
  },
})
const patterns = positionals.length > 0 ? positionals : ['test/**/*.test.ts']
const durations = readDurations()
const last = (file: string) => durations[file] ?? (longest.includes(file) ? Number.MAX_VALUE : 0)
const isNamed = (file: string) => patterns.includes(file)
const isLeft = (file: string) => !isWhole && relative('test', file) in repeats && !isNamed(file)
const found = [...new Set(globSync(patterns, { cwd: web }))]
const files = found
  .filter((file) => !isLeft(file))
  .sort()
  .sort((a, b) => last(b) - last(a))
if (files.length === 0) throw new Error(`no test files: ${patterns.join(' ')}`)

for (const file of found.filter(isLeft)) console.log(`left to make test-all: ${file}`)

// Each file is a process that loads some 200 modules, most of them Puppeteer's: compiled once, that takes 0.1 s less.
process.env.NODE_COMPILE_CACHE = join(web, '../.cache/compiled')
const browsers = await keepBrowsers()
process.env[addressVariable] = browsers.address
const pace = await keepPace()
process.env[paceVariable] = pace.address
process.env[limitVariable] = options.limit
const took: { [file: string]: number } = {}
let success = false
const paths = files.map((file) => resolve(web, file))
const { events, failures } = collectFailures(paths)
const tests = run({
  files: paths,
  concurrency: Number(options.jobs),
  cwd: web,
  execArgv: [...process.execArgv, '--import', join(web, 'test/harness/begin.ts')],
  timeout,
} as Parameters<typeof run>[0])
tests.on(
  'test:summary' as never,
  ((summary: { file?: string; duration_ms: number; success: boolean }) => {
    if (summary.file === undefined) success = summary.success
    else took[relative(web, summary.file)] = summary.duration_ms
  }) as never,
)
await pipeline(tests, events, new spec(), process.stdout, { end: false })
await browsers.close()
pace.close()

for (const file of paths) {
  const isKnown = relative(web, file) in took || failures.some((failure) => failure.file === file)
  if (isKnown) continue
  console.log(`the results of ${file} are lost`)
  failures.push({ file, output: 'its results are lost' })
  success = false
}

const all = Object.entries(took).sort(([, a], [, b]) => b - a)
const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1).padStart(7)} s`
console.log(`slowest of ${all.length} files:`)
for (const [file, ms] of all.slice(0, shown)) console.log(`${inSeconds(ms)}  ${file}`)
console.log(
  `${inSeconds(all.reduce((sum, [, ms]) => sum + ms, 0))}  all, at most ${options.jobs} at once`,
)
mkdirSync(dirname(durationsFile), { recursive: true })
writeFileSync(durationsFile, JSON.stringify({ ...durations, ...took }, undefined, 1))
if (!success && process.env.CI === 'true' && failures.length > 0) {
  success = await repeat(failures, process.env.PAGEMCP_FLAKY, runAlone)
}
process.exitCode = success ? 0 : 1

function readDurations(): { readonly [file: string]: number } {
  try {
    return JSON.parse(readFileSync(durationsFile, 'utf8'))
  } catch {
    return {} // no run has ended here
  }
}
