/**
 * Records what the engine answers and sends while Go runs, and delivers it when Go has returned: nothing
 * that a delivery calls may run within Go.
 */

import type { CachedDocument, ClientState, Params, PendingCalls } from './clients.ts'
import { gapsOf } from './fill.ts'
import type { Replies } from './replies.ts'
import { stopwatch } from './stopwatch.ts'
import type { Listener } from './wasm.ts'

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
