/**
 * The hot path: clients, their ids, and what goes to and fro between their channels and the engine.
 * Go decides; objects, ids and contents are here (performance.md §9).
 *
 * A request takes the fast lane if its envelope is as expected: only its params cross, as JSON text,
 * and mostly a number comes back, the handle of a Document that is already an object here. All else
 * crosses as a whole message, the general lane. Both end in the same engine code.
 *
 * What the engine says is recorded while Go runs (`listener`), and done when it has returned
 * (`drain`). So nothing calls into Go from within Go.
 *
 * One file, for the two lanes share all of their state.
 */

import { abort, filler, type Gaps, lazySignal, type Provide, type ReadResult } from './fill.ts'
import { freeze, isPlain, measure, notJson } from './json.ts'
import { clones, goodbye, hear, isGoodbye, lastMessageTime, type Port } from './port.ts'
import {
  type CachedDocument,
  type Client,
  type ClientState,
  type Entry,
  failure,
  gone,
  idOfKey,
  isId,
  isLonger,
  isOnlyUri,
  isRequest,
  type Params,
  type PendingRequest,
  type TextChannel,
} from './requests.ts'
import type { ListName } from './source.ts'
import {
  answers,
  type Exports,
  type Listener,
  type Program,
  type Reason,
  reasonOf,
  reasons,
} from './wasm.ts'

export type { Client, TextChannel } from './requests.ts'

/** Tells who read what; for the page's own display. */
export interface ReadEvent {
  uri: string
  /** The client's principal: an origin, `page`, `gateway`. */
  client: string
}

/** What the clients need from the engine and the page. */
export interface ClientsHost {
  provide: Provide
  /** A client has read contents; called only while {@link Clients.watchReads} is on. */
  read(event: ReadEvent): void
  /** An error for the developer, not for clients. */
  report(error: unknown): void
  /** The program has exited. May be called more than once for the same one. */
  died(): void
  /** Lists whose changes are announced. */
  readonly lists: readonly ListName[]
}

/** All clients of one engine, over all the programs that run it in turn. */
export interface Clients {
  readonly listener: Omit<Listener, 'report' | 'ask' | 'unask' | 'watch'>
  watchReads: boolean
  /** Serves a port until it closes. `closed` is called then, once. */
  openPort(port: Port, principal: string, closed?: () => void): Client
  openText(channel: TextChannel, principal: string): Client
  /** Keeps a value that a source read, until the answer that it belongs to; returns its number. */
  keep(value: Parameters<ReturnType<typeof filler>['keep']>[0]): number
  /** Gives a new program all clients, and what waited for it. */
  attach(program: Program): void
  /** The program is gone: what it had to answer fails. Messages wait for the next, if there is one. */
  detach(forGood: boolean): void
  /** Does what the program has recorded. */
  drain(): void
  /** Lets goroutines run after the present export, whatever it answers. */
  wake(): void
  /**
   * Calls an export of the present program, lets goroutines run, and does what comes of it. Without
   * a program nothing happens: whatever holds for every program is told to the next one anyway.
   */
  call(act: (exports: Exports, running: Program) => number | undefined): number | undefined
  /** Answers reads that wait for a provider with an error, says goodbye on every port, closes all. */
  closeAll(reason: string): void
}

/** Limits; security.md §8 has their reasons. */
const maxIn = 1 << 20 // bytes of a message
const maxTextIn = maxIn + (64 << 10) // bytes of a message's text: a gateway adds to `_meta` of a message of maxIn
const maxPortOut = 64 << 20 // UTF-16 code units of contents in one answer over a port
const maxTextOut = 8 << 20 // bytes of an answer over a text channel
const maxFilling = 64 // reads of one client that wait for providers
const maxFillingOfGateway = 16 * maxFilling // it limits each of its assistants itself
const maxQueued = 64 // messages of one client that wait for a new program
const providerTimeout = 30_000 // ms

const keySubscription = 'io.modelcontextprotocol/subscriptionId'
const keyRequest = 'io.github.pagemcp/request' // Go's engine.MetaRequest

/** Methods that only look: when they answer at once, no goroutine was started. */
const quiet = [
  'ping',
  'initialize',
  'server/discover',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'tools/list',
]

/** Methods that make a classic session what it is. */
const remembered = [
  'initialize',
  'resources/subscribe',
  'resources/unsubscribe',
  'logging/setLevel',
]

export function clients(host: ClientsHost): Clients {
  let program: Program | undefined
  let down = false
  const everyone = new Map<number, ClientState>()
  let lastClient = 0
  const filling = filler(host.provide)

  // What the present program has said.
  let methods = new Map<string, number>()
  let loud: boolean[] = [] // by method: goroutines may want to run afterwards
  let noted: boolean[] = [] // by method: a new program has to be told
  let initialize = -1
  let read = -1
  let subscribe = -1
  let setLevel = -1
  let documents: (CachedDocument | undefined)[] = []
  let goroutines = false // some want to run
  let records: Entry[] = []
  let draining = false

  // Calls have numbers while they wait; over all programs, so that none is mistaken for an older one.
  const calls = new Map<number, PendingRequest>()
  let lastCall = 0
  let now: PendingRequest | undefined // is being taken by the fast lane
  let arriving: Params | undefined // the message in the general lane, if it came as an object

  function newWaiting(
    client: ClientState,
    id: unknown,
    key: unknown,
    method: number,
    params?: Params,
  ) {
    do lastCall = lastCall === 0x7fffffff ? 1 : lastCall + 1
    while (calls.has(lastCall))
    const w: PendingRequest = {
      client,
      call: lastCall,
      id,
      key,
      method,
      params,
      muted: false,
      held: false,
      settled: false,
      modern: false,
      abort: undefined,
    }
    return w
  }

  function hold(w: PendingRequest) {
    if (w.held) return
    w.held = true
    calls.set(w.call, w)
    if (!w.muted) w.client.waiting.set(w.key, w)
  }

  function letGo(w: PendingRequest) {
    if (!w.held) return
    w.held = false
    calls.delete(w.call)
    if (!w.muted) w.client.waiting.delete(w.key)
  }

  const lookup = (call: number) => (now !== undefined && now.call === call ? now : calls.get(call))

  function settle(call: number): PendingRequest | undefined {
    const w = lookup(call)
    if (w === undefined || w.settled) return undefined
    w.settled = true
    return w
  }

  const held = (handle: number, text: string): CachedDocument =>
    (handle === 0 ? undefined : documents[handle]) ?? { text, object: undefined, frozen: false }

  const listener: Clients['listener'] = {
    methods(names) {
      methods = new Map(names.map((name, number) => [name, number]))
      loud = names.map((name) => !quiet.includes(name))
      initialize = names.indexOf('initialize')
      read = names.indexOf('resources/read')
      subscribe = names.indexOf('resources/subscribe')
      setLevel = names.indexOf('logging/setLevel')
      noted = names.map((name) => remembered.includes(name))
    },
    define(handle, text) {
      documents[handle] = { text, object: undefined, frozen: false }
    },
    release(handle) {
      documents[handle] = undefined
    },
    open(number, key, token) {
      const client = everyone.get(number)
      if (client === undefined) return 0
      const id = client.port ? JSON.parse(token) : token
      const own = client.port ? id : key
      if (client.waiting.has(own)) return 0
      const method = methods.get(String(arriving?.method)) ?? -1
      const w = newWaiting(client, id, own, method, arriving?.params as Params | undefined)
      hold(w)
      return w.call
    },
    find(number, key) {
      const client = everyone.get(number)
      const w = client?.waiting.get(client.port ? idOfKey(key) : key)
      if (w === undefined || w.settled) {
        if (w?.abort) giveUp(w) // the engine is done with it; we are not
        return 0
      }
      return w.call
    },
    expected() {
      const uri = now?.params?.uri
      return typeof uri === 'string' ? uri : ''
    },
    respond(call, handle, text) {
      const waiting = settle(call)
      if (waiting) records.push({ what: 'respond', waiting, held: held(handle, text) })
    },
    fill(call, handle, text, refs, uri, variables) {
      const waiting = settle(call)
      if (!waiting) return
      const gaps = { refs, uri, variables }
      records.push({ what: 'fill', waiting, held: held(handle, text), gaps })
    },
    failed(call, failure) {
      const waiting = settle(call)
      if (waiting) records.push({ what: 'failed', waiting, failure })
    },
    drop(call) {
      const waiting = settle(call)
      if (waiting) records.push({ what: 'drop', waiting })
    },
    end(call, text) {
      const waiting = settle(call)
      if (waiting) records.push({ what: 'end', waiting, held: held(0, text) })
    },
    refuse(number, failure) {
      const client = everyone.get(number)
      if (client) records.push({ what: 'refuse', client, failure })
    },
    notify(number, handle, text, of) {
      const client = everyone.get(number)
      const call = of === 0 ? undefined : lookup(Math.abs(of))
      const key = of < 0 ? keyRequest : keySubscription
      if (client) records.push({ what: 'notify', client, held: held(handle, text), key, call })
    },
  }

  // In.

  function receiveObject(client: ClientState, message: unknown) {
    if (program === undefined) {
      wait(client, message)
      return
    }
    if (isRequest(message)) {
      const { id, params } = message
      const method = methods.get(message.method)
      if (method !== undefined && !client.waiting.has(id)) {
        let n = -1
        if (params !== undefined) {
          if (method === read && isOnlyUri(params)) {
            n = program.writeAscii(params.uri)
            if (n >= 0) {
              const { takeURI } = program.exports
              take(program, takeURI, newWaiting(client, id, id, method, params), n)
              return
            }
          }
          if (!isPlain(params)) {
            general(client, message)
            return
          }
          n = program.writeJson(params)
          if (n < 0) {
            const size = measure(params, maxIn)
            if (size === notJson || size > maxIn) {
              refuseObject(client, message, size)
              return
            }
            n = program.write(JSON.stringify(params))
          }
        }
        take(program, program.exports.take, newWaiting(client, id, id, method, params), n)
        return
      }
    }
    if (isGoodbye(message)) close(client)
    else if (!cancelled(client, message)) general(client, message)
  }

  function take(running: Program, taken: Exports['take'], w: PendingRequest, n: number) {
    now = w
    let answer: number | undefined
    try {
      answer = taken(w.client.number, w.call, w.method, n)
    } catch {
      answer = undefined
    }
    now = undefined
    if (!answer || running.exited) {
      hold(w)
      host.died()
      return
    }
    const document = answer > 0 ? documents[answer] : undefined
    if (document !== undefined) {
      w.settled = true
      send(w, document)
    } else if (answer > 0 || answer === answers.broken) {
      failHere(w, 'Internal error')
    } else if (!w.settled) {
      hold(w)
      goroutines = true
    }
    if (goroutines || loud[w.method]) pump(running)
    if (records.length > 0) drain()
  }

  function pump(running: Program) {
    goroutines = false
    running.pump() // drains, too
  }

  /** The general lane for a message of a port. A string is the text of one, broken or not. */
  function general(client: ClientState, message: unknown) {
    if (typeof message === 'string') {
      whole(client, message)
      return
    }
    const size = measure(message, maxIn)
    if (size === notJson || size > maxIn) {
      refuseObject(client, message, size)
      return
    }
    arriving = isPlain(message) ? message : undefined
    whole(client, JSON.stringify(message))
    arriving = undefined
    if (client.session && isPlain(message) && message.method === 'notifications/initialized') {
      client.session.initialized = true
    }
  }

  function receiveText(client: ClientState, message: unknown) {
    if (program === undefined) wait(client, message)
    else if (typeof message === 'string') whole(client, message)
  }

  /** The general lane. */
  function whole(client: ClientState, text: string) {
    const before = lastCall
    const answer = run((exports, running) =>
      exports.message(client.number, running.write(text, maxTextIn + 1)),
    )
    if (answer !== answers.broken) return
    for (const w of client.waiting.values()) {
      if (w.call > before && !w.settled) failHere(w, 'Internal error')
    }
  }

  /** Cancels what a well-formed message of a port says is cancelled. */
  function cancelled(client: ClientState, message: unknown): boolean {
    if (!isPlain(message) || message.method !== 'notifications/cancelled') return false
    if (message.jsonrpc !== '2.0' || 'id' in message || !isPlain(message.params)) return false
    const w = client.waiting.get(message.params.requestId)
    if (w?.abort) giveUp(w)
    else if (w && !w.settled) run((exports) => exports.cancel(client.number, w.call))
    return true
  }

  /** Calls an export other than take, and does what comes of it. */
  function run(act: (exports: Exports, running: Program) => number | undefined) {
    const running = program
    if (running === undefined) return undefined
    let answer: number | undefined
    try {
      answer = act(running.exports, running)
    } catch {
      answer = undefined
    }
    if (!answer || running.exited) host.died()
    else pump(running)
    return answer
  }

  /** Answers what cannot be handed to Go, for it has no JSON text. */
  function refuseObject(client: ClientState, message: unknown, size: number) {
    const what = size === notJson ? 'The message is not JSON' : 'The message is too large'
    const error = { code: -32600, message: what } // JSON-RPC 2.0, section 5.1
    const { id, method } = (message ?? {}) as Params
    if (isId(id) && method !== undefined && !client.waiting.has(id)) {
      post(client, { jsonrpc: '2.0', id, error })
    } else if (id !== undefined || method === undefined) {
      post(client, { jsonrpc: '2.0', error })
    }
  }

  /** Without a program: messages wait for the next, as long as one may come. */
  function wait(client: ClientState, message: unknown) {
    if (isGoodbye(message)) {
      close(client)
    } else if (!down && client.queue.length < maxQueued) {
      client.queue.push(message)
    } else if (client.port && isRequest(message) && !client.waiting.has(message.id)) {
      post(client, { jsonrpc: '2.0', id: message.id, error: gone(down) })
    }
  }

  // Out.

  /** Performs what was recorded, each for itself: one that throws is reported, and the rest go on. */
  function drain() {
    if (draining) return
    draining = true
    for (let i = 0; i < records.length; i++) {
      try {
        perform(records[i] as Entry)
      } catch (error) {
        host.report(error)
      }
    }
    records = []
    draining = false
  }

  function perform(entry: Entry) {
    switch (entry.what) {
      case 'respond':
        send(entry.waiting, entry.held)
        break
      case 'fill':
        fill(entry.waiting, entry.held, entry.gaps)
        break
      case 'failed':
        answer(entry.waiting, 'error', entry.failure)
        break
      case 'drop':
        letGo(entry.waiting)
        break
      case 'end':
        endListen(entry.waiting, entry.held)
        break
      case 'refuse':
        say(entry.client, `{"jsonrpc":"2.0","error":${entry.failure}}`)
        break
      case 'notify':
        notify(entry)
    }
  }

  /** Answers with a Document. */
  function send(w: PendingRequest, document: CachedDocument) {
    const { client } = w
    letGo(w)
    if (noted[w.method]) note(w)
    if (w.muted) return
    if (client.port) {
      const result = objectOf(document, client)
      post(client, { jsonrpc: '2.0', id: w.id, result })
      if (all.watchReads) tell(client, result)
    } else {
      answer(w, 'result', document.text)
      if (all.watchReads) tell(client, objectOf(document, client))
    }
  }

  /** Answers with JSON text. */
  function answer(w: PendingRequest, member: 'result' | 'error', text: string) {
    const { client } = w
    letGo(w)
    if (w.muted) return
    if (client.port) {
      post(client, { jsonrpc: '2.0', id: w.id, [member]: JSON.parse(text) })
    } else if (member === 'result' && isLonger(text, maxTextOut)) {
      w.modern = text.startsWith('{"resultType"')
      failCall(w, reasons.tooLarge, '')
    } else {
      post(client, `{"jsonrpc":"2.0","id":${w.id},"${member}":${text}}`)
    }
  }

  /** Puts contents into a skeleton and answers with it, at once if they are there. */
  function fill(w: PendingRequest, skeleton: CachedDocument, gaps: Gaps) {
    const { client } = w
    if (client.closed) return
    if (client.filling >= (client.channel ? maxFillingOfGateway : maxFilling)) {
      failCall(w, reasons.busy, gaps.uri)
      return
    }
    const lazy = lazySignal()
    let filled: ReadResult | Promise<ReadResult>
    try {
      const object = objectOf(skeleton, client) as ReadResult
      w.modern = 'resultType' in object
      filled = filling.fill(object, gaps, lazy)
    } catch (error) {
      notFilled(w, gaps.uri, error)
      return
    }
    if (!(filled instanceof Promise)) {
      sendRead(w, filled)
      return
    }
    hold(w)
    client.filling++
    const timer = setTimeout(() => {
      abort(lazy, new DOMException('the read took too long', 'TimeoutError'))
      done(() => failCall(w, reasons.timeout, gaps.uri))
    }, providerTimeout)
    w.abort = (reason) => {
      abort(lazy, reason)
      done(() => {})
    }
    const done = (then: () => void) => {
      if (w.abort === undefined) return // given up, or too late
      w.abort = undefined
      clearTimeout(timer)
      client.filling--
      then()
    }
    filled.then(
      (result) => done(() => sendRead(w, result)),
      (error) => done(() => notFilled(w, gaps.uri, error)),
    )
  }

  function sendRead(w: PendingRequest, result: ReadResult) {
    const { client } = w
    let size = 0
    for (const { text, blob } of result.contents) size += (text ?? blob ?? '').length
    if (size > (client.port ? maxPortOut : maxTextOut)) {
      failCall(w, reasons.tooLarge, '')
      return
    }
    if (client.port) {
      letGo(w)
      post(client, { jsonrpc: '2.0', id: w.id, result })
    } else {
      answer(w, 'result', JSON.stringify(result))
    }
    if (all.watchReads) tell(client, result)
  }

  function notFilled(w: PendingRequest, uri: string, error: unknown) {
    const reason = reasonOf(error)
    if (reason === reasons.internal) host.report(error)
    failCall(w, reason, uri)
  }

  /** Ends a call that the engine has answered already with an error instead; Go knows its code. */
  function failCall(w: PendingRequest, reason: Reason, uri: string) {
    const { client, call } = w
    w.settled = false
    hold(w)
    const told = run((exports, running) =>
      exports.fail(client.number, call, reason, w.modern ? 1 : 0, running.write(uri)),
    )
    if (told !== answers.done) failHere(w, 'Internal error')
    else drain()
  }

  /** Ends a call with an internal error when Go cannot say it. */
  function failHere(w: PendingRequest, message: string) {
    w.settled = true
    answer(w, 'error', JSON.stringify({ code: -32603, message })) // JSON-RPC 2.0, section 5.1
  }

  /** Gives up a read that waits for a provider, at the client's wish. */
  function giveUp(w: PendingRequest) {
    w.abort?.(new DOMException('the read was cancelled', 'AbortError'))
    letGo(w)
  }

  /** The engine ends a subscription: its result, then a cancellation (Go's `engine.Sink.End`). */
  function endListen(w: PendingRequest, document: CachedDocument) {
    const result = JSON.parse(document.text) as { _meta?: Params }
    const id = w.client.port ? w.id : JSON.parse(w.id as string)
    result._meta = { ...result._meta, [keySubscription]: id }
    answer(w, 'result', JSON.stringify(result))
    const params = { requestId: id }
    say(w.client, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params }))
  }

  /** Says a message; with the id of the call that it is for, or belongs to, if there is one. */
  function notify({ client, held, key, call }: Extract<Entry, { what: 'notify' }>) {
    if (call === undefined) {
      post(client, client.port ? objectOf(held, client) : held.text)
    } else if (client.port) {
      const message = objectOf(held, client) as { params: Params }
      post(client, { ...message, params: { ...message.params, _meta: { [key]: call.id } } })
    } else {
      const meta = `"_meta":{"${key}":${call.id}}`
      post(
        client,
        held.text.replace('"_meta":{}', () => meta),
      )
    }
  }

  /** Says a message of which there is only text. */
  function say(client: ClientState, text: string) {
    post(client, client.port ? JSON.parse(text) : text)
  }

  function post(client: ClientState, message: unknown) {
    if (client.closed) return
    try {
      if (client.port) client.port.postMessage(message)
      else client.channel?.send(message as string)
    } catch (error) {
      host.report(error)
    }
  }

  function objectOf(document: CachedDocument, client: ClientState) {
    document.object ??= JSON.parse(document.text) as Record<string, unknown>
    if (!client.clones && !document.frozen) {
      freeze(document.object)
      document.frozen = true
    }
    return document.object
  }

  function tell(client: ClientState, result: Record<string, unknown>) {
    if (!('contents' in result)) return
    for (const { uri } of (result as ReadResult).contents) {
      host.read({ uri, client: client.principal })
    }
  }

  /** Takes note of what a classic session would miss in a new program. */
  function note({ client, method, params }: PendingRequest) {
    if (client.port === undefined || params === undefined) return
    const { session } = client
    if (method === initialize) {
      client.session = { params, initialized: false, level: undefined, uris: new Set() }
    } else if (method === setLevel) {
      if (session) session.level = params
    } else if (method === subscribe) {
      session?.uris.add(String(params.uri))
    } else {
      session?.uris.delete(String(params.uri))
    }
  }

  // Coming and going.

  function open(port: Port | undefined, channel: TextChannel | undefined, principal: string) {
    const client: ClientState = {
      number: ++lastClient,
      principal,
      port,
      channel,
      clones: port !== undefined && clones(port),
      waiting: new Map(),
      filling: 0,
      session: undefined,
      queue: [],
      closed: false,
      receive: (message) => {
        if (client.closed) return
        if (port) receiveObject(client, message)
        else receiveText(client, message)
      },
      close: () => close(client),
      end: (reason) => end(client, reason),
    }
    everyone.set(client.number, client)
    connect(client)
    return client
  }

  function connect(client: ClientState) {
    const gateway = client.channel ? 1 : 0 // a text channel is opened after the proof
    run((exports, running) =>
      exports.connect(client.number, gateway, running.write(client.principal)),
    )
  }

  /** Ends all that a client has. Its port is closed after `delay` ms: messages are ignored until then. */
  function close(client: ClientState, delay = 0) {
    if (client.closed) return
    client.closed = true
    everyone.delete(client.number)
    for (const w of [...client.waiting.values()]) {
      w.abort?.(new DOMException('the client has gone', 'AbortError'))
      letGo(w)
    }
    run((exports) => exports.disconnect(client.number))
    if (delay > 0 && client.clones) setTimeout(closePort, delay, client.port)
    else closePort(client.port)
    closers.get(client)?.()
  }

  function closePort(port: Port | undefined) {
    try {
      port?.close?.() // may be the web app's own code
    } catch (error) {
      host.report(error)
    }
  }

  function end(client: ClientState, reason: string) {
    for (const w of [...client.waiting.values()]) {
      if (w.abort === undefined) continue // the engine answers it, or its end does
      w.abort(new DOMException(reason, 'AbortError'))
      answer(w, 'error', JSON.stringify(failure('The engine is shutting down', 'closed', true)))
    }
    if (client.port) post(client, goodbye(reason))
    close(client, lastMessageTime)
  }
  const closers = new WeakMap<ClientState, () => void>()

  /** Tells a new program about a classic session, and the client that it may have missed something. */
  function resume(client: ClientState) {
    const { session } = client
    if (session === undefined) return
    const repeat = (method: number, params: Params) => {
      if (program === undefined) return
      const w = { ...newWaiting(client, undefined, undefined, method, params), muted: true }
      take(program, program.exports.take, w, program.write(JSON.stringify(params)))
    }
    repeat(initialize, session.params)
    if (session.initialized) {
      whole(client, '{"jsonrpc":"2.0","method":"notifications/initialized"}')
      for (const list of host.lists) {
        post(client, { jsonrpc: '2.0', method: `notifications/${list}/list_changed` })
      }
    }
    if (session.level) repeat(setLevel, session.level)
    client.session = session
    for (const uri of session.uris) {
      repeat(subscribe, { uri })
      post(client, { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })
    }
  }

  const all: Clients = {
    listener,
    watchReads: false,
    openPort(port, principal, closed) {
      const client = open(port, undefined, principal)
      if (closed) closers.set(client, closed)
      try {
        hear(port, client.receive, client.close)
      } catch (error) {
        client.close()
        throw error
      }
      return client
    },
    openText: (channel, principal) => open(undefined, channel, principal),
    keep: (value) => filling.keep(value),
    attach(next) {
      program = next
      down = false
      for (const client of [...everyone.values()]) {
        connect(client)
        resume(client)
        const queue = client.queue
        client.queue = []
        for (const message of queue) client.receive(message)
      }
    },
    detach(forGood) {
      program = undefined
      down = forGood
      drain() // what was said before the end counts
      documents = []
      for (const client of [...everyone.values()]) {
        for (const w of [...client.waiting.values()]) {
          if (w.abort === undefined) answer(w, 'error', JSON.stringify(gone(forGood)))
        }
        if (client.channel) {
          close(client)
          client.channel.lost()
        } else if (forGood) {
          for (const message of client.queue.splice(0)) wait(client, message)
        }
      }
      for (const w of [...calls.values()]) if (w.muted) letGo(w)
    },
    drain,
    wake() {
      goroutines = true
    },
    call: run,
    closeAll(reason) {
      for (const client of [...everyone.values()]) end(client, reason)
    },
  }
  return all
}
