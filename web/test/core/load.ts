/**
 * Gets engine.wasm and Go's wasm_exec.js into Node, for tests of the engine without a browser. The
 * first is what `make build` puts into dist/npm; if it is missing, or older than its sources, it is
 * built.
 */

import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { EngineOptions } from '../../src/engine.ts'
import type { GoRuntime } from '../../src/wasm.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const wasm = `${root}dist/npm/pagemcp/engine.wasm`

let compiled: Promise<WebAssembly.Module> | undefined

/** engine.wasm, compiled. */
export function engineModule(): Promise<WebAssembly.Module> {
  compiled ??= compile()
  return compiled
}

async function compile(): Promise<WebAssembly.Module> {
  const sources = readdirSync(`${root}wasm`, { recursive: true, encoding: 'utf8' })
  const code = sources.filter((file) => !file.endsWith('_test.go'))
  const newest = Math.max(...code.map((file) => statSync(`${root}wasm/${file}`).mtimeMs))
  if (!existsSync(wasm) || statSync(wasm).mtimeMs < newest) {
    execFileSync('make', ['-s', 'build'], { cwd: root, stdio: 'inherit' })
  }
  return WebAssembly.compile(readFileSync(wasm))
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
}
