/**
 * `make bench`: races ours against the TypeScript SDKs and a null echo, and prints ratios of the same round
 * beside the goals. It is not a test, and never fails on a time.
 *
 *     node bench/run.ts [MODE…] [--rounds N] [--rows PATTERN] [--subjects A,B] [--firefox]
 *
 * Modes: direct, page, worker; default: all. All rounds are written to a JSON file.
 */

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { brotliCompressSync } from 'node:zlib'
import type { BrowserName } from '../test/harness/browsers.ts'
import { serve } from '../test/harness/serve.ts'
import { goalTable } from './goals.ts'
import { columns, pairColumns, race } from './race.ts'
import { type Section, table } from './report.ts'
import type { Mode } from './subjects.ts'

const root = join(import.meta.dirname, '../..')
const modes = ['direct', 'page', 'worker'] as const
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    firefox: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    rows: { type: 'string' },
    subjects: { type: 'string' },
  },
})
const wanted = positionals.length > 0 ? (positionals as Mode[]) : modes
for (const mode of wanted) if (!modes.includes(mode)) throw new Error(`no mode ${mode}`)

function build(into: string) {
  execFileSync('go', ['run', './cmd/pagemcp', 'build', '--bench', '--out', into], {
    cwd: root,
    stdio: 'inherit',
  })
}

function versionOf(peer: string): string {
  const file = join(import.meta.dirname, '../node_modules', peer, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

const told = (what: string) => process.stderr.write(`\r\x1b[K${what}`)

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
    cpu: cpus()[0]?.model,
    go: execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' }).trim(),
    node: process.version,
    browsers: [] as string[],
    ts1: versionOf('@modelcontextprotocol/sdk'),
    ts2: versionOf('@modelcontextprotocol/server'),
    mcpb: versionOf('@mcp-b/transports'),
    engine: { raw: wasm.length, brotli: brotliCompressSync(wasm).length }, // bytes
  }
  const { cores, go, node, ts1, ts2, mcpb, engine } = setting
  console.log(
    `${cores} cores · ${go} · Node ${node} · TypeScript SDK v1 ${ts1} · v2 ${ts2} · @mcp-b ${mcpb}`,
  )
  console.log(`engine.wasm: ${engine.raw} bytes, ${engine.brotli} with brotli\n`)
  const sections: Section[] = []
  for (const name of (flags.firefox ? ['chromium', 'firefox'] : ['chromium']) as BrowserName[]) {
    for (const mode of wanted) {
      const options = {
        rounds: flags.rounds === undefined ? undefined : Number(flags.rounds),
        rows: flags.rows === undefined ? undefined : new RegExp(flags.rows),
        subjects: flags.subjects?.split(','),
      }
      const raced = await race(name, mode, `${served.origin}/bench/`, options, told)
      told('')
      if (!setting.browsers.includes(raced.browser)) setting.browsers.push(raced.browser)
      for (const section of raced.sections) {
        const { medians, ratios } = section.name.startsWith('plain') ? pairColumns : columns[mode]
        console.log(`${section.name}: medians, and ratios of the same round [quartiles]\n`)
        console.log(`${table(section, medians, ratios)}\n`)
        sections.push(section)
      }
    }
  }
  console.log(`${goalTable(sections)}\n`)
  const file = join(root, `bench-${setting.date.replace(/[:.]/g, '-')}.json`)
  writeFileSync(file, JSON.stringify({ setting, sections }, undefined, 1))
  console.log(`all rounds: ${file}`)
} finally {
  await served.close()
  rmSync(files, { recursive: true, force: true })
}
