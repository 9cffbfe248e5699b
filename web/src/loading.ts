/** Loads engine.wasm and the Worker. */

import { unlessLeft } from './module.ts'

/** By its name, worker.js knows the Worker that it is to serve in. */
export const workerName = 'pagemcp'

const bundlers =
  "Vite needs server.fs.allow if linked, before version 8 optimizeDeps: { exclude: ['pagemcp'] }; with esbuild copy worker.js and engine.wasm"

/** Compiles engine.wasm, from its URL while it loads. */
export async function compile(wasm: string | URL | BufferSource | WebAssembly.Module | undefined) {
  if (wasm instanceof WebAssembly.Module) return wasm
  if (isBytes(wasm)) return WebAssembly.compile(wasm)
  // Bundlers look for this form. The object that they make may lack all but its text.
  const url = String(wasm ?? new URL('./engine.wasm', import.meta.url))
  let hint = "does the Content-Security-Policy allow it, by connect-src and 'wasm-unsafe-eval'?"
  try {
    const response = await unlessLeft(fetch(url))
    if (!response.ok) {
      hint = bundlers
      throw new Error(`status ${response.status}`)
    }
    const type = response.headers.get('Content-Type')
    if (type?.startsWith('application/wasm')) {
      return await unlessLeft(WebAssembly.compileStreaming(response))
    }
    const bytes = await unlessLeft(response.arrayBuffer())
    if (new Uint8Array(bytes)[0] === 0x3c) {
      hint = bundlers
      throw new Error('the server answered with HTML') // it begins with <
    }
    return await WebAssembly.compile(bytes)
  } catch (error) {
    const what = error instanceof Error ? error.message : error
    throw new Error(`engine.wasm did not load from ${url}: ${what}; ${hint}`, { cause: error })
  }
}

/** Whether an engine can start here. Frameworks also run components on a server, where nothing must start. */
export function canStart(): boolean {
  const inBrowser = 'document' in globalThis || 'WorkerGlobalScope' in globalThis
  return inBrowser && 'Worker' in globalThis
}

const isBytes = (wasm: unknown): wasm is BufferSource =>
  wasm instanceof ArrayBuffer || ArrayBuffer.isView(wasm)

let policy: { createScriptURL(url: string): unknown } | undefined

/** A Worker that starts, and the reason to give if it does not. */
export interface StartingWorker {
  worker: Worker
  hint: string
}

/** The Worker, whose URL under Trusted Types comes from the policy `pagemcp`. */
export function newWorker(override: string | URL | undefined): StartingWorker {
  const asset = String(override ?? new URL('./worker.js', import.meta.url)) // see compile
  const wanted = new URL(asset, globalThis.document?.baseURI)
  // A Worker from another origin is not allowed, and one from a data: URL has no access to IndexedDB.
  const direct = wanted.origin === globalThis.origin && wanted.protocol !== 'data:'
  const url = direct ? wanted.href : bootstrap(wanted.href)
  const factory = (globalThis as { trustedTypes?: TrustedTypePolicyFactoryLike }).trustedTypes
  // The policy stays in this module: only the URL that start got passes it.
  if (factory) policy ??= factory.createPolicy('pagemcp', { createScriptURL: (text) => text })
  const trusted = policy ? policy.createScriptURL(url) : url
  const hint = `is it served at ${wanted.href.slice(0, 200)}, and does worker-src of the Content-Security-Policy allow it? ${bundlers}`
  const worker = workerOf(trusted as string, hint)
  if (!direct) {
    const revoke = () => URL.revokeObjectURL(url)
    worker.addEventListener('message', revoke, { once: true })
    worker.addEventListener('error', revoke, { once: true })
  }
  return { worker, hint }
}

/** @throws Error where a browser rejects the Worker at once */
function workerOf(url: string, hint: string): Worker {
  try {
    return new Worker(url, { type: 'module', name: workerName })
  } catch (cause) {
    throw new Error(`the engine's Worker does not start: ${hint}`, { cause })
  }
}

/**
 * The URL of a script of this origin that imports the Worker. The import is static: messages that arrive
 * before it has loaded are kept, and its failure is an error of the Worker.
 */
function bootstrap(url: string): string {
  const script = new Blob([`import ${JSON.stringify(url)}`], { type: 'text/javascript' })
  return URL.createObjectURL(script)
}

interface TrustedTypePolicyFactoryLike {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown }
}
