/**
 * Hands the messages of clients to the engine. A request with the expected envelope takes the fast path:
 * only its params cross into Go, as JSON text, and mostly the handle of a Document comes back. All other
 * messages cross as whole texts. Both paths end in the same engine code.
 */

import type { EngineEvents } from './engine-events.ts'
import { gapsOf } from './fill.ts'
import { isHuge, isPlain, measure, notJson } from './json.ts'
import type { PendingCalls } from './pending-calls.ts'
import { isGoodbye } from './port.ts'
import type { ProgramRunner } from './program-runner.ts'
import type { Replies } from './replies.ts'
import {
  type CachedDocument,
  type ClientState,
  type ClientsHost,
  endedError,
  isId,
  isOnlyUri,
  isRequest,
  type Params,
  type PendingRequest,
} from './requests.ts'
import type { Exports, Program } from './wasm.ts'
import { answers } from './wasm-numbers.ts'

export interface Receiver {
  /** Receives a message of a port. */
  object(client: ClientState, message: unknown): void
  /** Receives a message of a text channel. */
  text(client: ClientState, message: unknown): void
  /** Hands the text of a message to the engine. */
  handOver(client: ClientState, text: string): void
  /** Hands a request of a classic session to a new program; see classic-session.ts. */
  replay(client: ClientState, method: string, params: Params): void
  /** Queues a message for the next program, or rejects it. */
  queue(client: ClientState, message: unknown): void
  /** Whether no program will come: messages are rejected instead of queued. */
  isDown: boolean
}

/** Limits; web/docs/protocol.md lists them. */
const maxIn = 1 << 20 // bytes of a message
const maxTextIn = maxIn + (64 << 10) // bytes of a message's text: a gateway adds to `_meta` of a message of maxIn
const maxQueued = 64 // messages of one client that wait for a new program

/**
 * @param respond - answers a request of the fast path
 * @param close - the client has said goodbye
 */
export function receiver(
  host: Pick<ClientsHost, 'died'>,
  calls: PendingCalls,
  runner: ProgramRunner,
  events: EngineEvents,
  replies: Replies,
  respond: (request: PendingRequest, document: CachedDocument) => void,
  close: (client: ClientState) => void,
): Receiver {
  function receiveObject(client: ClientState, message: unknown) {
    const { program } = runner
    if (program === undefined) {
      queue(client, message)
      return
    }
    if (isRequest(message) && hasNoMore(message)) {
      const { id, params } = message
      const { methods } = events
      const method = methods.numbers.get(message.method)
      if (method !== undefined && !client.pending.has(id)) {
        let n = -1
        if (params !== undefined) {
          if (method === methods.read && isOnlyUri(params)) {
            n = program.writeAscii(params.uri)
            if (n >= 0) {
              const { takeURI } = program.exports
              take(program, takeURI, calls.create(client, id, id, method, params), n)
              return
            }
          }
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
        take(program, program.exports.take, calls.create(client, id, id, method, params), n)
        return
      }
    }
    if (isGoodbye(message)) close(client)
    else if (!cancel(client, message)) handOverObject(client, message)
  }

  /** Whether a request has the members of JSON-RPC only. Others are measured. */
  function hasNoMore(message: object): boolean {
    for (const name in message) {
      if (name !== 'jsonrpc' && name !== 'id' && name !== 'method' && name !== 'params')
        return false
    }
    return true
  }

  /** The fast path: `n` bytes of params are in the input buffer. */
  function take(running: Program, taken: Exports['take'], request: PendingRequest, n: number) {
    calls.current = request
    events.ref = 0
    let answer: number | undefined
    try {
      answer = taken(request.client.number, request.call, request.method, n)
    } catch {
      answer = undefined
    }
    calls.current = undefined
    if (!answer || running.exited) {
      calls.add(request)
      host.died()
      return
    }
    const document = answer > 0 ? events.documents[answer] : undefined
    if (document !== undefined) {
      request.isSettled = true
      if (events.ref === 0) respond(request, document)
      else replies.fill(request, document, gapsOf([events.ref], String(request.params?.uri), ''))
    } else if (answer > 0 || answer === answers.broken) {
      replies.internalError(request)
    } else if (!request.isSettled) {
      calls.add(request)
      runner.goroutinesReady = true
    }
    if (runner.goroutinesReady || events.methods.startsGoroutines[request.method]) {
      runner.pump(running)
    }
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
    if (client.session && isPlain(message) && message.method === 'notifications/initialized') {
      client.session.initialized = true
    }
  }

  function handOver(client: ClientState, text: string) {
    const before = calls.last
    const answer = runner.call((exports, running) =>
      exports.message(client.number, running.write(text, maxTextIn + 1)),
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
      runner.call((exports) => exports.cancel(client.number, request.call))
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

  function queue(client: ClientState, message: unknown) {
    if (isGoodbye(message)) {
      close(client)
    } else if (!all.isDown && client.queue.length < maxQueued) {
      client.queue.push(message)
      return
    }
    const request = client.channel ? parsed(message) : message
    if (isRequest(request) && !client.pending.has(request.id)) {
      const answer = { jsonrpc: '2.0', id: request.id, error: endedError(all.isDown) }
      if (client.channel) client.channel.send(JSON.stringify(answer))
      else replies.post(client, answer)
    }
  }

  /** The message of a text; `undefined` if it is not JSON. */
  function parsed(text: unknown): unknown {
    try {
      return JSON.parse(String(text))
    } catch {
      return undefined
    }
  }

  const all: Receiver = {
    isDown: false,
    object: receiveObject,
    text(client, message) {
      if (runner.program === undefined) queue(client, message)
      else if (typeof message === 'string') handOver(client, message)
    },
    handOver,
    replay(client, method, params) {
      const { program } = runner
      const number = events.methods.numbers.get(method)
      if (program === undefined || number === undefined) return
      const request = calls.create(client, undefined, undefined, number, params, true)
      take(program, program.exports.take, request, program.write(JSON.stringify(params)))
    },
    queue,
  }
  return all
}
