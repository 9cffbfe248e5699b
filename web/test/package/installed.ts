/** The npm package as users get it: packed, and installed into an empty directory. */

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { packageDirectory } from '../bundlers/drive.ts'

export const modules = join(import.meta.dirname, '../../node_modules')

export interface Installed {
  /** Of the app. */
  directory: string
  tarball: string
  /** Paths in the tarball. */
  files: readonly string[]
  remove(): void
}

/**
 * Packs the package and installs it, without a network.
 *
 * @param beside - further packages of this repository for the app
 */
export function install(beside: readonly string[] = []): Installed {
  const directory = mkdtempSync(join(tmpdir(), 'pagemcp-installed-'))
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', directory]
  const output = execFileSync('npm', [...pack, packageDirectory], { encoding: 'utf8' })
  const [packed] = JSON.parse(output) as { filename: string; files: { path: string }[] }[]
  if (packed === undefined) throw new Error(`npm pack: ${output}`)
  const tarball = join(directory, packed.filename)
  writeFileSync(join(directory, 'package.json'), '{ "private": true, "type": "module" }\n')
  const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  execFileSync('npm', ['install', ...flags, tarball], { cwd: directory })
  for (const name of beside) {
    mkdirSync(join(directory, 'node_modules', name, '..'), { recursive: true })
    symlinkSync(join(modules, name), join(directory, 'node_modules', name))
  }
  const files = packed.files.map(({ path }) => path).sort()
  return {
    directory,
    tarball,
    files,
    remove: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** Runs a program in the app; its output, if it fails. */
export function run(app: Installed, program: string, args: readonly string[]): string {
  const result = spawnSync(process.execPath, [program, ...args], {
    cwd: app.directory,
    encoding: 'utf8',
    timeout: 200_000,
  })
  if (result.error) throw result.error
  return result.status === 0 ? '' : `${result.stdout}${result.stderr}` || `status ${result.status}`
}
