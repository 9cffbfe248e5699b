/**
 * The engine's thread: engine, sockets and portable sources in a dedicated Worker. Everything that
 * needs the document is asked of the window (thread.ts).
 */

import 'wasm_exec'
import type { Client } from './clients.ts'
import type { Ready } from './contents.ts'
import { type Engine, type EngineOptions, type FarSource, startEngine } from './engine.ts'
import type { ReadRequest } from './fill.ts'
import { flat, link } from './link.ts'
import type { Port } from './port.ts'
import type { Changed, Contents, Listing, Portable, Resource, Source, Template } from './source.ts'
import { type IdbOptions, idbReader } from './sources/idb.ts'
import type { GoRuntime } from './wasm.ts'
import { type Connection, connectGateway, type Dial } from './websocket.ts'

let engine: Engine | undefined
const ports = new Map<number, Client>()
const connections = new Map<number, Connection>()
const changes = new Map<number, Changed>() // of watched sources, by number

const report = (error: unknown) => host.tell('report', flat(error))

const host = link(
  self as unknown as Port,
  {
    async start({ options, module }: { options: EngineOptions; module: WebAssembly.Module }) {
      engine = await startEngine(options, {
        module,
        Go: (globalThis as unknown as { Go: new () => GoRuntime }).Go,
        provide: (ref, { uri, variables, signal }: ReadRequest) =>
          host.ask('provide', { ref, uri, variables }, signal) as Promise<Ready | undefined>,
        state: (state) => host.tell('engineState', state),
        read: (event) => host.tell('read', event),
        report,
      })
    },
    register(args: { first: number; resources: Resource[]; templates: Template[] }) {
      engine?.register(args.first, args.resources, args.templates)
    },
    unregister: (first: number) => engine?.unregister(first),
    mount(args: { number: number; prefix: string; able: Able; portable?: Portable }) {
      engine?.mount(args.number, args.prefix, sourceOf(args.number, args.able, args.portable))
    },
    unmount: (number: number) => engine?.unmount(number),
    changed: ({ source, uri }: { source: number; uri?: string }) => engine?.changed(source, uri),
    watched: ({ source, uri, under }: { source: number; uri?: string; under?: boolean }) =>
      changes.get(source)?.(uri, under),
    open({ number, port, principal }: { number: number; port: MessagePort; principal: string }) {
      const closed = () => {
        ports.delete(number)
        host.tell('closed', number)
      }
      if (engine) ports.set(number, engine.clients.openPort(port, principal, closed))
    },
    shut: (number: number) => ports.get(number)?.close(),
    connect({ number, dial }: { number: number; dial: Dial }, signal: AbortSignal) {
      if (engine === undefined) return undefined
      const { clients } = engine
      const connection = connectGateway(dial, {
        open: (channel) => clients.openText(channel, 'gateway'),
        freshPage: () => host.ask('freshPage', undefined) as Promise<string>,
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
      self.close()
    },
  },
  report,
)

/** What a source has besides list and read. */
export interface Able {
  templates: boolean
  watch: boolean
}

/** A source whose code runs in the window, except for what is portable. */
function sourceOf(number: number, able: Able, portable: Portable | undefined): FarSource {
  const ask = (what: string, args: object, signal?: AbortSignal) =>
    host.ask(what, { source: number, ...args }, signal)
  const source: Source =
    portable?.kind === 'idb'
      ? idbReader(portable.options as unknown as IdbOptions)
      : {
          list: (cursor, { pageSize, signal }) =>
            ask('list', { cursor, pageSize }, signal) as Promise<Listing>,
          read: (uri, { signal }) => ask('readSource', { uri }, signal) as Promise<Contents[]>,
          ...(able.templates && {
            templates: () => ask('templates', {}) as Promise<Template[]>,
          }),
        }
  if (!able.watch) return source
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
