/**
 * `make bench`: races ours against the TypeScript SDKs and a null echo, and prints tables of ratios of the same round.
 * It is not a test, and never fails on a time. RESULTS.md has such tables, with reasons.
 *
 *     node bench/run.ts [MODE…] [--rounds N] [--rows PATTERN] [--subjects A,B] [--firefox] [--nice N]
 *                       [--built DIR] [--before DIR]
 *
 * Modes: worker, gateway, start, playground, size; default: all. All rounds are written to a JSON file.
 *
 * --nice 5 gives way to other programs. With real-time priority (chrt) on two cores, the subject that runs starves the
 * browser's other processes, and the gateway's peers.
 *
 * --built DIR measures what `pagemcp build --bench --out DIR` has written, instead of building. --before DIR adds the package in
 * another such directory as the subjects `before` and `before-2026`: two versions are compared within the same round.
 */

import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { BrowserName } from '../test/harness/launch.ts'
import { measureGateway } from './gateway.ts'
import { measurePlayground } from './playground.ts'
import { race } from './race.ts'
import { type Section, table } from './report.ts'
import { openSite } from './site.ts'
import { measureSizes } from './sizes.ts'
import { measureStart, startPages } from './startup.ts'

const root = join(import.meta.dirname, '../..')
const modes = ['worker', 'gateway', 'start', 'playground', 'size']
const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    before: { type: 'string' },
    built: { type: 'string' },
    firefox: { type: 'boolean', default: false },
    nice: { type: 'string' },
    rounds: { type: 'string' },
    rows: { type: 'string' },
    subjects: { type: 'string' },
  },
})
const nice = Number(flags.nice ?? 0)
if (nice !== 0) setPriority(nice) // also of the programs that are started from here
const before = flags.before !== undefined
const wanted = positionals.length > 0 ? positionals : modes
for (const mode of wanted) if (!modes.includes(mode)) throw new Error(`no mode ${mode}`)

function build(into: string) {
  execFileSync('make', ['-s', 'program'], { cwd: root, stdio: 'inherit' })
  execFileSync('bin/pagemcp', ['build', '--bench', '--out', into], { cwd: root, stdio: 'inherit' })
}

function versionOf(peer: string): string {
  const file = join(import.meta.dirname, '../node_modules', peer, 'package.json')
  return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
}

const told = (what: string) => process.stderr.write(`\r\x1b[K${what}`)

const files = mkdtempSync(join(tmpdir(), 'pagemcp-bench-'))
if (flags.built === undefined) build(files)
else cpSync(flags.built, files, { recursive: true })
if (flags.before) cpSync(join(flags.before, 'pagemcp'), join(files, 'before'), { recursive: true })
const site = await openSite(files, startPages)
try {
  const versions: { [name: string]: string } = {
    go: execFileSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' }).trim().slice(2),
    Node: process.version.slice(1),
    'SDK v1': versionOf('@modelcontextprotocol/sdk'),
    'SDK v2': versionOf('@modelcontextprotocol/server'),
  }
  const date = new Date().toISOString()
  const setting = { date, cores: cpus().length, cpu: cpus()[0]?.model, versions, nice }
  const rounds = flags.rounds === undefined ? undefined : Number(flags.rounds)
  const rows = flags.rows === undefined ? undefined : new RegExp(flags.rows)
  const sections: Section[] = []
  const file = join(root, `bench-${date.replace(/[:.]/g, '-')}.json`)
  const measured = (section: Section) => {
    told('')
    const note = section.isRace ? ': medians, and ratios of the same round [quartiles]' : ''
    console.log(`### ${section.name}${note}\n\n${table(section)}\n`)
    sections.push(section)
    writeFileSync(file, JSON.stringify({ setting, sections }, undefined, 1))
  }
  for (const name of (flags.firefox ? ['chromium', 'firefox'] : ['chromium']) as BrowserName[]) {
    if (!wanted.includes('worker')) break
    const options = { rounds, rows, subjects: flags.subjects?.split(','), before }
    measured(await race(name, `${site.origin}/bench/`, options, told))
  }
  if (wanted.includes('gateway')) {
    told('gateway')
    measured(await measureGateway(site.origin, files, { rounds, rows }))
  }
  if (wanted.includes('start')) measured(await measureStart(site, { rounds, rows }, told))
  if (wanted.includes('playground') && rows === undefined) {
    told('playground')
    measured(await measurePlayground(rounds))
  }
  if (wanted.includes('size')) measured(measureSizes(site))
  const named = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  console.log(`${setting.cores} cores, ${setting.cpu}; ${named.join(', ')}`)
  console.log(`all rounds: ${file}`)
} finally {
  await site.close()
  rmSync(files, { recursive: true, force: true })
}
