/**
 * Gets engine.wasm and Go's wasm_exec.js into Node, for tests of the engine without a browser. Both
 * are in web/dist after `make build`; what is missing there is made.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { EngineOptions } from '../../src/engine.ts'
import type { GoRuntime } from '../../src/wasm.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const wasm = `${root}web/dist/engine.wasm`

let compiled: Promise<WebAssembly.Module> | undefined

/** engine.wasm, compiled. */
export function engineModule(): Promise<WebAssembly.Module> {
  if (!existsSync(wasm)) {
    const cold = ['fmt', 'io/fs', 'log', 'os', 'reflect', 'regexp', 'regexp/syntax', 'sort', 'time']
    const smaller = cold.map((path) => `-gcflags=${path}=-l`) // not on the hot path: no inlining
    const flags = ['-trimpath', '-ldflags=-s -w', ...smaller]
    execFileSync('go', ['build', ...flags, '-o', wasm, './wasm'], {
      cwd: root,
      env: { ...process.env, GOOS: 'js', GOARCH: 'wasm' },
      stdio: 'inherit',
    })
  }
  compiled ??= WebAssembly.compile(readFileSync(wasm))
  return compiled
}

/** The class that runs it, from Go's own wasm_exec.js; also made the global `Go`. */
export async function goRuntime(): Promise<new () => GoRuntime> {
  const global = globalThis as { Go?: new () => GoRuntime }
  if (global.Go === undefined) {
    const goroot = execFileSync('go', ['env', 'GOROOT'], { encoding: 'utf8' }).trim()
    await import(`${goroot}/lib/wasm/wasm_exec.js`)
  }
  return global.Go as new () => GoRuntime
}

export const options: EngineOptions = {
  name: 'test',
  version: '1.0.0',
  pageSize: 50,
  cursorKey: btoa('0123456789abcdef'),
}
