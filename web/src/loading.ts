/** Gets what the engine is made of: engine.wasm, Go's support file, the Worker. */

import type { GoRuntime } from './wasm.ts'

/** Compiles while the Worker loads. */
export async function compile(wasm: string | URL | BufferSource | WebAssembly.Module) {
  if (wasm instanceof WebAssembly.Module) return wasm
  if (typeof wasm !== 'string' && !(wasm instanceof URL)) return WebAssembly.compile(wasm)
  try {
    const response = await fetch(wasm)
    if (!response.ok) throw new Error(`status ${response.status}`)
    const type = response.headers.get('Content-Type')
    if (type?.startsWith('application/wasm')) return await WebAssembly.compileStreaming(response)
    return await WebAssembly.compile(await response.arrayBuffer())
  } catch (error) {
    const hint = "is it served there, and does the Content-Security-Policy have 'wasm-unsafe-eval'?"
    throw new Error(`engine.wasm did not load from ${wasm}; ${hint}`, { cause: error })
  }
}

/** The class of Go's wasm_exec.js, which the bundler puts in. */
export async function goRuntime(): Promise<new () => GoRuntime> {
  const global = globalThis as { Go?: new () => GoRuntime }
  if (global.Go === undefined) await import('wasm_exec')
  if (global.Go === undefined) throw new Error('wasm_exec.js did not define Go')
  return global.Go
}

let policy: { createScriptURL(url: string): unknown } | undefined

/** The Worker, whose URL under Trusted Types comes from the policy `pagemcp`. */
export function newWorker(override: string | URL | undefined): Worker {
  const own = new URL('./worker.js', import.meta.url)
  const url = String(override === undefined ? own : new URL(override, globalThis.document?.baseURI))
  const factory = (globalThis as { trustedTypes?: TrustedTypePolicyFactoryLike }).trustedTypes
  // Only what start was given goes through: the policy is not handed out.
  if (factory) policy ??= factory.createPolicy('pagemcp', { createScriptURL: (text) => text })
  const trusted = policy ? policy.createScriptURL(url) : url
  return new Worker(trusted as string, { type: 'module', name: 'pagemcp' })
}

interface TrustedTypePolicyFactoryLike {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown }
}
