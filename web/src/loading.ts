/** Loads engine.wasm and the Worker. */

/** Compiles engine.wasm, from its URL while it loads. */
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

let policy: { createScriptURL(url: string): unknown } | undefined

/** The Worker, whose URL under Trusted Types comes from the policy `pagemcp`. */
export function newWorker(override: string | URL | undefined): Worker {
  const own = new URL('./worker.js', import.meta.url)
  const url = String(override === undefined ? own : new URL(override, globalThis.document?.baseURI))
  const factory = (globalThis as { trustedTypes?: TrustedTypePolicyFactoryLike }).trustedTypes
  // The policy stays in this module: only the URL that start got passes it.
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
