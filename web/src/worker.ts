/**
 * The engine's thread: engine, sockets and portable sources in a dedicated Worker.
 * Calls that need the document go to the window (thread.ts).
 */

import type { SendUpdate } from './answer-call.ts'
import type { Client } from './clients.ts'
import { type Engine, startEngine, type ThreadSource } from './engine.ts'
import type { EngineCalls, WindowCalls } from './link.ts'
import { lastMessageTime, link, onMessages, type Port, serializeError } from './link.ts'
import type { AccessDecision } from './page-access.ts'
import type { Changed, Source } from './source.ts'
import { idbReader } from './sources/idb-reader.ts'
import { holdLock, interval, workerName } from './supervisor.ts'
import type { GoRuntime } from './wasm.ts'
import { abilities } from './wasm-numbers.ts'
import type { Connection } from './websocket.ts'
import { connectGateway } from './websocket.ts'

/** How long decisions are collected for the audit, ms: a message for each would cost as much as the answer. */
const decisionsDelay = 100

/**
 * Serves the window at the other end of a port.
 *
 * @param closed - called when the engine was closed
 */
export function serve(port: Port, closed: () => void): void {
  let engine: Engine | undefined
  let hold: (() => Promise<void>) | undefined // until it is called
  const ports = new Map<number, Client>()
  const connections = new Map<number, Connection>()
  const changes = new Map<number, Changed>() // of watched sources, by number
  const unmounts = new Map<number, AbortController>() // of sources that read here, by number
  const updateSenders = new Map<number, SendUpdate>() // of calls that wait for the window
  let lastCall = 0
  const decisions: AccessDecision[] = [] // that the window gets with the next timer

  const report = (error: unknown) => page.notify('report', serializeError(error))

  const passDecisions = () => page.notify('decided', decisions.splice(0))

  const page = link<EngineCalls, WindowCalls>(
    port,
    {
      async start({ options, module, redacts, lock }) {
        page.notify('loaded', undefined)
        onMessages(() => page.notify('alive', undefined), interval)
        hold = async () => {
          hold = undefined
          if (await holdLock(lock)) page.notify('held', lock)
        }
        engine = await startEngine(options, {
          module,
          Go: await goRuntime(),
          provide: (ref, uri, variables, signal) =>
            page.request('provide', { ref, uri, variables }, signal()),
          async call(source, what, text, sendUpdate, signal) {
            const number = ++lastCall
            updateSenders.set(number, sendUpdate)
            try {
              return await page.request('call', { number, source, what, text }, signal)
            } finally {
              updateSenders.delete(number)
            }
          },
          read: (event) => page.notify('read', event),
          decided(decision) {
            if (decisions.push(decision) === 1) setTimeout(passDecisions, decisionsDelay)
          },
          report,
          ended(why) {
            page.notify('ended', why)
            closed()
          },
          ...(redacts && {
            redact: (prefix, uri, contents) => page.request('redact', { prefix, uri, contents }),
          }),
        })
      },
      apply: (change) => engine?.apply(change),
      publish: ({ ref, uri, ready, isServed }) => engine?.publish(ref, uri, ready, isServed),
      mount({ number, prefix, able, portable }) {
        const reader = portable && idbReader(portable.options as never)
        if (reader) {
          const unmounted = new AbortController()
          reader.mounted(unmounted.signal)
          unmounts.set(number, unmounted)
        }
        engine?.mount(number, prefix, able, sourceOf(number, able, reader))
      },
      unmount(number) {
        engine?.unmount(number)
        unmounts.get(number)?.abort()
        unmounts.delete(number)
      },
      update: ({ number, what, text }) => updateSenders.get(number)?.(what, text),
      changed: (what) => engine?.changed(0, what),
      watched: ({ source, what, under }) => changes.get(source)?.(what, under),
      open({ number, port, principal }) {
        const closed = () => {
          ports.delete(number)
          page.notify('closed', number)
        }
        if (engine) ports.set(number, engine.clients.openPort(port, principal, closed))
      },
      shut: ({ number, reason }) => ports.get(number)?.end(reason),
      connect({ number, dial }, signal) {
        void hold?.()
        const { clients } = engine as Engine // it has started
        const connection = connectGateway(dial, {
          open: (channel) => clients.openText(channel, 'gateway'),
          pageId: () => page.request('pageId', undefined),
          newPageId: () => page.request('newPageId', undefined),
          forgotten: () => page.notify('forgotten', undefined),
          ...(dial.hasToken && { token: () => page.request('token', number) }),
          together: page.together,
          confirm: (question, signal) => page.request('confirm', question, signal),
          state: (state) => page.notify('gatewayState', { number, state }),
        })
        connections.set(number, connection)
        signal().addEventListener('abort', () => connection.close())
        return connection.joined
      },
      disconnect(number) {
        connections.get(number)?.close()
        connections.delete(number)
      },
      setAccess: (table) => engine?.setGrants(table),
      alive: () => undefined,
      wake(asleep) {
        engine?.clients.mirror.sleep(asleep)
        if (asleep) return
        for (const connection of connections.values()) connection.wake()
      },
      moved(place) {
        for (const connection of connections.values()) connection.moved(place)
      },
      watchReads: (on) => engine?.clients.watchReads(on),
      close() {
        for (const connection of connections.values()) connection.close()
        engine?.close()
        closed()
      },
    },
    report,
  )

  /** A source whose code runs in the window, except for the half that reads here. */
  function sourceOf(
    source: number,
    able: number,
    reader: Pick<Source, 'list' | 'read'> | undefined,
  ): ThreadSource {
    const { list, read } = reader ?? {
      list: (cursor, { signal, ...options }) =>
        page.request('list', { source, cursor, ...options }, signal),
      read: (uri, { signal, ...options }) =>
        page.request('readSource', { source, uri, ...options }, signal),
    }
    return {
      list,
      read,
      ...(able & abilities.templates && {
        templates: () => page.request('templates', { source }),
      }),
      ...(able & abilities.watch && {
        watching: () => page.request('watching', undefined), // after the window's watch
        watch(changed: Changed, signal: AbortSignal) {
          changes.set(source, changed)
          page.notify('watch', { source, on: true })
          signal.addEventListener('abort', () => {
            if (changes.get(source) === changed) changes.delete(source)
            page.notify('watch', { source, on: false })
          })
        },
      }),
    }
  }
}

/** The class that Go's wasm_exec.js defines as a global; the bundler includes the file here. */
async function goRuntime(): Promise<new () => GoRuntime> {
  const global = globalThis as unknown as { Go: new () => GoRuntime }
  if (global.Go === undefined) await import('wasm_exec')
  return global.Go
}

// Elsewhere, as in tests, nothing is served yet.
if ('WorkerGlobalScope' in globalThis && self.name === workerName) {
  serve(self as unknown as Port, () => setTimeout(() => self.close(), lastMessageTime))
}
