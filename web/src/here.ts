/**
 * An engine in the window itself, for `worker: false`. A module of its own, loaded when that is wanted: all
 * that an engine needs is in worker.ts as well, and most pages have it there.
 */

import { confirmGateway } from './confirm-gateway.ts'
import { type Engine, type EngineOptions, startEngine } from './engine.ts'
import { freshPage } from './pages.ts'
import type { redactContents } from './redacting.ts'
import type { abilitiesOf, call, provide, Thread, ThreadHost } from './thread.ts'
import type { GoRuntime } from './wasm.ts'
import { type Connection, connectGateway } from './websocket.ts'

/** What answers the engine. It is handed over, for it tells errors by classes that an app knows: those of its own module. */
export interface Answering {
  abilitiesOf: typeof abilitiesOf
  call: typeof call
  provide: typeof provide
  redactContents: typeof redactContents
}

/** Runs the engine in this thread. */
export async function here(
  options: EngineOptions,
  module: WebAssembly.Module,
  Go: new () => GoRuntime,
  host: ThreadHost,
  { abilitiesOf, call, provide, redactContents }: Answering,
): Promise<Thread> {
  const { redact } = host
  const engine: Engine = await startEngine(options, {
    module,
    Go,
    provide: (ref, request) => provide(host, ref, request),
    call: (...question) => call(host, ...question),
    state: host.engineState,
    read: host.read,
    report: host.report,
    ...(redact && { redact: (...read) => redactContents(redact, ...read) }),
  })
  const connections = new Map<number, Connection>()
  return {
    register: engine.register,
    unregister: engine.unregister,
    mount: (number, prefix, source) => engine.mount(number, prefix, abilitiesOf(source), source),
    unmount: engine.unmount,
    changed: (what) => engine.changed(0, what),
    open: (port, principal, closed) => engine.clients.openPort(port, principal, closed).end,
    connect(number, dial) {
      const connection = connectGateway(dial, {
        open: (channel) => engine.clients.openText(channel, 'gateway'),
        freshPage,
        confirm: confirmGateway,
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
    watchReads(on) {
      engine.clients.watchReads = on
    },
    close() {
      for (const connection of connections.values()) connection.close()
      engine.close()
    },
  }
}
