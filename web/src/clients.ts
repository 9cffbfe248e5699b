/**
 * All clients of one engine: opens and closes them, and keeps them while one program follows another.
 * Go decides what is answered; objects, ids and contents stay here.
 *
 * Invariants that the modules of clients rely on:
 * - Nothing calls into Go from within Go. Imports record (engine-events.ts); `drain` delivers after the
 *   export has returned, and so does every `runner.call` by its pump.
 * - A request is in the maps of pending-calls.ts from when it has to wait until it is answered. A request that
 *   the fast path answers at once never is.
 * - Each request is settled once by the engine, and answered once. Whatever answers it removes it first.
 * - A closed client sends nothing: every message passes `replies.post`.
 * - Handles of Documents are valid for one program; call numbers are unique over all programs.
 */

import type { AccessDecision, GrantTable } from './access-types.ts'
import { noteSession, replaySession } from './classic-session.ts'
import { type ClientsListener, engineEvents } from './engine-events.ts'
import { type Mirror, mirror } from './mirror.ts'
import { pendingCalls } from './pending-calls.ts'
import { goodbye, lastMessageTime, listenToPort, type Port } from './port.ts'
import { type ProgramRunner, programRunner } from './program-runner.ts'
import { receiver } from './receiver.ts'
import { type Replies, replies } from './replies.ts'
import {
  type CachedDocument,
  type Client,
  type ClientState,
  type ClientsHost,
  endedError,
  engineError,
  type PendingRequest,
  type TextChannel,
} from './requests.ts'
import type { Program } from './wasm.ts'

export type { Client, ReadEvent, TextChannel } from './requests.ts'

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
  /** Connects all clients to a new program, and hands over the messages that waited for it. */
  attach(program: Program): void
  /** The program is gone: its pending requests fail. Messages wait for the next, unless `forGood`. */
  detach(forGood: boolean): void
  /** Delivers what the program has recorded. */
  drain(): void
  /** Lets goroutines run after the present export, whatever it returns. */
  wake(): void
  call: ProgramRunner['call']
  /** Ends the reads whose providers run, of those that are denied now. */
  endDenied(table: GrantTable): void
  /** Closes all clients: waiting reads fail with an error, ports get a last message. */
  closeAll(reason: string): void
}

export function clients(host: ClientsHost): Clients {
  const byNumber = new Map<number, ClientState>()
  const closeListeners = new WeakMap<ClientState, () => void>()
  let lastClient = 0

  const calls = pendingCalls()
  const runner = programRunner(host.died)
  const mirroring = mirror(byNumber, host, () => out.watchReads)
  const out: Replies = replies(host, calls, runner, mirroring)
  const events = engineEvents(byNumber, calls, out, respond, host.report)
  const incoming = receiver(host, calls, runner, events, out, respond, close)

  function respond(request: PendingRequest, document: CachedDocument) {
    const { client, method, params } = request
    const { methods } = events
    if (methods.changesSession[method] && client.port && params) {
      noteSession(client, methods.names[method] ?? '', params)
    }
    out.document(request, document)
  }

  function open(port: Port | undefined, channel: TextChannel | undefined, principal: string) {
    const client: ClientState = {
      number: ++lastClient,
      principal,
      port,
      channel,
      pending: new Map(),
      pendingReads: 0,
      session: undefined,
      queue: [],
      mirrored: undefined,
      isClosed: false,
      receive: (message) => {
        if (client.isClosed) return
        if (port) incoming.object(client, message)
        else if (typeof message !== 'string' || !mirroring.receive(client, message)) {
          incoming.text(client, message)
        }
      },
      close: () => close(client),
      end: (reason) => end(client, reason),
    }
    byNumber.set(client.number, client)
    connect(client)
    return client
  }

  function connect(client: ClientState) {
    const gateway = client.channel ? 1 : 0 // a text channel is opened after the proof
    runner.call((exports, running) =>
      exports.connect(client.number, gateway, running.write(client.principal)),
    )
  }

  /** Ends all requests of a client. Its port is closed after `delay` ms: messages are ignored until then. */
  function close(client: ClientState, delay = 0) {
    if (client.isClosed) return
    client.isClosed = true
    byNumber.delete(client.number)
    for (const request of [...client.pending.values()]) calls.cancel(request)
    runner.call((exports) => exports.disconnect(client.number))
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
    attach(next) {
      runner.program = next
      incoming.isDown = false
      for (const client of [...byNumber.values()]) {
        connect(client)
        replaySession(client, host.lists, incoming, out)
        for (const message of client.queue.splice(0)) client.receive(message)
      }
    },
    detach(forGood) {
      runner.program = undefined
      incoming.isDown = forGood
      events.drain() // answers from before the end are valid
      out.read.clear()
      events.documents = []
      for (const client of [...byNumber.values()]) {
        for (const request of [...client.pending.values()]) {
          if (request.abort !== undefined) continue // its provider answers it
          out.text(request, 'error', JSON.stringify(endedError(forGood)))
        }
        if (client.channel && !forGood) {
          close(client)
          client.channel.lost()
        } else if (forGood) {
          // also those of a gateway: it learns from each answer that nothing comes
          for (const message of client.queue.splice(0)) incoming.queue(client, message)
        }
      }
      calls.removeReplays()
    },
    drain: events.drain,
    wake() {
      runner.goroutinesReady = true
    },
    call: runner.call,
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
  }
}
