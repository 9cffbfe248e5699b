/**
 * Repeats every test file until each has run often enough, to find tests that fail sometimes.
 *
 *     node test/flaky.ts --runs 20 --busy --files 'test/e2e/*.test.ts' --slice 600
 *
 * Goes round by round, one run of each file at a time. What has run is kept in .cache/flaky.json: a run that is
 * interrupted, or ends with its slice, goes on where it was. Prints a table of file, runs, failures, and the
 * slowest run; the output of each failure is in .cache/flaky/. Ends with 1 if any run has failed. Needs what
 * `make binary` builds, and takes what the pages are made of from PAGEMCP_BUILT, as `make in-node` does.
 */

import { type ChildProcess, spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

const { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } = fs
// @types/node of Node 20 does not know it; tests run in Node 24.
const { globSync } = fs as unknown as {
  globSync(patterns: readonly string[], options: { cwd: string }): string[]
}

const root = join(import.meta.dirname, '..', '..')
const cache = join(root, '.cache')
const stateFile = join(cache, 'flaky.json')
const failures = join(cache, 'flaky')

/** How long one run of one file may take, ms. */
const runTimeout = 600_000

/** What is known of one subject: a test file, or a Go package. */
interface Known {
  runs: number
  failed: number
  /** ms */
  slowest: number
}
type State = { [key: string]: Known }

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '20' },
    busy: { type: 'boolean', default: false },
    files: { type: 'string', multiple: true, default: ['test/**/*.test.ts'] },
    go: { type: 'string', multiple: true, default: ['./...'] },
    'no-go': { type: 'boolean', default: false },
    'no-web': { type: 'boolean', default: false },
    slice: { type: 'string', default: '0' }, // s; 0: until all is done
    fresh: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})
const runs = Number(options.runs)
const slice = Number(options.slice) * 1000
if (options.help || !(runs > 0) || !(slice >= 0)) {
  console.log(`node test/flaky.ts [options]
  --runs N       runs of each file (20)
  --busy         keep one core busy meanwhile; counted apart from runs without it
  --files GLOB   test files, below web/; may stand several times
  --go PATTERN   Go packages, such as ./server/...; may stand several times (./...)
  --no-go        no Go packages
  --no-web       no test files of web/
  --slice S      end after S seconds, to be resumed by the next call
  --fresh        forget earlier runs`)
  process.exit(options.help ? 0 : 2)
}

/** Something that is run again and again. */
interface Subject {
  name: string
  command: string
  args: string[]
  cwd: string
}

let running: ChildProcess | undefined
let busy: ChildProcess | undefined

mkdirSync(failures, { recursive: true })
if (options.fresh) rmSync(stateFile, { force: true })
const state = read()
const subjects = [
  ...(options['no-web'] ? [] : webFiles()),
  ...(options['no-go'] ? [] : await goPackages()),
]
if (subjects.length === 0) throw new Error('nothing fits --files and --go')

const began = Date.now()
busy = options.busy ? occupy() : undefined
process.once('SIGINT', () => stop(130))
process.once('SIGTERM', () => stop(143))

round: for (let n = 1; n <= runs; n++) {
  for (const subject of subjects) {
    if (of(subject).runs >= n) continue
    if (slice > 0 && Date.now() - began > slice) break round
    await once(subject)
  }
}
stop()

function webFiles(): Subject[] {
  const cwd = join(root, 'web')
  return globSync(options.files, { cwd })
    .sort()
    .map((file) => ({
      name: `web/${file}`,
      command: process.execPath,
      args: ['--test', '--test-timeout=300000', '--test-reporter=spec', file],
      cwd,
    }))
}

async function goPackages(): Promise<Subject[]> {
  const { output } = await run({
    name: '',
    command: 'go',
    args: ['list', ...options.go],
    cwd: root,
  })
  const packages = output.split('\n').filter((line) => /^[\w.]+\//.test(line))
  return packages.map((name) => ({
    name,
    command: 'go',
    args: ['test', '-count=1', name],
    cwd: root,
  }))
}

async function once(subject: Subject) {
  const { ok, output, ms } = await run(subject)
  const known = of(subject)
  known.runs++
  known.slowest = Math.max(known.slowest, ms)
  if (!ok) {
    known.failed++
    const file = `${subject.name.replace(/\W+/g, '-')}-${known.runs}${options.busy ? '-busy' : ''}.txt`
    writeFileSync(join(failures, file), output)
    console.log(`FAILED ${subject.name}, run ${known.runs}: .cache/flaky/${file}`)
  }
  write()
}

function run({
  command,
  args,
  cwd,
}: Subject): Promise<{ ok: boolean; output: string; ms: number }> {
  return new Promise((resolve) => {
    const start = Date.now()
    // NODE_TEST_CONTEXT would make a test runner believe that it is a test of another one.
    const { NODE_TEST_CONTEXT: _, ...environment } = process.env
    const child = spawn(command, args, { cwd, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
    running = child
    let output = ''
    const hear = (text: string) => {
      output += text
    }
    child.stdout.setEncoding('utf8').on('data', hear)
    child.stderr.setEncoding('utf8').on('data', hear)
    const timer = setTimeout(() => {
      output += `\nkilled after ${runTimeout / 1000} s`
      child.kill('SIGKILL')
    }, runTimeout)
    child.on('error', (error) => hear(String(error)))
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ ok: code === 0, output, ms: Date.now() - start })
    })
  })
}

/** Keeps one core busy by another process, which ends with this one. */
function occupy() {
  const spin =
    'process.on("disconnect", () => process.exit()); (function spin() { for (let i = 0; i < 1e8; i++); setImmediate(spin) })()'
  return spawn(process.execPath, ['-e', spin], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
}

function of({ name }: Subject): Known {
  const key = options.busy ? `${name} (busy)` : name
  state[key] ??= { runs: 0, failed: 0, slowest: 0 }
  return state[key]
}

function read(): State {
  try {
    return JSON.parse(readFileSync(stateFile, 'utf8')) as State
  } catch {
    return {}
  }
}

/** Never half of it: another process may end this one at any time. */
function write() {
  writeFileSync(`${stateFile}.new`, JSON.stringify(state, undefined, 1))
  renameSync(`${stateFile}.new`, stateFile)
}

function stop(code?: number): never {
  busy?.kill()
  running?.kill()
  const shown = subjects.map((subject) => [subject.name, of(subject)] as const)
  const width = Math.max(...shown.map(([name]) => name.length))
  console.log(`${'file'.padEnd(width)}  runs  failed  slowest`)
  for (const [name, { runs, failed, slowest }] of shown.toSorted(
    (a, b) => b[1].failed - a[1].failed,
  )) {
    const seconds = `${(slowest / 1000).toFixed(1)} s`
    console.log(
      `${name.padEnd(width)}  ${String(runs).padStart(4)}  ${String(failed).padStart(6)}  ${seconds.padStart(7)}`,
    )
  }
  const missing = shown.reduce((sum, [, known]) => sum + Math.max(0, runs - known.runs), 0)
  if (missing > 0) console.log(`${missing} runs are left: call it again`)
  process.exit(code ?? (shown.some(([, { failed }]) => failed > 0) ? 1 : 0))
}
