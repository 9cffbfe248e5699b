import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { repeat } from './repeat.ts'

function temporary(t: { after(clean: () => void): void }): string {
  const dir = mkdtempSync(join(tmpdir(), 'pagemcp-repeat-'))
  t.after(() => rmSync(dir, { recursive: true }))
  return dir
}

/** Runs test/run.ts as CI does, with test files of their own; see there for its options. */
function runFiles(dir: string, files: Record<string, string>, ...options: string[]) {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(dir, name), text)
  const tests = Object.keys(files).filter((name) => name.endsWith('.test.mjs'))
  // NODE_TEST_CONTEXT would make the test runner believe that it is a test of another one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const { status, stdout } = spawnSync(
    process.execPath,
    [
      join(import.meta.dirname, '..', 'run.ts'),
      ...options,
      ...tests.map((name) => join(dir, name)),
    ],
    {
      env: { ...env, CI: 'true', PAGEMCP_FLAKY: join(dir, 'flaky') },
      encoding: 'utf8',
      timeout: 60_000, // a runner that does not end
    },
  )
  return {
    status,
    stdout,
    flaky: existsSync(join(dir, 'flaky')) ? readdirSync(join(dir, 'flaky')) : [],
  }
}

/** A test that fails in its first process, after `fail`, and passes in the second. */
const once = (fail: string) => `
import { existsSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
export const story = (mark) => test('story', () => {
  if (existsSync(mark)) return
  writeFileSync(mark, '')
  ${fail}
})`

test('a test of a shared module that fails once is repeated with the file that ran it', (t) => {
  const dir = temporary(t)
  const { status, stdout, flaky } = runFiles(dir, {
    'shared.mjs': once("throw new Error('first time')"),
    'a.test.mjs': `import { story } from './shared.mjs'\nstory(import.meta.filename + '.ran')`,
    'b.test.mjs': `import { test } from 'node:test'\ntest('passes', () => {})`,
  })
  assert.equal(status, 0, stdout)
  assert.equal(flaky.length, 1, stdout)
  assert.match(
    readFileSync(join(dir, 'flaky', flaky[0] ?? ''), 'utf8'),
    /a\.test\.mjs\n[\s\S]*first time[\s\S]*second run, passed/,
  )
})

test('a file whose process ends early is repeated', (t) => {
  const { status, stdout, flaky } = runFiles(temporary(t), {
    'a.test.mjs': `${once('process.exit(3)')}\nstory(import.meta.filename + '.ran')`,
  })
  assert.equal(status, 0, stdout)
  assert.equal(flaky.length, 1, stdout)
})

test('a file whose test goes on after its timeout is ended, and repeated', (t) => {
  const { status, stdout, flaky } = runFiles(
    temporary(t),
    {
      'a.test.mjs': `${once(`setInterval(() => {}, 1000)
  return new Promise(() => {})`).replace("test('story', ", "test('story', { timeout: 100 }, ")}
story(import.meta.filename + '.ran')`,
    },
    '--limit',
    '20000',
  )
  assert.equal(status, 0, stdout)
  assert.equal(flaky.length, 1, stdout)
  assert.match(stdout, /a\.test\.mjs has not ended within 1 s of its tests/)
})

test('a file that does not end within the limit is ended, and fails the run', (t) => {
  const { status, stdout } = runFiles(
    temporary(t),
    {
      'a.test.mjs': `import { test } from 'node:test'
test('hangs', () => new Promise(() => setInterval(() => {}, 1000)))`,
    },
    '--limit',
    '1000',
  )
  assert.equal(status, 1, stdout)
  assert.match(stdout, /a\.test\.mjs has not ended within 1 s of its beginning/)
})

test('a file that fails twice fails the run', (t) => {
  const { status, stdout, flaky } = runFiles(temporary(t), {
    'a.test.mjs': `import { test } from 'node:test'\ntest('fails', () => { throw new Error('always') })`,
  })
  assert.equal(status, 1, stdout)
  assert.deepEqual(flaky, [])
})

test('more failures than happen by chance are not repeated', async () => {
  const failures = Array.from({ length: 6 }, (_, i) => ({ file: `${i}.test.ts`, output: '' }))
  assert.equal(await repeat(failures, undefined, () => assert.fail('a file was repeated')), false)
})
