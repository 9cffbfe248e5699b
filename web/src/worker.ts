/**
 * The engine's thread: engine, sockets and portable sources in a dedicated Worker. Calls that need the
 * document go to the window (thread.ts).
 */

import 'wasm_exec'
import type { HandlerOutcome, SendUpdate } from './call.ts'
import type { Cancellation } from './cancellation.ts'
import type { Client } from './clients.ts'
import type { Ready } from './contents.ts'
import { startEngine } from './engine.ts'
import type { Engine, EngineOptions, PublishedValues, ThreadSource } from './engine-types.ts'
import type { Connection, Dial } from './gateway-types.ts'
import { tokenJoining } from './join-token.ts'
import { type Crossing, crossed, dropTexts, type LargeTexts } from './large-texts.ts'
import { link, serializeError } from './link.ts'
import { lastMessageTime, type Port } from './port.ts'
import { portableReader } from './readers.ts'
import type { Descriptions } from './registry.ts'
import type { Changed, Contents, Listing, Portable, Source, Template } from './source.ts'
import type { ProvideArguments } from './thread.ts'
import type { GoRuntime } from './wasm.ts'
import { abilities } from './wasm-numbers.ts'
import { connectGateway } from './websocket.ts'
import { holdLock } from './worker-life.ts'

let engine: Engine | undefined
let hold: (() => Promise<void>) | undefined // until it is called
const ports = new Map<number, Client>()
const connections = new Map<number, Connection>()
const changes = new Map<number, Changed>() // of watched sources, by number
const unmounts = new Map<number, AbortController>() // of sources that read here, by number
const updateSenders = new Map<number, SendUpdate>() // of calls that wait for the window
const gotTexts: LargeTexts = new Map()
let lastCall = 0

const report = (error: unknown) => windowThread.notify('report', serializeError(error))

const windowThread = link(
  self as unknown as Port,
  {
    async start({ options, module, redacts, lock, isDown }: Start) {
      windowThread.notify('loaded', undefined)
      hold = async () => {
        hold = undefined
        if (await holdLock(lock)) windowThread.notify('held', lock)
      }
      engine = await startEngine(options, {
        module,
        isDown,
        Go: (globalThis as unknown as { Go: new () => GoRuntime }).Go,
        async provide(ref, uri, variables, call) {
          const known = gotTexts.get(ref)
          const args: ProvideArguments = { ref, uri, variables }
          if (known !== undefined) args.has = known.number
          const sent = (await windowThread.request('provide', args, call)) as Crossing
          return crossed(gotTexts, ref, known, sent)
        },
        async call(source, what, text, sendUpdate, signal) {
          const number = ++lastCall
          updateSenders.set(number, sendUpdate)
          try {
            return (await windowThread.request(
              'call',
              { number, source, what, text },
              signal,
            )) as HandlerOutcome
          } finally {
            updateSenders.delete(number)
          }
        },
        state: (state) => windowThread.notify('engineState', state),
        read: (event) => windowThread.notify('read', event),
        report,
        ...(redacts && {
          redact: (prefix: string, uri: string, contents: Contents[]) =>
            windowThread.request('redact', { prefix, uri, contents }) as Promise<Contents[]>,
        }),
      })
    },
    register: ({ first, added, published }: Registered) =>
      engine?.register(first, added, published),
    publish: ({ ref, uri, ready }: { ref: number; uri: string; ready: Ready | undefined }) =>
      engine?.publish(ref, uri, ready),
    unregister({ first, count }: { first: number; count: number }) {
      dropTexts(gotTexts, first, count)
      engine?.unregister(first)
    },
    mount(args: { number: number; prefix: string; able: number; portable?: Portable }) {
      const { number, prefix, able, portable } = args
      const reader = portable && portableReader(portable)
      if (reader?.mounted) {
        const unmounted = new AbortController()
        reader.mounted(unmounted.signal)
        unmounts.set(number, unmounted)
      }
      engine?.mount(number, prefix, able, sourceOf(number, able, reader))
    },
    unmount(number: number) {
      engine?.unmount(number)
      unmounts.get(number)?.abort()
      unmounts.delete(number)
    },
    update: (update: { number: number; what: number; text: string }) =>
      updateSenders.get(update.number)?.(update.what, update.text),
    changed: ({ source, what }: { source: number; what?: What }) => engine?.changed(source, what),
    watched: ({ source, what, under }: { source: number; what?: What; under?: boolean }) =>
      changes.get(source)?.(what, under),
    open({ number, port, principal }: { number: number; port: MessagePort; principal: string }) {
      const closed = () => {
        ports.delete(number)
        windowThread.notify('closed', number)
      }
      if (engine) ports.set(number, engine.clients.openPort(port, principal, closed))
    },
    shut: ({ number, reason }: { number: number; reason: string }) =>
      ports.get(number)?.end(reason),
    connect({ number, dial }: { number: number; dial: Dial }, call: Cancellation) {
      if (engine === undefined) return undefined
      void hold?.()
      const { clients } = engine
      const connection = connectGateway(dial, {
        open: (channel) => clients.openText(channel, 'gateway'),
        pageId: () => windowThread.request('pageId', undefined) as Promise<string>,
        newPageId: () => windowThread.request('newPageId', undefined) as Promise<string>,
        tokens: tokenJoining(() => windowThread.request(`token ${number}`, undefined)),
        together: windowThread.together,
        confirm: (question, signal) =>
          windowThread.request('confirm', question, signal) as Promise<boolean>,
        state: (state) => windowThread.notify('gatewayState', { number, state }),
      })
      connections.set(number, connection)
      call.onCancel = () => connection.close()
      return connection.joined
    },
    disconnect(number: number) {
      connections.get(number)?.close()
      connections.delete(number)
    },
    alive: () => undefined,
    wake() {
      for (const connection of connections.values()) connection.wake()
    },
    watchReads(on: boolean) {
      engine?.clients.watchReads(on)
    },
    close() {
      for (const connection of connections.values()) connection.close()
      engine?.close()
      setTimeout(() => self.close(), lastMessageTime)
    },
  },
  report,
)

interface Registered {
  first: number
  added: Descriptions
  published?: PublishedValues
}

type What = Parameters<Changed>[0]

interface Start {
  options: EngineOptions
  module: WebAssembly.Module
  /** Whether the window has a hook that contents pass. */
  redacts: boolean
  /** See {@link EngineHost.isDown}. */
  isDown: boolean
  /** The name of a Web Lock: the window notices its release. */
  lock: string
}

/** A source whose code runs in the window, except for the half that reads here. */
function sourceOf(number: number, able: number, reader: Source | undefined): ThreadSource {
  const ask = (what: string, args: object, signal?: AbortSignal) =>
    windowThread.request(what, { source: number, ...args }, signal)
  const { list, read } = reader ?? {
    list: (cursor, { pageSize, signal }) =>
      ask('list', { cursor, pageSize }, signal) as Promise<Listing>,
    read: (uri, { signal }) => ask('readSource', { uri }, signal) as Promise<Contents[]>,
  }
  return {
    list,
    read,
    ...(able & abilities.templates && {
      templates: () => ask('templates', {}) as Promise<Template[]>,
    }),
    ...(able & abilities.watch && {
      watching: () => windowThread.request('watching', undefined) as Promise<void>, // after the window's watch
      watch(changed: Changed, signal: AbortSignal) {
        changes.set(number, changed)
        windowThread.notify('watch', { source: number, on: true })
        signal.addEventListener('abort', () => {
          if (changes.get(number) === changed) changes.delete(number)
          windowThread.notify('watch', { source: number, on: false })
        })
      },
    }),
  }
}
