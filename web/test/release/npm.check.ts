// The npm packages, installed from a registry on loopback into empty directories.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { inBrowsers } from '../harness/browsers.ts'
import { firstRead } from './first-read.ts'
import { type Registry, startRegistry } from './registry.ts'
import { artifact, emptyDirectory, ownPlatform, version } from './release.ts'

const own = ownPlatform()
const ownPackage = `@pagemcp/${own.npm}`

let registry: Registry
before(async () => {
  registry = await startRegistry(artifact('npm'))
})
after(() => registry?.close())

/** The environment of somebody who has Node, and nothing else: no cache and no settings of this machine. */
function newcomer(): NodeJS.ProcessEnv {
  const home = emptyDirectory()
  return {
    HOME: home,
    PATH: process.env.PATH,
    npm_config_registry: registry.url,
    npm_config_cache: join(home, 'cache'),
    npm_config_userconfig: join(home, '.npmrc'),
    npm_config_update_notifier: 'false',
  }
}

interface Result {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs a program; the registry, in this process, answers meanwhile. */
function run(command: string, args: string[], cwd: string, env: NodeJS.ProcessEnv) {
  return new Promise<Result>((resolve) => {
    const child = execFile(
      command,
      args,
      { cwd, env, encoding: 'utf8', timeout: 120_000 },
      (error, stdout, stderr) =>
        resolve({
          code: child.exitCode,
          stdout,
          stderr: error && child.exitCode === null ? String(error) : stderr,
        }),
    )
  })
}

async function installed(flags: string[] = []) {
  const [directory, env] = [emptyDirectory(), newcomer()]
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n')
  const { code, stderr } = await run(
    'npm',
    ['install', 'pagemcp', '--no-audit', '--no-fund', ...flags],
    directory,
    env,
  )
  assert.equal(code, 0, stderr)
  return { directory, env, bin: join(directory, 'node_modules/.bin/pagemcp') }
}

test('npm install downloads the package and the program of one platform, and runs no script', async (t) => {
  registry.downloaded.length = 0
  const began = performance.now()
  const { directory, env, bin } = await installed(['--foreground-scripts'])
  t.diagnostic(`installed in ${Math.round(performance.now() - began)} ms`)
  assert.deepEqual([...registry.downloaded].sort(), [ownPackage, 'pagemcp'])
  const unknown = new Set(registry.unknown)
  unknown.delete('/react') // the optional peer
  assert.deepEqual([...unknown], [])
  assert.deepEqual(readdirSync(join(directory, 'node_modules/@pagemcp')), [own.npm])
  assert.deepEqual(await run(bin, ['--version'], directory, env), {
    code: 0,
    stdout: `${version}\n`,
    stderr: '',
  })
})

test('npx pagemcp --version, first and again', async (t) => {
  const [directory, env] = [emptyDirectory(), newcomer()]
  for (const time of ['first', 'again']) {
    const began = performance.now()
    const { code, stdout, stderr } = await run(
      'npx',
      ['-y', 'pagemcp', '--version'],
      directory,
      env,
    )
    t.diagnostic(`${time}: ${Math.round(performance.now() - began)} ms`)
    assert.deepEqual([code, stdout], [0, `${version}\n`], stderr)
  }
})

// The Node of the tests has execve; that of this machine may be older.
const withoutExecve = '--import=data:text/javascript,process.execve=undefined'
for (const [way, options] of [
  ['execve', ''],
  ['spawn', withoutExecve],
] as const) {
  test(`${way}: SIGTERM ends the gateway, and no process is left`, {
    timeout: 60_000,
  }, async () => {
    const { directory, env, bin } = await installed()
    const args = ['serve', '--json', '--state', join(directory, 'state'), '--mcp', '127.0.0.1:0']
    const child = spawn(bin, args, {
      cwd: directory,
      env: {
        ...env,
        PATH: `${dirname(process.execPath)}:${env.PATH}`,
        NODE_OPTIONS: options,
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    await firstLine(child)
    const isReplaced = programsIn(directory).includes(String(child.pid))
    assert.deepEqual([isReplaced, programsIn(directory).length], [way === 'execve', 1])
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    assert.deepEqual(await gone, [0, null])
    assert.deepEqual(programsIn(directory), [])
  })
}

async function firstLine(child: ChildProcess): Promise<void> {
  assert.ok(child.stdout)
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  assert.match(String(line.value), /"mcp"/)
}

/** Processes whose program is below a directory. https://man7.org/linux/man-pages/man5/proc.5.html */
function programsIn(directory: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    const link = `/proc/${pid}/exe`
    try {
      return /^\d+$/.test(pid) && readlinkSync(link).startsWith(directory)
    } catch {
      return false // it has ended, or is of another user
    }
  })
}

test('the tarballs alone install from files', async () => {
  const [directory, env] = [emptyDirectory(), newcomer()]
  env.npm_config_registry = 'http://127.0.0.1:9/' // discards
  writeFileSync(join(directory, 'package.json'), '{ "private": true }\n')
  const files = [own.tarball, `npm/pagemcp-${version}.tgz`].map(artifact)
  const flags = ['--offline', '--no-audit', '--no-fund']
  const { code, stderr } = await run('npm', ['install', ...flags, ...files], directory, env)
  assert.equal(code, 0, stderr)
  const bin = join(directory, 'node_modules/.bin/pagemcp')
  assert.equal((await run(bin, ['--version'], directory, env)).stdout, `${version}\n`)
  rmSync(join(directory, 'node_modules'), { recursive: true })
})

inBrowsers(
  'the installed package runs dev, and a note is read',
  async (browser) => {
    const { directory, env, bin } = await installed()
    await firstRead(
      'npm install',
      { command: bin, args: [], cwd: directory, env },
      browser,
      console.log,
    )
  },
  { only: ['chromium'] },
)

inBrowsers(
  'npx pagemcp dev downloads and runs it, and a note is read',
  async (browser) => {
    const npx = process.env.PATH?.split(':')
      .map((one) => join(one, 'npx'))
      .find(existsSync)
    assert.ok(npx)
    const by = {
      command: npx,
      args: ['-y', 'pagemcp'],
      cwd: emptyDirectory(),
      env: newcomer(),
      group: true,
    }
    await firstRead('npx, nothing cached', by, browser, console.log)
  },
  { only: ['chromium'] },
)
