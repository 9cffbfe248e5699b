/**
 * Hands the messages of clients to the engine. A request with the expected envelope takes the fast path:
 * only its params cross into Go, as JSON text, and mostly the handle of a Document comes back. All other
 * messages cross as whole texts. Both paths end in the same engine code.
 */

import type {
  ClientState,
  ClientsHost,
  EngineEvents,
  Params,
  PendingCalls,
  PendingRequest,
} from './clients.ts'
import { isHuge, isPlain, measure, notJson } from './json.ts'
import { isGoodbye } from './link.ts'
import { gapsOf, type Replies } from './replies.ts'
import type { Program } from './wasm.ts'
import { answers } from './wasm-numbers.ts'

export interface Receiver {
  /** Receives a message of a port. */
  object(client: ClientState, message: unknown): void
  /** Receives a message of a text channel. */
  text(client: ClientState, text: string): void
}

/** Limits; testdata/wire.md lists them. */
const maxIn = 1 << 20 // bytes of a message
const maxTextIn = maxIn + (64 << 10) // bytes of a message's text: a gateway adds to `_meta` of a message of maxIn

/**
 * @param close - the client has said goodbye
 */
export function receiver(
  { program: running }: Pick<ClientsHost, 'program'>,
  calls: PendingCalls,
  events: EngineEvents,
  replies: Replies,
  close: (client: ClientState) => void,
): Receiver {
  function object(client: ClientState, message: unknown) {
    const program = running()
    if (isRequest(message)) {
      const { id, params } = message
      const { methods } = events
      const method = methods.numbers.get(message.method)
      if (method !== undefined && !client.pending.has(id)) {
        let n = -1
        if (params !== undefined) {
          if (!isPlain(params)) {
            handOverObject(client, message)
            return
          }
          const size = measure(params, maxIn)
          if (size === notJson || size > maxIn) {
            reject(client, message, size)
            return
          }
          n = program.write(JSON.stringify(params))
        }
        take(program, calls.create(client, id, id, method, params), n)
        return
      }
    }
    if (isGoodbye(message)) close(client)
    else if (!cancel(client, message)) handOverObject(client, message)
  }

  /** The fast path: `n` bytes of params are in the input buffer. */
  function take(program: Program, request: PendingRequest, n: number) {
    calls.current = request
    events.ref = 0
    // `call` would pump each time: most requests need no goroutine.
    let answer: number | undefined
    try {
      answer = program.exports.take(request.client.number, request.call, request.method, n)
    } catch {
      answer = undefined
    }
    calls.current = undefined
    if (!answer || program.exited) {
      calls.add(request)
      program.call(() => undefined) // notices the end
      return
    }
    const document = answer > 0 ? events.documents[answer] : undefined
    if (document !== undefined) {
      request.isSettled = true
      if (events.ref === 0) replies.document(request, document)
      else replies.fill(request, document, gapsOf([events.ref], String(request.params?.uri), ''))
    } else if (answer > 0 || answer === answers.broken) {
      replies.internalError(request)
    } else if (!request.isSettled) {
      calls.add(request)
      program.goroutinesReady = true
    }
    if (program.goroutinesReady || events.methods.startsGoroutines[request.method]) program.pump()
    if (events.records.length > 0) events.drain()
  }

  /** Hands over a message of a port as text. A string is the text of one, well-formed or not. */
  function handOverObject(client: ClientState, message: unknown) {
    if (typeof message === 'string') {
      handOver(client, message)
      return
    }
    const size = measure(message, maxIn)
    if (size === notJson || size > maxIn) {
      reject(client, message, size)
      return
    }
    events.incoming = isPlain(message) ? message : undefined
    handOver(client, JSON.stringify(message))
    events.incoming = undefined
  }

  function handOver(client: ClientState, text: string) {
    const before = calls.last
    const answer = running().call((exports, program) =>
      exports.message(client.number, program.write(text, maxTextIn + 1)),
    )
    if (answer === answers.idle) events.drain()
    if (answer !== answers.broken) return
    for (const request of client.pending.values()) {
      if (request.call > before && !request.isSettled) replies.internalError(request)
    }
  }

  /** Cancels the request that a well-formed `notifications/cancelled` of a port names. */
  function cancel(client: ClientState, message: unknown): boolean {
    if (!isPlain(message) || message.method !== 'notifications/cancelled') return false
    if (message.jsonrpc !== '2.0' || 'id' in message || !isPlain(message.params)) return false
    const request = client.pending.get(message.params.requestId)
    if (request?.abort) calls.cancel(request)
    else if (request && !request.isSettled) {
      running().call((exports) => exports.cancel(client.number, request.call))
    }
    return true
  }

  /** Rejects a message that has no JSON text for Go, or too much. */
  function reject(client: ClientState, message: unknown, size: number) {
    const text = size === notJson ? 'The message is not JSON' : 'The message is too large'
    const error = { code: -32600, message: text } // JSON-RPC 2.0, section 5.1
    const { id, method } = (message ?? {}) as Params
    if (isId(id) && method !== undefined && !client.pending.has(id)) {
      replies.post(client, { jsonrpc: '2.0', id, error })
    } else if (id !== undefined || method === undefined) {
      replies.post(client, { jsonrpc: '2.0', error })
    }
    if (isHuge(message)) close(client) // another one may end this thread, for all clients
  }

  return {
    object,
    text(client, text) {
      if (replies.watchReads) events.incoming = parsed(text) // says for whom
      handOver(client, text)
      events.incoming = undefined
    },
  }
}

function parsed(text: string): Params | undefined {
  try {
    const message: unknown = JSON.parse(text)
    return isPlain(message) ? message : undefined
  } catch {
    return undefined // Go says so
  }
}

/** A request that has exactly the members of JSON-RPC, and an id that a number or string holds exactly. Others are measured. */
function isRequest(
  message: unknown,
): message is { id: string | number; method: string; params?: unknown } {
  if (typeof message !== 'object' || message === null) return false
  const { jsonrpc, id, method } = message as Params
  if (jsonrpc !== '2.0' || typeof method !== 'string' || !isId(id)) return false
  for (const name in message) {
    if (name !== 'jsonrpc' && name !== 'id' && name !== 'method' && name !== 'params') return false
  }
  return true
}

function isId(id: unknown): id is string | number {
  return typeof id === 'string' || (Number.isSafeInteger(id) && !Object.is(id, -0))
}

// What a browser does to sockets that fail.
//
// Firefox delays WebSockets to a host after each that failed: by 0.2 to 0.4 s at first, growing by half up to a
// minute, for all tabs. It forgets a failure a minute after that delay. It does not delay `fetch`.

/** Firefox has forgotten a failure after this time, ms: then a socket may be opened without a probe. */
const forgotten = 90_000

/** How long a probe may take, ms: a gateway that starts has bound its port before it answers. */
const probeTimeout = 10_000

const loopback = /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|$)/

/**
 * Whether to open a socket after one has failed, at `lastFailure` of `performance.now()`: whether a server answers HTTP
 * at its address. Also true if a Content-Security-Policy forbids the probe: it may allow the socket.
 */
export async function worthTrying(address: string, lastFailure: number): Promise<boolean> {
  if (!loopback.test(self.origin)) return true
  // A Service Worker may block the probe, but not the socket.
  if (performance.now() - lastFailure > forgotten) return true
  const url = address.replace(/^ws/, 'http')
  let forbidden = false
  const violated = (event: Event) => {
    forbidden ||= url.startsWith((event as SecurityPolicyViolationEvent).blockedURI)
  }
  const global: EventTarget = globalThis.document ?? self // events about a window's violations are dispatched at the document
  global.addEventListener('securitypolicyviolation', violated)
  try {
    const signal = AbortSignal.timeout(probeTimeout)
    await fetch(url, { mode: 'no-cors', cache: 'no-store', credentials: 'omit', signal })
    return true
  } catch {
    await new Promise((resolve) => setTimeout(resolve)) // the event is a task of its own
    return forbidden
  } finally {
    global.removeEventListener('securitypolicyviolation', violated)
  }
}

/** Possible causes when a socket cannot be opened. */
export const blocked =
  'does connect-src of the Content-Security-Policy allow it, and the local network permission?'

/**
 * Whether the browser blocks this page from the local network, so that quick retries are useless and may
 * show a permission prompt each time. A page of a loopback origin is in that network itself. The permission says `prompt`
 * also where the browser does not enforce it: a page that has joined before is not blocked.
 */
export async function deniedByBrowser(everJoined: boolean): Promise<boolean> {
  if (loopback.test(self.origin)) return false
  try {
    const name = 'loopback-network' as PermissionName
    const { state } = await navigator.permissions.query({ name })
    return state === 'denied' || (state === 'prompt' && !everJoined)
  } catch {
    return false // a browser without that permission
  }
}
