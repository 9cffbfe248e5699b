/**
 * Runs the engine in the window, for `worker: false`. A file of its own in the package, loaded on demand:
 * most pages have the engine in worker.js.
 *
 * Modules with state must not be imported here, since index.js has them too: the window hands their
 * functions over ({@link WindowFunctions}).
 */

import type { confirmGateway } from './confirm-gateway.ts'
import { type Ready, transfersOf } from './contents.ts'
import { startEngine } from './engine.ts'
import type { Engine, EngineOptions } from './engine-types.ts'
import type { Connection } from './gateway-types.ts'
import { tokenJoining } from './join-token.ts'
import type { newPageId, presentPageId } from './page-id.ts'
import type { redactContents } from './redacting.ts'
import type { abilitiesOf, call, provide, Thread, ThreadHost } from './thread.ts'
import type { GoRuntime } from './wasm.ts'
import { connectGateway } from './websocket.ts'

/** Functions of index.js, with its state and its classes of errors, which apps test with `instanceof`. */
export interface WindowFunctions {
  abilitiesOf: typeof abilitiesOf
  call: typeof call
  confirmGateway: typeof confirmGateway
  newPageId: typeof newPageId
  presentPageId: typeof presentPageId
  provide: typeof provide
  redactContents: typeof redactContents
}

/** Starts the engine in this thread. */
export async function startInWindow(
  options: EngineOptions,
  module: WebAssembly.Module,
  host: ThreadHost,
  {
    abilitiesOf,
    call,
    confirmGateway,
    newPageId,
    presentPageId,
    provide,
    redactContents,
  }: WindowFunctions,
): Promise<Thread> {
  const { redact } = host
  const engine: Engine = await startEngine(options, {
    module,
    Go: await goRuntime(),
    provide(ref, uri, variables, call) {
      const ready = provide(host, ref, uri, variables, call)
      if (ready instanceof Promise) return ready.then(given)
      return given(ready)
    },
    call: (...question) => call(host, ...question),
    state: host.engineState,
    read: host.read,
    report: host.report,
    ...(redact && { redact: (...read) => redactContents(redact, ...read) }),
  })
  const connections = new Map<number, Connection>()
  return {
    register: (first, added, published) =>
      engine.register(
        first,
        added,
        published?.map(([index, ready]) => [index, ownCopy(ready)]),
      ),
    unregister: engine.unregister,
    publish: (ref, uri, ready) => engine.publish(ref, uri, ownCopy(ready)),
    mount: (number, prefix, source) => engine.mount(number, prefix, abilitiesOf(source), source),
    unmount: engine.unmount,
    changed: (what) => engine.changed(0, what),
    open: (port, principal, closed) => engine.clients.openPort(port, principal, closed).end,
    connect(number, dial, token) {
      const connection = connectGateway(dial, {
        open: (channel) => engine.clients.openText(channel, 'gateway'),
        pageId: presentPageId,
        newPageId,
        confirm: confirmGateway,
        ...(token && { tokens: tokenJoining(token) }),
        together: (act) => act(),
        state: (state) => host.gatewayState(number, state),
      })
      connections.set(number, connection)
      return connection.joined
    },
    disconnect(number) {
      connections.get(number)?.close()
      connections.delete(number)
    },
    wake() {
      for (const connection of connections.values()) connection.wake()
    },
    watchReads: engine.clients.watchReads,
    close() {
      for (const connection of connections.values()) connection.close()
      engine.close()
    },
  }
}

/** A value as a Worker would get it: bytes that the app changes later do not change what is published. */
function ownCopy(ready: Ready | undefined): Ready | undefined {
  return structuredClone(ready, { transfer: transfersOf(ready) })
}

/** The answer of a provider; bytes that it transfers are taken away from it, as a Worker would. */
function given(ready: Ready | undefined): Ready | undefined {
  return ready?.transfers ? ownCopy(ready) : ready
}

/** The class that Go's wasm_exec.js defines as a global; the bundler includes the file here. */
async function goRuntime(): Promise<new () => GoRuntime> {
  const global = globalThis as { Go?: new () => GoRuntime }
  if (global.Go === undefined) await import('wasm_exec')
  if (global.Go === undefined) throw new Error('wasm_exec.js did not define Go')
  return global.Go
}
