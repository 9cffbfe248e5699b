// bin/pagemcp.js starts the program of the platform's package: in its place where Node can, else as a child.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'

const directory = mkdtempSync(join(tmpdir(), 'pagemcp-launcher-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const modules = join(directory, 'node_modules')
const launcher = join(modules, 'pagemcp/bin/pagemcp.js')
cpSync(join(import.meta.dirname, '../../src/bin/pagemcp.js'), launcher)
writeFileSync(join(modules, 'pagemcp/package.json'), '{ "type": "module" }')

/** A program that prints what it got, echoes standard input, and ends by a signal or with a code. */
const script = `#!${process.execPath}
const [code, ...rest] = process.argv.slice(2)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  if (code === 'wait') process.on(signal, () => { console.log(signal); process.exit(7) })
}
console.log(JSON.stringify({ rest, pid: process.pid, own: process.env.OWN }))
if (code === 'wait') setInterval(() => {}, 1000)
else if (code === 'echo') process.stdin.pipe(process.stdout)
else if (code === 'die') process.kill(process.pid, 'SIGKILL')
else process.exit(Number(code))
`

function writeProgram(file: string): string {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, script)
  chmodSync(file, 0o755)
  return file
}

const platform = `${process.platform}-${process.arch}`
const ownPackage = join(modules, '@pagemcp', platform)
const packaged = writeProgram(join(ownPackage, 'bin/pagemcp'))

const withoutExecve = ['--import', 'data:text/javascript,process.execve = undefined']
const ways: { name: string; flags: string[]; replaces: boolean }[] = [
  { name: 'execve', flags: [], replaces: true },
  { name: 'spawn', flags: withoutExecve, replaces: false },
]

const run = (flags: string[], args: string[], env: NodeJS.ProcessEnv = {}, input = '') =>
  spawnSync(process.execPath, [...flags, launcher, ...args], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
    input,
    timeout: 30_000,
  })

for (const { name, flags, replaces } of ways) {
  test(`${name}: arguments, environment, streams and exit codes are the program's`, () => {
    const { stdout, stderr, status } = run(flags, ['3', 'a b', '--x=ü'], { OWN: 'mine' })
    const { rest, own } = JSON.parse(stdout)
    assert.deepEqual([rest, own, status, stderr], [['a b', '--x=ü'], 'mine', 3, ''])
    const echoed = run(flags, ['echo'], {}, '{"jsonrpc":"2.0"}\n')
    assert.match(echoed.stdout, /\n\{"jsonrpc":"2.0"\}\n$/)
    assert.equal(echoed.status, 0)
    assert.equal(run(flags, ['0'], { PAGEMCP_BINARY: packaged }).status, 0)
  })

  test(`${name}: a program that a signal ends, ends the launcher like it`, () => {
    const { status, signal } = run(flags, ['die'])
    assert.deepEqual([status, signal], replaces ? [null, 'SIGKILL'] : [137, null])
  })

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    test(`${name}: ${signal} reaches the program`, { timeout: 30_000 }, async () => {
      const child = spawn(process.execPath, [...flags, launcher, 'wait'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
      const { pid } = JSON.parse((await lines.next()).value)
      assert.equal(pid === child.pid, replaces)
      child.kill(signal)
      const [code] = await once(child, 'exit')
      assert.deepEqual([(await lines.next()).value, code], [signal, 7])
      assert.throws(() => process.kill(pid, 0), 'the program still runs')
    })
  }
}

test('what cannot be started is one line, and exit code 1', () => {
  const notExecutable = join(directory, 'plain')
  writeFileSync(notExecutable, '')
  for (const [file, reason] of [
    [join(directory, 'none'), 'ENOENT'],
    [notExecutable, 'EACCES'],
    [directory, 'not a file'],
  ] as const) {
    const { status, stderr } = run([], ['0'], { PAGEMCP_BINARY: file })
    assert.equal(status, 1)
    assert.match(stderr, /^pagemcp: cannot start .*\n$/)
    assert.ok(stderr.includes(reason), stderr)
  }
})

test('a missing platform package is named, with the cause and all platforms', () => {
  rmSync(ownPackage, { recursive: true })
  const { status, stderr } = run([], ['0'])
  assert.equal(status, 1)
  assert.match(stderr, /^pagemcp: .*\n$/)
  for (const text of [`@pagemcp/${platform} is not installed`, '--omit=optional', 'win32-arm64']) {
    assert.ok(stderr.includes(text), stderr)
  }
})

test('a system without a program is named', () => {
  const other = `data:text/javascript,Object.defineProperty(process, 'arch', { value: 'mips' })`
  const { status, stderr } = run(['--import', other], ['0'])
  assert.equal(status, 1)
  assert.match(stderr, /^pagemcp: there is no program for \w+-mips, only for darwin-arm64, /)
})
