/**
 * The engine in its thread, with its supervisor. A Go program that panics or runs out of memory has
 * ended for good, although its exports stay callable. Its pending requests then fail, and a new instance
 * starts with the same registrations, mounts and clients.
 */

import type { GrantTable, TableGrant } from './access-types.ts'
import { bodies } from './bodies.ts'
import type { HandlerOutcome, SendUpdate } from './call.ts'
import { clients } from './clients.ts'
import { checkedItem } from './contents.ts'
import type {
  Engine,
  EngineHost,
  EngineOptions,
  EngineState,
  ThreadSource,
} from './engine-types.ts'
import { type Change, registry, wireCacheHints } from './registry.ts'
import { restartPolicy } from './restarts.ts'
import {
  type Changed,
  type Contents,
  type ListName,
  type ReadOptions,
  watchSource,
} from './source.ts'
import { type Listener, type Program, run } from './wasm.ts'
import { answers, lists, questions, reasons, sourceReasonOf } from './wasm-numbers.ts'

interface Mounted {
  readonly prefix: string
  readonly able: number
  readonly source: ThreadSource
  watching: AbortController | undefined
}

/**
 * Starts the engine.
 *
 * @throws if engine.wasm does not start the first time
 */
export async function startEngine(options: EngineOptions, host: EngineHost): Promise<Engine> {
  let program: Program | undefined
  let state: EngineState = 'restarting'
  const registered = registry()
  const contents = bodies()
  const mounted = new Map<number, Mounted>()
  let openCalls = new Map<number, AbortController>()
  let deferred: (() => void)[] = [] // calls of the web app's code, which must not run within Go
  const nextRestart = restartPolicy()
  let grants: GrantTable | undefined

  const all = clients({
    provide: host.provide,
    contents,
    read: host.read,
    decided: (decision) => host.decided?.(decision),
    report: host.report,
    died,
    lists: announced(options),
  })
  const defer = (act: () => void) => {
    deferred.push(act)
    all.wake()
  }
  const listener: Listener = {
    ...all.listener,
    report: (text) => defer(() => host.report(new Error(text))),
    callSource: (question, source, what, text, client) => {
      const requester = program
      defer(() => void callSource(requester, question, source, what, text, client))
    },
    cancelCall: (question) => {
      const controller = openCalls.get(question)
      openCalls.delete(question)
      defer(() => controller?.abort())
    },
    watch: (number, on) => defer(() => watch(number, on)),
  }

  /** Performs what Go has recorded. Called whenever Go ran. */
  function woken() {
    all.drain()
    const acts = deferred
    deferred = []
    for (const act of acts) act()
    if (program?.exited) died()
  }

  function become(next: EngineState) {
    if (state === next || state === 'closed') return
    state = next
    host.state(next)
  }

  /** Starts a program with all registrations, mounts and clients. */
  async function boot() {
    const next = await run(host.module, host.Go, listener, woken)
    if (state === 'closed') {
      next.kill()
      return
    }
    program = next
    const tell = (answer: number | undefined) => {
      if (!answer || next.exited) throw new Error('engine.wasm ended at its start')
    }
    const { exports } = next
    const answer = exports.start(next.write(JSON.stringify(options)))
    tell(answer)
    if (answer !== answers.done) throw new Error('engine.wasm rejected its options')
    if (grants) tell(exports.setGrants(next.write(grantsText(grants))))
    for (const { first, text } of registered.all()) {
      tell(exports.register(first, next.write(text)))
    }
    for (const [number, { prefix, able }] of mounted) {
      tell(exports.mount(number, able, next.write(prefix)))
    }
    all.attach(next)
    next.pump()
    if (!next.exited) become('running')
  }

  function died() {
    const old = program
    if (old === undefined) return
    program = undefined
    old.kill()
    for (const controller of openCalls.values()) controller.abort()
    openCalls = new Map()
    for (const entry of mounted.values()) {
      entry.watching?.abort()
      entry.watching = undefined
    }
    const delay = state === 'closed' ? undefined : nextRestart()
    const forGood = delay === undefined
    all.detach(forGood)
    if (state === 'closed') return
    become(forGood ? 'down' : 'restarting')
    host.report(new Error(`engine.wasm has ended${forGood ? ', and is not restarted' : ''}`))
    if (forGood) return
    setTimeout(() => boot().catch(failedToBoot), delay)
  }

  function failedToBoot(error: unknown) {
    host.report(error)
    if (program === undefined) {
      all.detach(true)
      become('down')
    } else {
      died()
    }
  }

  /** Calls a source. Only `requester` gets the answer: a later program numbers its calls anew. */
  async function callSource(
    requester: Program | undefined,
    question: number,
    number: number,
    what: number,
    text: string,
    client: string,
  ) {
    const controller = new AbortController()
    const { signal } = controller
    openCalls.set(question, controller)
    const waits = () => program === requester && openCalls.get(question) === controller
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
          all.call((exports, running) => exports.updateCall(question, kind, running.write(params)))
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
    const answer = outcome
    all.call((exports, running) =>
      exports.answerCall(question, answer.reason, running.write(answer.text)),
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
    watchSource(entry.source, listener, signal, host.report)
  }

  /** Applies the effects of a registration, or of its removal, to the program. */
  function apply(change: Change | undefined) {
    for (const { first, text } of change?.register ?? []) {
      all.call((exports, running) => exports.register(first, running.write(text)))
    }
    const gone = change?.unregister
    if (gone) all.call((exports, running) => exports.unregister(running.write(gone)))
    for (const uri of change?.changed ?? []) changed(0, uri)
  }

  function changed(source: number, what: string | { list: ListName } | undefined, under = false) {
    const list = typeof what === 'object' ? what.list : 'resources'
    if (!Object.hasOwn(lists, list)) {
      host.report(new TypeError(`changed({ list: ${String(list)} }): there is no such list`))
      return
    }
    all.call((exports, running) => {
      const n = typeof what === 'string' ? running.write(what) : lists[list]
      return exports.changed(source, n, under ? 1 : 0)
    })
  }

  try {
    if (!host.isDown) await boot()
  } catch (error) {
    program?.kill() // its timers
    throw error
  }
  if (host.isDown) {
    all.detach(true)
    become('down')
  }
  return {
    get state() {
      return state
    },
    clients: all,
    register(first, added, published = []) {
      for (const [index, ready] of published) contents.publish(first + index, ready)
      const change = registered.add(first, added)
      if (change.changed.length > 0) all.mirror.dropAll()
      apply(change)
    },
    unregister(first) {
      const count = registered.count(first)
      contents.forget(first, count)
      all.mirror.removed(first, count)
      apply(registered.remove(first))
    },
    publish(ref, uri, ready) {
      if (!contents.isPublished(ref) || !contents.publish(ref, ready)) return
      all.mirror.changed(ref)
      if (registered.serves(uri, ref)) changed(0, uri)
    },
    mount(number, prefix, able, source) {
      all.mirror.dropAll()
      mounted.set(number, { prefix, able, source, watching: undefined })
      all.call((exports, running) => exports.mount(number, able, running.write(prefix)))
    },
    unmount(number) {
      mounted.get(number)?.watching?.abort()
      mounted.delete(number)
      all.call((exports) => exports.unmount(number))
    },
    changed,
    setGrants(table) {
      if (grants === undefined) all.mirror.dropAll() // the hints for caches are others
      grants = table
      all.call((exports, running) => exports.setGrants(running.write(grantsText(table))))
      all.endDenied(table)
    },
    close() {
      all.call((exports) => exports.stop())
      become('closed')
      all.closeAll('the page stopped serving')
      for (const { watching } of mounted.values()) watching?.abort()
      for (const controller of openCalls.values()) controller.abort()
      program?.kill()
      program = undefined
      all.detach(true)
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

/** The lists whose changes are announced. */
function announced({ noListChanged, prompts, tools }: EngineOptions): ListName[] {
  if (noListChanged) return []
  return [
    'resources',
    ...(prompts ? (['prompts'] as const) : []),
    ...(tools ? (['tools'] as const) : []),
  ]
}
