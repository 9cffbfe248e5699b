/**
 * The engine in its thread: one Go program, the sources that it calls, and its clients. A Go program that panics or runs
 * out of memory has ended for good, although its exports stay callable: its requests fail, its clients are closed, and
 * the window starts another Worker (supervisor.ts).
 */

import type { HandlerOutcome, SendUpdate } from './answer-call.ts'
import { type Clients, clients, type ReadEvent } from './clients.ts'
import { checkedItem, type Ready } from './contents.ts'
import { bodies } from './mirror.ts'
import type { AccessDecision, GrantTable, TableGrant } from './page-access.ts'
import { type Change, type WireCacheHints, wireCacheHints } from './registry.ts'
import type { Provide } from './replies.ts'
import {
  type Changed,
  type Contents,
  type ListName,
  orReport,
  type ReadOptions,
  type Source,
} from './source.ts'
import type { StartOptions } from './start.ts'
import { type GoRuntime, type Listener, type Program, run } from './wasm.ts'
import { answers, lists, questions, reasons, sourceReasonOf } from './wasm-numbers.ts'

/** The engine's description of itself, and its settings, as `start` gets them. */
export interface EngineOptions
  extends Pick<StartOptions, 'name' | 'title' | 'websiteUrl' | 'icons' | 'instructions'> {
  version: string
  pageSize: number
  /** The capabilities that are declared and served. */
  tools?: boolean
  prompts?: boolean
  completions?: boolean
  logging?: boolean
  noSubscribe?: boolean
  noListChanged?: boolean
  /** Of lists. */
  cacheHints?: WireCacheHints
  /** Nothing is allowed before {@link Engine.setGrants}. */
  asks?: boolean
}

/** What the engine needs from its thread. */
export interface EngineHost {
  module: WebAssembly.Module
  /** The class of Go's wasm_exec.js. */
  Go: new () => GoRuntime
  provide: Provide
  /**
   * Answers prompts, tools and completions, where their handlers are: of the source, or, if that is 0,
   * of what was registered. `what` and `text` are the engine's question.
   */
  call(
    source: number,
    what: number,
    text: string,
    sendUpdate: SendUpdate,
    signal: AbortSignal,
  ): Promise<HandlerOutcome>
  read(event: ReadEvent): void
  /** A request was decided by grants, and answered. */
  decided?(decision: AccessDecision): void
  /** The hook that what sources read goes through; absent: there is none. Rejects if it throws. */
  redact?(prefix: string, uri: string, contents: Contents[]): Promise<Contents[]>
  /** An error for the developer: a provider threw, Go panicked. */
  report(error: unknown): void
  /** The program has ended, and all clients are closed. */
  ended?(why: string): void
}

/** Calls of the engine by its thread. The caller chooses the numbers of sources, above 0. */
export interface Engine {
  readonly clients: Clients
  /** Adds and removes registrations. */
  apply(change: Change): void
  /** Replaces a published value, and announces the change if it is served. Without effect after its removal. */
  publish(ref: number, uri: string, ready: Ready | undefined, isServed: boolean): void
  /** `able` is a sum of {@link abilities}. */
  mount(number: number, prefix: string, able: number, source: ThreadSource): void
  unmount(number: number): void
  /** Source 0 is what was registered. A URI of its own, or the name of a list. */
  changed(source: number, what: string | { list: ListName } | undefined, under?: boolean): void
  /** Replaces the decisions about assistants: requests that run and are denied now fail. */
  setGrants(table: GrantTable): void
  /** Ends subscriptions with their result, closes all ports. For good. */
  close(): void
}

/**
 * A source whose `watch` may be in another thread: `watching` settles when it has been called. Its
 * prompts and tools are called by {@link EngineHost.call}.
 */
export interface ThreadSource extends Pick<Source, 'list' | 'read' | 'templates' | 'watch'> {
  watching?(): Promise<void>
}

interface Mounted {
  readonly prefix: string
  readonly source: ThreadSource
  watching: AbortController | undefined
}

/**
 * Starts the engine.
 *
 * @throws if engine.wasm does not start
 */
export async function startEngine(options: EngineOptions, host: EngineHost): Promise<Engine> {
  const contents = bodies()
  const mounted = new Map<number, Mounted>()
  const openCalls = new Map<number, AbortController>()
  let deferred: (() => void)[] = [] // calls of the web app's code, which must not run within Go
  let hasGrants = false
  let isOver = true // or it has not started

  const all = clients({
    provide: host.provide,
    contents,
    program: () => program,
    read: host.read,
    decided: (decision) => host.decided?.(decision),
    report: host.report,
  })
  const defer = (act: () => void) => {
    deferred.push(act)
    if (program) program.goroutinesReady = true
  }
  const listener: Listener = {
    ...all.listener,
    report: (text) => defer(() => host.report(new Error(text))),
    callSource: (question, source, what, text, client) =>
      defer(() => void callSource(question, source, what, text, client)),
    cancelCall: (question) => {
      const controller = openCalls.get(question)
      openCalls.delete(question)
      defer(() => controller?.abort())
    },
    watch: (number, on) => defer(() => watch(number, on)),
  }
  let program = undefined as unknown as Program // until it runs; nothing is called before
  program = await run(host.module, host.Go, listener, woken)

  /** Performs what Go has recorded. Called whenever Go ran. */
  function woken() {
    all.drain()
    const acts = deferred
    deferred = []
    for (const act of acts) act()
    if (!program?.exited || isOver) return
    end()
    all.lost()
    host.ended?.('engine.wasm has ended')
  }

  /** What the program has called ends. */
  function end() {
    isOver = true
    program.kill()
    for (const controller of openCalls.values()) controller.abort()
    openCalls.clear()
    for (const { watching } of mounted.values()) watching?.abort()
  }

  async function callSource(
    question: number,
    number: number,
    what: number,
    text: string,
    client: string,
  ) {
    const controller = new AbortController()
    const { signal } = controller
    openCalls.set(question, controller)
    const waits = () => openCalls.get(question) === controller
    const kept: number[] = []
    const dropKept = () => {
      for (const ref of kept) all.read.take(ref)
    }
    let outcome: HandlerOutcome = { reason: reasons.none, text: '' }
    try {
      const entry = mounted.get(number)
      if (what >= questions.getPrompt) {
        const sendUpdate: SendUpdate = (kind, params) => {
          if (!waits()) return // answered or cancelled
          program.call((exports) => exports.updateCall(question, kind, program.write(params)))
        }
        outcome = await host.call(number, what, text, sendUpdate, signal)
      } else if (entry === undefined) {
        outcome.reason = reasons.notFound
      } else {
        outcome.text = await answerOf(entry, what, text, { signal, client }, kept)
      }
    } catch (error) {
      dropKept()
      outcome.reason = sourceReasonOf(error)
      if (outcome.reason === reasons.internal && !signal.aborted) host.report(error)
    }
    if (!waits()) {
      dropKept()
      return
    }
    openCalls.delete(question)
    program.call((exports) =>
      exports.answerCall(question, outcome.reason, program.write(outcome.text)),
    )
  }

  async function answerOf(
    { source, prefix }: Mounted,
    what: number,
    text: string,
    request: ReadOptions,
    kept: number[],
  ) {
    const { pageSize } = options
    const read = async () => {
      const contents = await source.read(text, request)
      return host.redact === undefined ? contents : host.redact(prefix, text, contents)
    }
    switch (what) {
      case questions.list: {
        const cursor = text === '' ? undefined : text
        return JSON.stringify(await source.list(cursor, { pageSize, ...request }))
      }
      case questions.read: {
        const contents = await read()
        return request.signal.aborted
          ? ''
          : JSON.stringify({ contents: contents.map((item) => withoutBody(item, kept)) })
      }
      case questions.has:
        await read()
        return ''
      case questions.watching:
        await source.watching?.()
        return ''
      default:
        return JSON.stringify({ templates: (await source.templates?.()) ?? [] })
    }
  }

  /** An item as Go sees it: its text or blob stays here, under a number that is added to `kept`. */
  function withoutBody(item: Contents, kept: number[]) {
    const ref = all.read.keep(checkedItem(item))
    kept.push(ref)
    const { uri, mimeType, cache, _meta } = item
    return { uri, mimeType, _meta, cacheHints: wireCacheHints(cache), ref }
  }

  function watch(number: number, on: boolean) {
    const entry = mounted.get(number)
    if (entry === undefined) return
    entry.watching?.abort()
    entry.watching = undefined
    if (!on) return
    entry.watching = new AbortController()
    const { signal } = entry.watching
    const listener: Changed = (uri, under) => {
      if (!signal.aborted) changed(number, uri, under)
    }
    void orReport(() => entry.source.watch?.(listener, signal), signal, host.report)
  }

  function changed(source: number, what: string | { list: ListName } | undefined, under = false) {
    const list = typeof what === 'object' ? what.list : 'resources'
    if (!Object.hasOwn(lists, list)) {
      host.report(new TypeError(`changed({ list: ${String(list)} }): there is no such list`))
      return
    }
    program.call((exports) => {
      const n = typeof what === 'string' ? program.write(what) : lists[list]
      return exports.changed(source, n, under ? 1 : 0)
    })
  }

  const started = program.call((exports) => exports.start(program.write(JSON.stringify(options))))
  if (program.exited || started !== answers.done) {
    const what = program.exited
      ? 'ended at its start: copy all files of one version of the package'
      : 'rejected its options; the error event before this one names it'
    program.kill() // its timers
    throw new Error(`engine.wasm ${what}`)
  }
  isOver = false
  return {
    clients: all,
    apply({ values = [], register = [], unregister, forget, changed: uris = [] }) {
      for (const [ref, ready] of values) contents.publish(ref, ready)
      if (forget) {
        contents.forget(forget.first, forget.count)
        all.mirror.removed(forget.first, forget.count)
      } else if (uris.length > 0) {
        all.mirror.dropAll()
      }
      for (const { first, text } of register) {
        program.call((exports) => exports.register(first, program.write(text)))
      }
      if (unregister) program.call((exports) => exports.unregister(program.write(unregister)))
      for (const uri of uris) changed(0, uri)
    },
    publish(ref, uri, ready, isServed) {
      if (!contents.isPublished(ref) || !contents.publish(ref, ready)) return
      all.mirror.changed(ref)
      if (isServed) changed(0, uri)
    },
    mount(number, prefix, able, source) {
      all.mirror.dropAll()
      mounted.set(number, { prefix, source, watching: undefined })
      program.call((exports) => exports.mount(number, able, program.write(prefix)))
    },
    unmount(number) {
      mounted.get(number)?.watching?.abort()
      mounted.delete(number)
      program.call((exports) => exports.unmount(number))
    },
    changed,
    setGrants(table) {
      if (!hasGrants) all.mirror.dropAll() // the hints for caches are others
      hasGrants = true
      program.call((exports) => exports.setGrants(program.write(grantsText(table))))
      all.endDenied(table)
    },
    close() {
      if (isOver) return
      isOver = true
      program.call((exports) => exports.stop())
      all.closeAll('the page stopped serving')
      end()
    },
  }
}

/** A table for Go, with the one that gateways get: windows and single tools do not concern them. */
function grantsText(table: GrantTable): string {
  const concerns = ({ assistant, tool }: TableGrant) =>
    tool === undefined && !assistant.includes('://')
  const gateway = { ...table, grants: table.grants.filter(concerns) }
  return JSON.stringify({ ...table, gateway })
}
