/**
 * `make bench`: races ours against the TypeScript SDKs and a null echo, all in one page, and prints
 * ratios of the same round beside the goals; then reads of a large page, beside simple functions of
 * the browser, and restarts of an engine. It is not a test, and never fails on a time.
 *
 *     node bench/run.ts [--firefox] [--rounds N]
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import type { Page } from 'puppeteer-core'
import { type BrowserName, close, launch } from '../test/harness/browsers.ts'
import { serve } from '../test/harness/serve.ts'
import type { Round } from './page.ts'
import { type PairRow, pairTable, type Row, table } from './report.ts'

const root = join(import.meta.dirname, '../..')
const { values: flags } = parseArgs({
  options: { firefox: { type: 'boolean', default: false }, rounds: { type: 'string' } },
})

/** The least number of rounds with meaningful results. */
const usualRounds = { chromium: 13, firefox: 5 } // per workload

const quiet = {
  flags: ['--disable-background-timer-throttling', '--disable-renderer-backgrounding'],
  preferences: { 'privacy.reduceTimerPrecision': false },
}

function build(into: string) {
  execFileSync('go', ['run', './cmd/pagemcp', 'build', '--bench', '--out', into], {
    cwd: root,
    stdio: 'inherit',
  })
}

interface Result {
  browser: string
  rows: Row[]
  pairs: PairRow[]
}

async function race(name: BrowserName, url: string): Promise<Result> {
  const browser = await launch(name, quiet)
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    await page.goto(url)
    await page.waitForFunction(() => window.bench !== undefined)
    const { wrong } = await page.evaluate(() => window.bench.prepare())
    if (wrong.length > 0) throw new Error(`wrong answers of ${wrong.join(', ')}: no race`)
    const workloads = await page.evaluate(() => window.bench.workloads)
    const rounds = Number(flags.rounds ?? usualRounds[name])
    const rows: Row[] = []
    for (const [index, { name: workload, goal }] of workloads.entries()) {
      process.stderr.write(`\r\x1b[K${name}: ${workload}`)
      const run = (seed: number, reverse: boolean, part: number): Promise<Round> =>
        page.evaluate((...args) => window.bench.round(...args), index, seed, reverse, part)
      await run(0, false, 0.25) // warms up
      const row: Row = { workload, goal, rounds: [] }
      for (let i = 0; i < rounds; i++) row.rounds.push(await run(i + 1, i % 2 === 1, 1))
      rows.push(row)
    }
    const pairs = await racePairs(name, page, rounds)
    process.stderr.write('\r\x1b[K')
    return { browser: await browser.version(), rows, pairs }
  } finally {
    await close(browser)
  }
}

/** Races ours with functions of the browser: reading a page, and restarting. */
async function racePairs(name: BrowserName, page: Page, rounds: number): Promise<PairRow[]> {
  const wrong = await page.evaluate(() => window.bench.prepareReading())
  if (wrong.length > 0) throw new Error(`wrong: ${wrong.join(', ')}: no race`)
  const pairs = await page.evaluate(() => window.bench.pairs)
  const rows: PairRow[] = []
  for (const [index, { name: workload, plainly }] of pairs.entries()) {
    process.stderr.write(`\r\x1b[K${name}: ${workload}`)
    const run = (reverse: boolean) =>
      page.evaluate((...args) => window.bench.pair(...args), index, reverse)
    await run(false) // warms up
    const row: PairRow = { workload, plainly, rounds: [] }
    for (let i = 0; i < rounds; i++) row.rounds.push(await run(i % 2 === 1))
    rows.push(row)
  }
  return rows
}

function versionOf(peer: string): string {
  const file = join(import.meta.dirname, '../node_modules', peer, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

const files = mkdtempSync(join(tmpdir(), 'pagemcp-bench-'))
build(files)
const served = await serve({
  directories: { '/': files },
  headers: {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  },
})
try {
  const wasm = readFileSync(join(files, 'pagemcp/engine.wasm'))
  const setting = {
    date: new Date().toISOString(),
    cores: cpus().length,
    go: execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' }).trim(),
    node: process.version,
    ts1: versionOf('@modelcontextprotocol/sdk'),
    ts2: versionOf('@modelcontextprotocol/server'),
    engine: { raw: wasm.length, brotli: brotliCompressSync(wasm).length }, // bytes
  }
  const { cores, go, node, ts1, ts2, engine } = setting
  console.log(`${cores} cores · ${go} · Node ${node} · TypeScript SDK v1 ${ts1} · v2 ${ts2}`)
  console.log(`engine.wasm: ${engine.raw} bytes, ${engine.brotli} with brotli\n`)
  const results: unknown[] = []
  for (const name of (flags.firefox ? ['chromium', 'firefox'] : ['chromium']) as BrowserName[]) {
    const { browser, rows, pairs } = await race(name, `${served.origin}/bench/`)
    console.log(
      `${browser}, direct: own CPU per operation, ${rows[0]?.rounds.length} rounds; median [quartiles]`,
    )
    console.log(`${table(rows)}\n`)
    console.log(`${browser}, beside what is plain; median [quartiles]`)
    console.log(`${pairTable(pairs)}\n`)
    results.push({ browser, mode: 'direct', rows, pairs })
  }
  const file = join(root, `bench-${setting.date.replace(/[:.]/g, '-')}.json`)
  writeFileSync(file, JSON.stringify({ ...setting, results }, undefined, 1))
  console.log(`all rounds: ${file}`)
} finally {
  await served.close()
  rmSync(files, { recursive: true, force: true })
}
