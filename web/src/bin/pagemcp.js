#!/usr/bin/env node
// Starts the program `pagemcp`, which is in a package of its own for each platform.

import { spawn } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import os from 'node:os'

const platforms = [
  'darwin-arm64',
  'darwin-x64',
  'linux-arm64',
  'linux-x64',
  'win32-arm64',
  'win32-x64',
]
const platform = `${process.platform}-${process.arch}`
const name = `@pagemcp/${platform}`

/** Ends this process with a message. */
function fail(message) {
  process.stderr.write(`pagemcp: ${message}\n`)
  process.exit(1)
}

/** The path of the program. */
function find() {
  const own = process.env.PAGEMCP_BINARY
  if (own) return own
  const file = `${name}/bin/pagemcp${process.platform === 'win32' ? '.exe' : ''}`
  if (!platforms.includes(platform)) {
    fail(
      `there is no program for ${platform}, only for ${platforms.join(', ')}. Build it with Go, and name it in PAGEMCP_BINARY.`,
    )
  }
  try {
    return createRequire(import.meta.url).resolve(file)
  } catch {
    return fail(
      `the package ${name} is not installed. Package managers leave it out with --omit=optional or --no-optional, or if node_modules was copied from another system. ` +
        `Install again with optional dependencies. There are packages for ${platforms.join(', ')}.`,
    )
  }
}

const program = find()
const args = process.argv.slice(2)
try {
  if (!statSync(program).isFile()) throw new Error('it is not a file')
  accessSync(program, constants.X_OK) // execve ends this process if it fails
} catch (error) {
  fail(`cannot start ${program}: ${error.message}`)
}

// Node 23.11 and newer, except on Windows: the program replaces this process, which would
// otherwise stay and use more memory than the program. See
// https://nodejs.org/api/process.html#processexecvefile-args-env
if (process.execve && process.platform !== 'win32') {
  process.execve(program, [program, ...args], process.env)
}

const child = spawn(program, args, { stdio: 'inherit' })
child.on('error', (error) => fail(`cannot start ${program}: ${error.message}`))
child.on('exit', (code, signal) => {
  process.exit(signal ? 128 + os.constants.signals[signal] : code)
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal))
}
