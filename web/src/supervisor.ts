/**
 * Starts what runs the engine, and another one when it has ended, at most three times within a minute.
 *
 * Browsers report neither the end of a Worker nor an endless loop: a Worker that does not answer hangs, or has ended,
 * unless it says that it still handles earlier messages. A Web Lock that it holds is free when it has ended: that is
 * noticed at once, also by a hidden window, whose timers are slow. Firefox keeps no document with a lock in the
 * back/forward cache, so the Worker holds one only once the page connects to a gateway, for which the window has a
 * lock, too (connector.ts).
 */

import { unlessLeft } from './module.ts'

/** `down`: it did not start, or has ended four times within a minute, and is not started again. */
export type EngineState = 'starting' | 'running' | 'restarting' | 'down' | 'closed'

/** So many restarts within this time, then none any more. */
const maxRestarts = 3
const restartWindow = 60_000 // ms
const restartDelays = [0, 250, 1000] // ms

/** How often a Worker is asked whether it answers, and says by itself that it handles messages, ms. */
export const interval = 250

/**
 * How often in a row it may not have answered when the window looks: 8 s. It answers between two tasks, and one may take
 * seconds: the copy of a message with a million members, which a client sends, is made before the Worker can refuse it.
 */
const patience = 32

/** One Worker, for its supervisor. */
export interface Life {
  /** Aborted when it is over; the reason is an error that says why. */
  readonly signal: AbortSignal
  /** It has ended, or does not start. */
  died(error: Error): void
}

export interface SupervisorHost {
  /** Starts a Worker; settles when it serves. */
  start(life: Life): Promise<void>
  state(state: EngineState): void
  /** One that has served is gone. `isDown`: none follows. */
  lost(error: Error, isDown: boolean): void
}

export interface Supervisor {
  /** Settles with the first start. */
  readonly ready: Promise<void>
  close(): void
}

export function supervise(host: SupervisorHost): Supervisor {
  let restarts: number[] = [] // ms
  let life: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasStarted = false

  /** The delay of the next restart, ms; `undefined`: there is none. */
  const nextDelay = () => {
    const now = Date.now()
    restarts = restarts.filter((when) => now - when < restartWindow)
    if (!hasStarted || restarts.length >= maxRestarts) return undefined
    return restartDelays[restarts.push(now) - 1]
  }

  const begin = () =>
    new Promise<void>((resolve, reject) => {
      const own = new AbortController()
      life = own
      const died = (error: Error) => {
        if (own.signal.aborted) return
        own.abort(error)
        const delay = nextDelay()
        host.lost(error, delay === undefined)
        host.state(delay === undefined ? 'down' : 'restarting')
        if (delay !== undefined) timer = setTimeout(() => begin().catch(() => {}), delay)
        reject(error)
      }
      const running = () => {
        if (own.signal.aborted) return
        hasStarted = true
        host.state('running')
        resolve()
      }
      own.signal.addEventListener('abort', () => reject(own.signal.reason))
      host.start({ signal: own.signal, died }).then(running, died)
    })

  const ready = begin()
  ready.catch(() => {}) // it is reported
  return {
    ready,
    close() {
      clearTimeout(timer)
      life?.abort(new DOMException('the engine was closed', 'AbortError'))
    },
  }
}

/**
 * In the Worker: holds the lock until it ends. Resolves with whether it is held: it cannot be outside of secure contexts,
 * or where the browser stores nothing.
 */
export function holdLock(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true)
      return new Promise(() => {})
    }
    navigator.locks?.request(name, hold).catch(() => resolve(false)) ?? resolve(false)
  })
}

/**
 * In the window: ends the life of a Worker that does not answer.
 *
 * @param ask - settles when the Worker answers, or says that it handles messages
 */
export function watchAnswers(ask: () => Promise<unknown>, { signal, died }: Life): void {
  let missed = 0
  let isAsked = false
  const look = () => {
    if (isAsked) {
      if (++missed < patience) return
      const seconds = (patience * interval) / 1000
      died(new Error(`the engine's Worker has not answered for ${seconds} s`))
      return
    }
    isAsked = true
    missed = 0
    const answered = () => {
      isAsked = false
    }
    ask().then(answered, () => {}) // it was closed
  }
  look()
  const timer = setInterval(look, interval)
  signal.addEventListener('abort', () => clearInterval(timer))
}

/** In the window: ends the life of a Worker when the lock that it holds is free. */
export function watchLock(lock: string, { signal, died }: Life): void {
  let waiting: AbortController | undefined
  /** Requests the lock, except in the back/forward cache: a request that waits evicts the document from it. */
  const wait = () => {
    waiting = new AbortController()
    navigator.locks
      .request(lock, { signal: AbortSignal.any([signal, waiting.signal]) }, () =>
        died(new Error("the engine's Worker has ended")),
      )
      .catch(() => {}) // aborted
  }
  const listen = (type: string, act: () => void) =>
    globalThis.addEventListener?.(
      type,
      (event) => (event as PageTransitionEvent).persisted && act(),
      { signal },
    )
  wait()
  listen('pagehide', () => waiting?.abort())
  listen('pageshow', wait)
}

// Loads engine.wasm and the Worker.

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
