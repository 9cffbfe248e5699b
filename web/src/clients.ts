/**
 * The clients of an engine, and their requests that have no answer yet. Go decides what is answered; objects, ids and
 * contents stay here.
 *
 * Invariants that receiver.ts, clients.ts and replies.ts rely on:
 * - Nothing calls into Go from within Go. Imports record (clients.ts); `drain` delivers after the
 *   export has returned, and so does every `program.call` by its pump.
 * - A request is in the maps from when it has to wait until it is answered. A request that the fast path answers at
 *   once never is.
 * - Each request is settled once by the engine, and answered once. Whatever answers it removes it first.
 * - A closed client sends nothing: every message passes `replies.post`.
 */

import { goodbye, lastMessageTime, listenToPort, type Port } from './link.ts'
import { type Bodies, type Mirror, type Mirrored, mirror } from './mirror.ts'
import type { AccessDecision, GrantTable } from './page-access.ts'
import { receiver } from './receiver.ts'
import { gapsOf, type Provide, type Replies, replies, stopwatch } from './replies.ts'
import type { Listener, Program } from './wasm.ts'

/** A client has read a resource; for the page's own display. */
export interface ReadEvent {
  uri: string
  /** The name that the gateway vouches for, `unnamed`; `page`, `webmcp`, the origin of a window, or what `accept` was given. */
  assistant: string
}

/** What the clients need from the engine and the page. */
export interface ClientsHost {
  provide: Provide
  /** Of registrations. */
  readonly contents: Bodies
  /** The Go program; the first client is opened when it runs. */
  readonly program: () => Program
  /** A client has read contents; called only while `watchReads` is on. */
  read(event: ReadEvent): void
  /** A request was decided by grants, and answered. */
  decided(decision: AccessDecision): void
  /** An error for the developer, not for clients. */
  report(error: unknown): void
}

/** A channel that carries JSON text: a WebSocket. */
export interface TextChannel {
  send(text: string): void
  /** The engine has ended. */
  lost(): void
}

/** A client, seen from its channel. */
export interface Client {
  /** Receives a message: an object from a port, a string from a text channel. */
  receive(message: unknown): void
  /** The channel has closed: ends all requests and subscriptions of this client. */
  close(): void
  /** Closes the client from this side: its running reads fail, a port gets a last message. */
  end(reason: string): void
}

/** The state of a {@link Client}. */
export interface ClientState extends Client {
  readonly number: number
  readonly principal: string
  readonly port: Port | undefined // else a text channel
  readonly channel: TextChannel | undefined
  /** Requests that have no answer yet: by id (port), or by Go's key of the id (text). */
  readonly pending: Map<unknown, PendingRequest>
  /** Number of reads that wait for providers. */
  pendingReads: number
  /** What a gateway keeps of published values; `undefined`: nothing. */
  mirrored: Mirrored | undefined
  isClosed: boolean
}

export type Params = Record<string, unknown>

/** A request that has no answer yet. */
export interface PendingRequest {
  readonly client: ClientState
  readonly call: number
  /** In the answer: a value (port), or the token as it was received (text). */
  readonly id: unknown
  readonly key: unknown
  readonly method: number
  readonly params: Params | undefined
  /** Whether it is in the maps. A request that is answered at once never is. */
  isAdded: boolean
  /** Whether the engine has answered it. */
  isSettled: boolean
  /** Whether its answer is of a modern revision, as far as that is known. */
  isModern: boolean
  /** By grants: an AccessDecision without `bytes` and `ms`, and when it was made; until the answer. */
  decision: { text: string; since: () => number } | undefined
  /** Set while a provider is running. */
  abort: ((reason?: unknown) => void) | undefined
}

/** A Document: text, and the object that is parsed from it when a port needs it. */
export interface CachedDocument {
  readonly text: string
  object: Record<string, unknown> | undefined
}

/** An error that is detected in JavaScript, in the form of Go's errors.go. */
export function engineError(message: string, reason: string, retry: boolean) {
  return { code: -32603, message, data: { origin: 'engine', reason, retry } }
}

/** The requests of all clients that have no answer yet, by call number. */
export interface PendingCalls {
  /** The request that the fast path is handing to Go. It is added only if it has to wait. */
  current: PendingRequest | undefined
  /** The call number that was assigned last. */
  readonly last: number
  /** Makes a request with a number of its own; {@link PendingCalls.add} makes it known. */
  create(
    client: ClientState,
    id: unknown,
    key: unknown,
    method: number,
    params?: Params,
  ): PendingRequest
  add(request: PendingRequest): void
  remove(request: PendingRequest): void
  find(call: number): PendingRequest | undefined
  /** The request that the engine is done with; `undefined` if it is unknown or was settled before. */
  settle(call: number): PendingRequest | undefined
  /** Removes a request without an answer; aborts it if it waits for a provider. */
  cancel(request: PendingRequest): void
}

const maxCall = 0x7fffffff // an int32 of Go's

function pendingCalls(): PendingCalls {
  const calls = new Map<number, PendingRequest>()
  let last = 0
  const all: PendingCalls = {
    current: undefined,
    get last() {
      return last
    },
    create(client, id, key, method, params) {
      do last = last === maxCall ? 1 : last + 1
      while (calls.has(last))
      return {
        client,
        call: last,
        id,
        key,
        method,
        params,
        isAdded: false,
        isSettled: false,
        isModern: false,
        decision: undefined,
        abort: undefined,
      }
    },
    add(request) {
      if (request.isAdded) return
      request.isAdded = true
      calls.set(request.call, request)
      request.client.pending.set(request.key, request)
    },
    remove(request) {
      if (!request.isAdded) return
      request.isAdded = false
      calls.delete(request.call)
      request.client.pending.delete(request.key)
    },
    find: (call) => (all.current?.call === call ? all.current : calls.get(call)),
    settle(call) {
      const request = all.find(call)
      if (request === undefined || request.isSettled) return undefined
      request.isSettled = true
      return request
    },
    cancel(request) {
      request.abort?.(new DOMException('the read was cancelled', 'AbortError'))
      all.remove(request)
    },
  }
  return all
}

export interface Clients {
  readonly listener: ClientsListener
  /** Sets whether {@link ClientsHost.read} is called. */
  watchReads(on: boolean): void
  /** Serves a port until it closes. `closed` is called then, once. */
  openPort(port: Port, principal: string, closed?: () => void): Client
  openText(channel: TextChannel, principal: string): Client
  /** Values that sources have read, until the answer is sent. */
  readonly read: Replies['read']
  /** Published values at gateways. */
  readonly mirror: Mirror
  /** Delivers what the program has recorded. */
  drain(): void
  /** Ends the reads whose providers run, of those that are denied now. */
  endDenied(table: GrantTable): void
  /** Closes all clients: waiting reads fail with an error, ports get a last message. */
  closeAll(reason: string): void
  /** The program has ended: answers what it has not answered with an error, and closes all clients. */
  lost(): void
}

export function clients(host: ClientsHost): Clients {
  const byNumber = new Map<number, ClientState>()
  const closeListeners = new WeakMap<ClientState, () => void>()
  let lastClient = 0

  const calls = pendingCalls()
  const mirroring = mirror(byNumber, host, () => out.watchReads)
  const out: Replies = replies(host, calls, mirroring)
  const events = engineEvents(byNumber, calls, out, host.report)
  const incoming = receiver(host, calls, events, out, close)

  function open(port: Port | undefined, channel: TextChannel | undefined, principal: string) {
    const client: ClientState = {
      number: ++lastClient,
      principal,
      port,
      channel,
      pending: new Map(),
      pendingReads: 0,
      mirrored: undefined,
      isClosed: false,
      receive: (message) => {
        if (client.isClosed) return
        if (port) incoming.object(client, message)
        else if (typeof message === 'string' && !mirroring.receive(client, message)) {
          incoming.text(client, message)
        }
      },
      close: () => close(client),
      end: (reason) => end(client, reason),
    }
    byNumber.set(client.number, client)
    const gateway = channel ? 1 : 0 // a text channel is opened after the proof
    host
      .program()
      .call((exports, program) => exports.connect(client.number, gateway, program.write(principal)))
    return client
  }

  /** Ends all requests of a client. Its port is closed after `delay` ms: messages are ignored until then. */
  function close(client: ClientState, delay = 0) {
    if (client.isClosed) return
    client.isClosed = true
    byNumber.delete(client.number)
    for (const request of [...client.pending.values()]) calls.cancel(request)
    host.program().call((exports) => exports.disconnect(client.number))
    if (delay > 0 && client.port) setTimeout(closePort, delay, client.port)
    else closePort(client.port)
    closeListeners.get(client)?.()
  }

  function closePort(port: Port | undefined) {
    try {
      port?.close?.() // may be the web app's own code
    } catch (error) {
      host.report(error)
    }
  }

  /** Closes a client from this side. Requests without `abort` are answered by the engine, or fail with its end. */
  function end(client: ClientState, reason: string) {
    for (const request of [...client.pending.values()]) {
      if (request.abort === undefined) continue
      request.abort(new DOMException(reason, 'AbortError'))
      const error = engineError('The engine is shutting down', 'closed', true)
      out.text(request, 'error', JSON.stringify(error))
    }
    if (client.port) out.post(client, goodbye(reason))
    close(client, lastMessageTime)
  }

  return {
    listener: events.listener,
    watchReads(on) {
      out.watchReads = on
    },
    openPort(port, principal, closed) {
      const client = open(port, undefined, principal)
      if (closed) closeListeners.set(client, closed)
      try {
        listenToPort(port, client.receive, client.close)
      } catch (error) {
        client.close()
        throw error
      }
      return client
    },
    openText: (channel, principal) => open(undefined, channel, principal),
    read: out.read,
    mirror: mirroring,
    drain: events.drain,
    endDenied(table) {
      const isPaused = (table.pausedUntil ?? 0) > Date.now()
      for (const client of byNumber.values()) {
        for (const request of [...client.pending.values()]) {
          if (request.abort === undefined || request.decision === undefined) continue
          const own = JSON.parse(request.decision.text) as AccessDecision
          const isDenied = table.grants.some(
            ({ allow, assistant, right, tool, uri }) =>
              !allow &&
              assistant === own.assistant &&
              right === own.right &&
              tool === undefined &&
              uri === undefined,
          )
          const isWithheld = own.right === 'read' && out.isWithheld(own.assistant, own.what ?? '')
          if (isPaused || isDenied || isWithheld) out.revoke(request)
        }
      }
    },
    closeAll(reason) {
      for (const client of [...byNumber.values()]) end(client, reason)
      out.stop()
    },
    lost() {
      events.drain() // answers from before the end are valid
      const error = engineError('The engine was restarted; ask again', 'restarted', true)
      for (const client of [...byNumber.values()]) {
        for (const request of [...client.pending.values()]) {
          request.abort?.(new DOMException(error.message, 'AbortError'))
          out.text(request, 'error', JSON.stringify(error))
        }
        if (client.port) out.post(client, goodbye('the engine was restarted'))
        close(client, lastMessageTime)
        client.channel?.lost()
      }
      out.stop()
    },
  }
}

// Records what the engine answers and sends while Go runs, and delivers it when Go has returned: nothing
// that a delivery calls may run within Go.

/** What of the listener concerns clients. */
export type ClientsListener = Omit<Listener, 'report' | 'callSource' | 'cancelCall' | 'watch'>

/** What the engine calls its methods. */
export interface MethodTable {
  readonly names: readonly string[]
  readonly numbers: ReadonlyMap<string, number>
  /** By number: whether goroutines may want to run after a request of the method. */
  readonly startsGoroutines: readonly boolean[]
}

export interface EngineEvents {
  readonly listener: ClientsListener
  methods: MethodTable
  /** The message that is being handed over as text, if it came as an object. */
  incoming: Params | undefined
  /** What is not delivered yet. */
  records: (() => void)[]
  /** By handle. */
  documents: (CachedDocument | undefined)[]
  /** The content of the Document that the present call returns; 0: it is whole. */
  ref: number
  /** Delivers what was recorded. */
  drain(): void
}

const keySubscription = 'io.modelcontextprotocol/subscriptionId'
const keyRequest = 'io.github.pagemcp/request' // Go's engine.MetaRequest

/** Methods without effects: when they answer at once, no goroutine was started. */
const readOnly = [
  'ping',
  'initialize',
  'server/discover',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'prompts/list',
  'tools/list',
]

/**
 * @param report - gets what a delivery throws; the others are delivered
 */
export function engineEvents(
  clients: ReadonlyMap<number, ClientState>,
  calls: PendingCalls,
  replies: Replies,
  report: (error: unknown) => void,
): EngineEvents {
  let draining = false

  const documentOf = (handle: number, text: string): CachedDocument =>
    (handle === 0 ? undefined : all.documents[handle]) ?? {
      text,
      object: undefined,
    }

  const listener: ClientsListener = {
    methods(names) {
      all.methods = methodTable(names)
    },
    define(handle, text) {
      all.documents[handle] = { text, object: undefined }
    },
    release(handle) {
      all.documents[handle] = undefined
    },
    open(number, key, token) {
      const client = clients.get(number)
      if (client === undefined) return 0
      const id = client.port ? JSON.parse(token) : token
      const own = client.port ? id : key
      if (client.pending.has(own)) return 0
      const { incoming, methods } = all
      const method = methods.numbers.get(String(incoming?.method)) ?? -1
      const params = incoming?.params as Params | undefined
      const request = calls.create(client, id, own, method, params)
      calls.add(request)
      return request.call
    },
    find(number, key) {
      const client = clients.get(number)
      const request = client?.pending.get(client.port ? idOfKey(key) : key)
      if (request === undefined || request.isSettled) {
        if (request?.abort) calls.cancel(request) // the engine has answered; the provider has not
        return 0
      }
      return request.call
    },
    refer(ref) {
      all.ref = ref
    },
    respond(call, handle, text) {
      const request = calls.settle(call)
      if (request === undefined) return
      const document = documentOf(handle, text)
      all.records.push(() => replies.document(request, document))
    },
    fill(call, handle, text, refs, uri, variables) {
      const request = calls.settle(call)
      if (request === undefined) return
      const document = documentOf(handle, text)
      const gaps = gapsOf(refs, uri, variables)
      all.records.push(() => replies.fill(request, document, gaps))
    },
    failed(call, error) {
      const request = calls.settle(call)
      if (request) all.records.push(() => replies.text(request, 'error', error))
    },
    drop(call) {
      const request = calls.settle(call)
      if (request) all.records.push(() => calls.remove(request))
    },
    end(call, text) {
      const request = calls.settle(call)
      if (request) all.records.push(() => replies.endSubscription(request, text))
    },
    refuse(number, error) {
      const client = clients.get(number)
      if (client) {
        all.records.push(() => replies.message(client, `{"jsonrpc":"2.0","error":${error}}`))
      }
    },
    decided(call, text) {
      const request = calls.find(call)
      if (request) request.decision = { text, since: stopwatch() }
      else if (call === 0) replies.decided(text) // a task has waited for it
    },
    notify(number, handle, text, of) {
      const client = clients.get(number)
      if (client === undefined) return
      const request = of === 0 ? undefined : calls.find(Math.abs(of))
      const key = of < 0 ? keyRequest : keySubscription
      const document = documentOf(handle, text)
      all.records.push(() => replies.notify(client, document, key, request))
    },
  }

  const all: EngineEvents = {
    listener,
    methods: methodTable([]),
    incoming: undefined,
    records: [],
    documents: [],
    ref: 0,
    drain() {
      if (draining) return
      draining = true
      for (let i = 0; i < all.records.length; i++) {
        try {
          all.records[i]?.()
        } catch (error) {
          report(error)
        }
      }
      all.records = []
      draining = false
    },
  }
  return all
}

function methodTable(names: readonly string[]): MethodTable {
  return {
    names,
    numbers: new Map(names.map((name, number) => [name, number])),
    startsGoroutines: names.map((name) => !readOnly.includes(name)),
  }
}

/** The id that Go's `jsonrpc.ID.Key` stands for: a string after a quotation mark, or a number. */
function idOfKey(key: string): string | number {
  return key.startsWith('"') ? key.slice(1) : Number(key)
}
