import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Transform } from 'node:stream'
import { PassThrough } from 'node:stream'
import { inspect } from 'node:util'

/** A test file that failed, and what its failed tests reported. */
export interface Failure {
  file: string
  output: string
}

/** How many files may fail and be repeated: more failures have one cause. The same as in cmd/internal/gotest. */
const maxRepeated = 5

/** An event of `run()` from `node:test`, as far as it is read here. */
interface Event {
  type: string
  data: { name?: string; file?: string; success?: boolean; details?: { error?: unknown } }
}

/**
 * Passes the events of `run()` from `node:test` on, and collects the files that failed.
 *
 * A test that is defined in another module, such as a shared story, has that module as its `file`. Results are
 * reported file by file, so that failures belong to the next summary that names a file, and a file without a
 * summary (its process ended early) is itself a failed test.
 *
 * @param files - absolute paths of the test files
 */
export function collectFailures(files: readonly string[]): {
  events: Transform
  failures: Failure[]
} {
  const failures: Failure[] = []
  let failed: string[] = []
  const events = new PassThrough({ objectMode: true })
  events.on('data', ({ type, data }: Event) => {
    const { name = '', file, success } = data
    const end = type === 'test:summary' && file !== undefined
    if (type === 'test:fail') failed.push(`${name}\n${inspect(data.details?.error)}\n`)
    const broken = type === 'test:fail' && files.includes(name)
    if ((end && !success) || broken) {
      const path = broken ? name : (file as string)
      const known = failures.find((failure) => failure.file === path)
      if (known) known.output += failed.join('')
      else failures.push({ file: path, output: failed.join('') })
    }
    if (end || broken) failed = []
  })
  return { events, failures }
}

/**
 * Runs each failed file once more, one at a time, and writes both outputs of those that pass to `dir`; see
 * cmd/internal/gotest, which does the same for Go packages.
 *
 * @param dir - created if it does not exist; undefined: nothing is written
 * @returns whether all of them passed; false at once for more files than fail by chance
 */
export async function repeat(
  failures: readonly Failure[],
  dir: string | undefined,
  run: (file: string) => Promise<{ ok: boolean; output: string }>,
): Promise<boolean> {
  if (failures.length > maxRepeated) return false
  for (const { file, output } of failures) {
    console.log(`${file} failed; running it once more alone`)
    const second = await run(file)
    console.log(second.output)
    if (!second.ok) return false
    if (dir === undefined) continue
    mkdirSync(dir, { recursive: true })
    const name = file.replace(/^.*\/test\//, 'web/test/')
    writeFileSync(
      join(dir, `${name.replace(/\W+/g, '-')}.txt`),
      `${name}\n--- first run, failed\n${output}--- second run, passed\n${second.output}`,
    )
  }
  return true
}

/** Runs one file by test/run.ts in another process, which does not repeat it again. */
export function runAlone(file: string): Promise<{ ok: boolean; output: string }> {
  return new Promise((resolve) => {
    const runner = join(import.meta.dirname, '..', 'run.ts')
    const child = spawn(process.execPath, [...process.execArgv, runner, '--jobs', '1', file], {
      env: { ...process.env, CI: '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    const append = (text: string) => {
      output += text
    }
    child.stdout.setEncoding('utf8').on('data', append)
    child.stderr.setEncoding('utf8').on('data', append)
    child.on('error', (error) => append(String(error)))
    child.on('close', (code) => resolve({ ok: code === 0, output }))
  })
}
