/**
 * The engine's thread: engine, sockets and portable sources in a dedicated Worker. Everything that
 * needs the document is asked of the window (thread.ts).
 */

import 'wasm_exec'
import type { HandlerOutcome, Say } from './call.ts'
import type { Client } from './clients.ts'
import type { Ready } from './contents.ts'
import { type Engine, type EngineOptions, startEngine, type ThreadSource } from './engine.ts'
import type { ReadRequest } from './fill.ts'
import { flat, link } from './link.ts'
import { lastMessageTime, type Port } from './port.ts'
import { portableReader } from './readers.ts'
import type { Descriptions } from './registry.ts'
import type { Changed, Contents, Listing, Portable, Source, Template } from './source.ts'
import { abilities, type GoRuntime } from './wasm.ts'
import { type Connection, connectGateway, type Dial } from './websocket.ts'

let engine: Engine | undefined
const ports = new Map<number, Client>()
const connections = new Map<number, Connection>()
const changes = new Map<number, Changed>() // of watched sources, by number
const says = new Map<number, Say>() // of calls that wait for the window
let lastCall = 0

const report = (error: unknown) => host.tell('report', flat(error))

const host = link(
  self as unknown as Port,
  {
    async start({ options, module, redacts }: Start) {
      engine = await startEngine(options, {
        module,
        Go: (globalThis as unknown as { Go: new () => GoRuntime }).Go,
        provide: (ref, { uri, variables, signal }: ReadRequest) =>
          host.ask('provide', { ref, uri, variables }, signal) as Promise<Ready | undefined>,
        async call(source, what, text, say, signal) {
          const number = ++lastCall
          says.set(number, say)
          try {
            return (await host.ask(
              'call',
              { number, source, what, text },
              signal,
            )) as HandlerOutcome
          } finally {
            says.delete(number)
          }
        },
        state: (state) => host.tell('engineState', state),
        read: (event) => host.tell('read', event),
        report,
        ...(redacts && {
          redact: (prefix: string, uri: string, contents: Contents[]) =>
            host.ask('redact', { prefix, uri, contents }) as Promise<Contents[]>,
        }),
      })
    },
    register: ({ first, added }: { first: number; added: Descriptions }) =>
      engine?.register(first, added),
    unregister: (first: number) => engine?.unregister(first),
    mount(args: { number: number; prefix: string; able: number; portable?: Portable }) {
      const { number, prefix, able, portable } = args
      engine?.mount(number, prefix, able, sourceOf(number, able, portable))
    },
    unmount: (number: number) => engine?.unmount(number),
    said: (said: { number: number; what: number; text: string }) =>
      says.get(said.number)?.(said.what, said.text),
    changed: ({ source, what }: { source: number; what?: What }) => engine?.changed(source, what),
    watched: ({ source, what, under }: { source: number; what?: What; under?: boolean }) =>
      changes.get(source)?.(what, under),
    open({ number, port, principal }: { number: number; port: MessagePort; principal: string }) {
      const closed = () => {
        ports.delete(number)
        host.tell('closed', number)
      }
      if (engine) ports.set(number, engine.clients.openPort(port, principal, closed))
    },
    shut: ({ number, reason }: { number: number; reason: string }) =>
      ports.get(number)?.end(reason),
    connect({ number, dial }: { number: number; dial: Dial }, signal: AbortSignal) {
      if (engine === undefined) return undefined
      const { clients } = engine
      const connection = connectGateway(dial, {
        open: (channel) => clients.openText(channel, 'gateway'),
        newPageId: () => host.ask('newPageId', undefined) as Promise<string>,
        confirm: (question) => host.ask('confirm', question) as Promise<boolean>,
        state: (state) => host.tell('gatewayState', { number, state }),
      })
      connections.set(number, connection)
      signal.addEventListener('abort', () => connection.close())
      return connection.joined
    },
    disconnect(number: number) {
      connections.get(number)?.close()
      connections.delete(number)
    },
    wake() {
      for (const connection of connections.values()) connection.wake()
    },
    watchReads(on: boolean) {
      if (engine) engine.clients.watchReads = on
    },
    close() {
      for (const connection of connections.values()) connection.close()
      engine?.close()
      setTimeout(() => self.close(), lastMessageTime)
    },
  },
  report,
)

type What = Parameters<Changed>[0]

interface Start {
  options: EngineOptions
  module: WebAssembly.Module
  /** Whether the window has a hook that contents go through. */
  redacts: boolean
}

/** A source whose code runs in the window, except for what is portable. */
function sourceOf(number: number, able: number, portable: Portable | undefined): ThreadSource {
  const ask = (what: string, args: object, signal?: AbortSignal) =>
    host.ask(what, { source: number, ...args }, signal)
  const source: Source =
    portable !== undefined
      ? portableReader(portable, (able & abilities.templates) !== 0)
      : {
          list: (cursor, { pageSize, signal }) =>
            ask('list', { cursor, pageSize }, signal) as Promise<Listing>,
          read: (uri, { signal }) => ask('readSource', { uri }, signal) as Promise<Contents[]>,
          ...(able & abilities.templates && {
            templates: () => ask('templates', {}) as Promise<Template[]>,
          }),
        }
  if (!(able & abilities.watch)) return source
  return {
    list: (cursor, options) => source.list(cursor, options),
    read: (uri, options) => source.read(uri, options),
    ...(source.templates && { templates: () => source.templates?.() ?? Promise.resolve([]) }),
    watching: () => host.ask('watching', undefined) as Promise<void>, // after the window's watch
    watch(changed, signal) {
      changes.set(number, changed)
      host.tell('watch', { source: number, on: true })
      signal.addEventListener('abort', () => {
        if (changes.get(number) === changed) changes.delete(number)
        host.tell('watch', { source: number, on: false })
      })
    },
  }
}
