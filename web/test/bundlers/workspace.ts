/**
 * Apps with the packed package in `.cache/bundlers`, one directory per fixture, which a second run uses again: it
 * downloads nothing, and npm runs only for what has changed.
 */

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { appSource, packageDirectory } from './drive.ts'

const cache = join(import.meta.dirname, '../../../.cache/bundlers')

/** How long npm may take to install the tools of one fixture. */
const installTimeout = 600_000 // ms

/** Tools run in the Node that runs this, and send no telemetry. */
export const environment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  NUXT_TELEMETRY_DISABLED: '1',
  NO_COLOR: '1',
  NODE_ENV: undefined,
}

/** What an app is made of. */
export interface Fixture {
  /** A directory beside this file; its package.json pins the tools. */
  name: string
  /** Further directories beside this file, copied before it. */
  sources?: readonly string[]
  /** Where mcp.js goes, the module that uses pagemcp. */
  app: string
  /** A directory beside this file whose modules go beside mcp.js. */
  components?: string
}

/** `npm pack` of the package, once; returns the name of the file, which changes with its contents. */
export function packPackage(): string {
  mkdirSync(cache, { recursive: true })
  const args = ['pack', packageDirectory, '--pack-destination', cache, '--json']
  const [{ filename }] = JSON.parse(npm(args, cache)) as [{ filename: string }]
  const hash = createHash('sha256').update(readFileSync(join(cache, filename)))
  const name = `pagemcp-${hash.digest('hex').slice(0, 12)}.tgz`
  renameSync(join(cache, filename), join(cache, name))
  for (const other of readdirSync(cache)) {
    if (/^pagemcp-.*\.tgz$/.test(other) && other !== name) rmSync(join(cache, other))
  }
  return name
}

/** Writes an app and installs what it needs; returns its directory. */
export function prepare({ name, sources = [], app, components }: Fixture, tarball: string): string {
  const directory = join(cache, name)
  mkdirSync(directory, { recursive: true })
  const manifest = JSON.parse(
    readFileSync(join(import.meta.dirname, name, 'package.json'), 'utf8'),
  ) as { dependencies?: object }
  const dependencies = { ...manifest.dependencies, pagemcp: `file:../${tarball}` }
  const text = JSON.stringify({ ...manifest, dependencies }, undefined, 2)
  const installed = join(directory, 'node_modules/.pagemcp-installed.json')
  const lock = join(directory, 'package-lock.json') // to tools, the sign of an app's root
  if (!existsSync(lock) || !existsSync(installed) || readFileSync(installed, 'utf8') !== text) {
    rmSync(installed, { force: true })
    writeFileSync(join(directory, 'package.json'), text)
    npm(['install', '--ignore-scripts', '--no-audit', '--no-fund'], directory)
    writeFileSync(installed, text)
  }
  // Neither output of an earlier run, nor what a development server has prepared.
  for (const left of readdirSync(directory)) {
    if (left === 'node_modules' || left === 'package-lock.json') continue
    rmSync(join(directory, left), { recursive: true })
  }
  for (const left of ['.vite', '.cache']) {
    rmSync(join(directory, 'node_modules', left), { recursive: true, force: true })
  }
  for (const source of [...sources, name]) {
    cpSync(join(import.meta.dirname, source), directory, { recursive: true })
  }
  writeFileSync(join(directory, 'package.json'), text)
  mkdirSync(join(directory, app), { recursive: true })
  writeFileSync(join(directory, app, 'mcp.js'), appSource())
  if (components) {
    cpSync(join(import.meta.dirname, components), join(directory, app), { recursive: true })
  }
  return directory
}

/** Runs npm and returns its output. */
function npm(args: readonly string[], cwd: string): string {
  const { error, status, stdout, stderr } = spawnSync('npm', [...args, '--loglevel=error'], {
    cwd,
    encoding: 'utf8',
    env: environment,
    timeout: installTimeout,
  })
  if (error) throw new Error(`npm ${args.join(' ')} in ${cwd}: ${error.message}`)
  if (status !== 0) throw new Error(`npm ${args.join(' ')} in ${cwd}: ${stdout}${stderr}`)
  return stdout
}
