/**
 * The engine, seen from the window: it runs in a dedicated Worker. What the window registers, mounts and joins is kept
 * here or in the registry, and each Worker gets all of it when it starts. Calls that need the document come back.
 *
 * Ports end with their Worker: they were moved to it. Their clients get a last message, or the window tells them.
 */

import type { HandlerCall, HandlerOutcome, SendUpdate } from './answer-call.ts'
import { answerCall, confirmed } from './callee.ts'
import type { ReadEvent } from './clients.ts'
import { confirmGateway, newPageId, presentPageId } from './connector.ts'
import { provided, type Redact, readRequest, redactContents, redactReady } from './contents.ts'
import type { EngineOptions } from './engine.ts'
import { jsonCopy } from './json.ts'
import type { EngineCalls, WindowCalls } from './link.ts'
import { deserializeError, goodbye, type Handlers, type Link, link } from './link.ts'
import type { AccessAnswer, AccessDecision, AccessRequest, GrantTable } from './page-access.ts'
import { type Registry, registry } from './registry.ts'
import type { Provide } from './replies.ts'
import { type Changed, orReport, type PortableSource, type Source } from './source.ts'
import {
  canStart,
  compile,
  type EngineState,
  type Life,
  newWorker,
  supervise,
  watchAnswers,
  watchLock,
} from './supervisor.ts'
import { abilities, access as accessQuestion, none } from './wasm-numbers.ts'
import type { Dial, GatewayState, Place } from './websocket.ts'

/** What the engine's thread needs from the window. */
export interface ThreadHost {
  /** The hook that all contents pass. */
  readonly redact: Redact | undefined
  readonly urls: {
    readonly worker?: string | URL
    readonly wasm?: string | URL | BufferSource | WebAssembly.Module
  }
  /** Called when the first Worker starts; until it settles, nothing is served. */
  prepare(): Promise<unknown>
  engineState(state: EngineState): void
  gatewayState(number: number, state: GatewayState): void
  read(event: ReadEvent): void
  /** Settles when the engine has the decisions that are stored. */
  refreshAccess(): Promise<void>
  /** A gateway does not know this app any more. */
  forgotten(): void
  /** Decides about a request that the grants do not decide; aborted if the client waits no longer. */
  ask(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer>
  /** A request was decided by grants, and answered. */
  decided(decision: AccessDecision): void
  report(error: unknown): void
}

/** The engine's thread. The caller chooses the numbers, above 0. */
export interface Thread {
  /** Rejects if the engine does not start. */
  readonly ready: Promise<void>
  readonly registry: Registry
  mount(number: number, prefix: string, source: Source | PortableSource): void
  unmount(number: number): void
  changed(what: Parameters<Changed>[0]): void
  /**
   * Serves a port until it closes. Returns a function that ends it, with a last message and the reason.
   *
   * @param closed - called once, when the port is closed; with a reason if its client cannot know of it
   */
  open(
    port: MessagePort,
    principal: string,
    closed?: (reason?: string) => void,
  ): (reason: string) => void
  /** Joins a gateway; resolves after the first time. `token` is for {@link Dial.hasToken}. */
  connect(number: number, dial: Dial, token?: () => unknown): Promise<string>
  disconnect(number: number): void
  wake(asleep: boolean): void
  /** The document has another title or URL: tells all gateways. */
  moved(place: Place): void
  watchReads(on: boolean): void
  /** Replaces the decisions about assistants: requests that run and are denied now fail. */
  setAccess(table: GrantTable): void
  close(): void
}

interface Joining {
  dial: Dial
  readonly token: (() => unknown) | undefined
  readonly settled: (name: string) => void
  readonly failed: (error: unknown) => void
  state?: GatewayState
}

interface Opened {
  readonly port: MessagePort
  readonly principal: string
  readonly closed: ((reason?: string) => void) | undefined
  /** Whether a Worker has it. */
  isMoved: boolean
}

/** Runs the engine in a Worker, and in another one when that has ended. */
export function engineThread(options: EngineOptions, host: ThreadHost): Thread {
  const mounts = new Map<number, { prefix: string; source: Source | PortableSource }>()
  const gateways = new Map<number, Joining>()
  const ports = new Map<number, Opened>()
  let engine: Link<EngineCalls> | undefined // of the Worker that serves
  let watchesReads = false
  let access: GrantTable | undefined
  let lastPort = 0
  let hasServed = false
  let isOver = false // no Worker follows
  let isClosed = false

  const all = registry({
    apply: (change) => engine?.notify('apply', change),
    publish: (value) => engine?.notify('publish', value),
  })
  let module: Promise<WebAssembly.Module> | undefined
  let prepared: Promise<unknown> | undefined

  async function start(life: Life): Promise<void> {
    module ??= compile(host.urls.wasm)
    module.catch(() => {}) // it is awaited below
    prepared ??= host.prepare()
    const { worker, hint } = newWorker(host.urls.worker)
    let endsItself = false // after its last messages
    const watches = new Map<number, AbortController>()
    let works = () => {} // answers the last question whether the Worker lives
    const handlers: Handlers<WindowCalls> = {
      ...windowHandlers(host, all, sourceOf, (args) => own.notify('update', args)),
      watch({ source: number, on }) {
        watches.get(number)?.abort()
        watches.delete(number)
        const source = mounts.get(number)?.source
        if (!on || source === undefined) return
        const controller = new AbortController()
        watches.set(number, controller)
        const signal = AbortSignal.any([controller.signal, life.signal])
        const listener: Changed = (what, under) => {
          if (!signal.aborted)
            own.notify('watched', { source: number, what: jsonCopy(what), under })
        }
        void orReport(() => source.watch?.(listener, signal), signal, host.report)
      },
      token: (number) => gateways.get(number)?.token?.(),
      loaded() {
        const ask = () =>
          new Promise<void>((resolve, reject) => {
            works = resolve
            own.request('alive', undefined).then(resolve, reject)
          })
        watchAnswers(ask, life)
      },
      alive: () => works(),
      held: (name) => watchLock(name, life),
      closed(number) {
        const port = ports.get(number)
        ports.delete(number)
        port?.closed?.()
      },
      gatewayState({ number, state }) {
        const gateway = gateways.get(number)
        if (gateway) gateway.state = state
        host.gatewayState(number, state)
      },
      ended(why) {
        endsItself = true
        life.died(new Error(why))
      },
    }
    const own = link<WindowCalls, EngineCalls>(worker, handlers, host.report)
    worker.onerror = (event) => {
      event.preventDefault() // it is reported here
      const what = event.message || hint
      if (engine === own) host.report(new Error(`the engine's Worker: ${what}`))
      else life.died(new Error(`the engine's Worker does not start: ${what}`))
    }
    life.signal.addEventListener('abort', () => {
      own.end(life.signal.reason)
      if (!endsItself && !(isClosed && engine === own)) worker.terminate()
    })
    const lock = `pagemcp.worker:${crypto.getRandomValues(new Uint32Array(4)).join('-')}`
    const redacts = host.redact !== undefined
    await own.request('start', { options, module: await module, redacts, lock })
    await prepared
    if (life.signal.aborted) return
    engine = own
    hasServed = true
    restore(own)
  }

  /** Gives a Worker all that it is to serve. */
  function restore(to: Link<EngineCalls>) {
    if (access) to.notify('setAccess', access) // first: nothing is served without it
    to.notify('apply', all.all())
    for (const [number, { prefix, source }] of mounts) mountNow(to, number, prefix, source)
    if (watchesReads) to.notify('watchReads', true)
    for (const [number, joining] of gateways) dialNow(to, number, joining)
    for (const [number, opened] of ports) openNow(to, number, opened)
  }

  function lost(error: Error, isDown: boolean) {
    engine = undefined
    isOver = isDown
    const why = `${error.message}${isDown && hasServed ? ', and is not restarted: reload the page' : ''}`
    if (hasServed) host.report(new Error(why, { cause: error })) // else `ready` rejects
    for (const [number, { state, failed }] of gateways) {
      if (state) host.gatewayState(number, { ...state, is: 'away', error: why })
      if (isDown) failed(error)
    }
    for (const [number, { port, isMoved, closed }] of ports) {
      if (!isMoved && !isDown) continue // it waits for the next Worker
      ports.delete(number)
      if (!isMoved) shut(port, why)
      closed?.(isMoved ? 'the engine was restarted' : undefined)
    }
  }

  function mountNow(to: Link<EngineCalls>, number: number, prefix: string, source: Source) {
    const portable = jsonCopy((source as Partial<PortableSource>).portable)
    to.notify('mount', { number, prefix, able: abilitiesOf(source), portable })
  }

  function dialNow(to: Link<EngineCalls>, number: number, joining: Joining) {
    to.request('connect', { number, dial: joining.dial }).then(
      (name) => {
        const { invitation: _, ...dial } = joining.dial // it is used up
        joining.dial = { ...dial, rejoins: true }
        joining.settled(name)
      },
      (error) => {
        if (to === engine || isOver) joining.failed(error) // else it ended, and the next Worker dials again
      },
    )
  }

  function openNow(to: Link<EngineCalls>, number: number, opened: Opened) {
    const { port, principal } = opened
    opened.isMoved = true
    to.notify('open', { number, port, principal }, [port])
  }

  function sourceOf(number: number): Source {
    const found = mounts.get(number)?.source
    if (found === undefined) throw new Error('the source was unmounted')
    return found
  }

  const supervisor = canStart()
    ? supervise({ start, state: host.engineState, lost })
    : { ready: new Promise<void>(() => {}), close() {} }
  return {
    ready: supervisor.ready,
    registry: all,
    mount(number, prefix, source) {
      mounts.set(number, { prefix, source })
      if (engine) mountNow(engine, number, prefix, source)
    },
    unmount(number) {
      mounts.delete(number)
      engine?.notify('unmount', number)
    },
    changed: (what) => engine?.notify('changed', jsonCopy(what)), // those who listen to a new Worker have read nothing before
    open(port, principal, closed) {
      const number = ++lastPort
      const opened: Opened = { port, principal, closed, isMoved: false }
      if (isOver) {
        shut(port, isClosed ? 'the page stopped serving' : 'the engine is down')
        closed?.()
        return () => {}
      }
      ports.set(number, opened)
      if (engine) openNow(engine, number, opened)
      return (reason) => {
        if (!ports.has(number)) return
        if (opened.isMoved) engine?.notify('shut', { number, reason })
        else {
          ports.delete(number)
          shut(port, reason)
          closed?.()
        }
      }
    },
    connect: (number, dial, token) =>
      new Promise((settled, failed) => {
        if (isOver) return failed(new Error('the engine is down'))
        const joining = { dial, token, settled, failed }
        gateways.set(number, joining)
        if (engine) dialNow(engine, number, joining)
      }),
    disconnect(number) {
      gateways.delete(number)
      engine?.notify('disconnect', number)
    },
    wake: (asleep) => engine?.notify('wake', asleep),
    moved(place) {
      for (const joining of gateways.values()) {
        const { hello } = joining.dial
        joining.dial = { ...joining.dial, ...(hello && { hello: { ...hello, ...place } }) }
      }
      engine?.notify('moved', place)
    },
    watchReads(on) {
      watchesReads = on
      engine?.notify('watchReads', on)
    },
    setAccess(table) {
      access = table
      engine?.notify('setAccess', table)
    },
    close() {
      isOver = isClosed = true
      mounts.clear() // the Worker may still call them
      for (const [number, { port, isMoved, closed }] of ports) {
        if (isMoved) continue
        ports.delete(number)
        shut(port, 'the page stopped serving')
        closed?.()
      }
      const reason = new DOMException('the engine was closed', 'AbortError')
      for (const { failed } of gateways.values()) failed(reason)
      engine?.notify('close', undefined)
      supervisor.close()
    },
  }
}

/** Ends a port that no Worker has. */
function shut(port: MessagePort, reason: string) {
  port.postMessage(goodbye(reason))
  port.close()
}

/** Calls of the Worker that need the app, its document or its decisions. */
function windowHandlers(
  host: ThreadHost,
  all: Registry,
  sourceOf: (number: number) => Source,
  update: (args: { number: number; what: number; text: string }) => void,
) {
  const provide = provideOf(host, all)
  return {
    provide: ({ ref, uri, variables }, signal) => provide(ref, uri, variables, signal),
    async list({ source, cursor, ...options }, signal) {
      return jsonCopy(await sourceOf(source).list(cursor, { ...options, signal: signal() }))
    },
    async readSource({ source, uri, client }, signal) {
      const contents = await sourceOf(source).read(uri, { signal: signal(), client })
      return contents.map(({ text, blob, ...item }) => ({ ...jsonCopy(item), text, blob }))
    },
    redact({ prefix, uri, contents }) {
      if (host.redact === undefined) throw new Error('no redact hook') // contents must not pass without it
      return redactContents(host.redact, prefix, uri, contents)
    },
    templates: async ({ source }) => jsonCopy((await sourceOf(source).templates?.()) ?? []),
    async call({ number, source, what, text }, signal): Promise<HandlerOutcome> {
      if (what === accessQuestion) {
        const request = JSON.parse(text) as AccessRequest
        const tool = request.tool && all.tool(request.tool.name)?.callee?.tool
        const question = tool?.confirm && (await confirmed(tool, request.arguments ?? {}))
        const answer = await host.ask({ ...request, ...(question && { question }) }, signal())
        return { reason: none, text: JSON.stringify(answer) }
      }
      const question = (text === '' ? {} : JSON.parse(text)) as HandlerCall
      if (/\d{16}/.test(text)) question.text = text // of whole numbers that JavaScript may round
      const callee = source === 0 ? all.at(question.ref ?? 0)?.callee : sourceOf(source)
      const sendUpdate: SendUpdate = (kind, params) => update({ number, what: kind, text: params })
      return answerCall(callee, source !== 0, what, question, sendUpdate, signal(), host.report)
    },
    watching: () => undefined,
    async pageId() {
      await host.refreshAccess() // before the page joins a gateway, perhaps after the browser has stopped it
      return presentPageId()
    },
    newPageId,
    forgotten: host.forgotten,
    confirm: (question, signal) => confirmGateway(question, signal()),
    read: host.read,
    decided: (decisions) => decisions.forEach(host.decided),
    report: (error) => host.report(deserializeError(error)),
  } satisfies Partial<Handlers<WindowCalls>>
}

/** The optional methods of a source, as a sum of {@link abilities}. */
function abilitiesOf(source: Source): number {
  return (
    (source.templates ? abilities.templates : 0) |
    (source.watch ? abilities.watch : 0) |
    (source.prompts && source.getPrompt ? abilities.prompts : 0) |
    (source.tools && source.callTool ? abilities.tools : 0) |
    (source.complete ? abilities.complete : 0)
  )
}

/** Calls a provider, and the hook for redaction with its answer. */
const provideOf =
  (host: ThreadHost, all: Registry): Provide =>
  (ref, uri, variables, signal) => {
    const { redact } = host
    const { read, value } = all.at(ref) ?? {}
    if (redact && value) return redactReady(redact, uri, value.ready)
    const answer = read?.(readRequest(uri, variables, signal))
    if (typeof (answer as PromiseLike<unknown> | undefined)?.then === 'function') {
      const ready = Promise.resolve(answer).then(provided)
      return redact ? ready.then((late) => redactReady(redact, uri, late)) : ready
    }
    const ready = provided(answer)
    return redact ? redactReady(redact, uri, ready) : ready
  }
