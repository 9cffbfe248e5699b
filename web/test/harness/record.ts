/**
 * Writes down what clients and our engine or gateway say to each other in tests: a file for each process in
 * test/.messages, a line for each message. After the tests, server/interop compares what our side said with
 * the specification's schemas.
 */

import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'

const directory = join(import.meta.dirname, '..', '.messages')
const file = join(directory, `${process.pid}-${Date.now()}.jsonl`)
let conversations = 0

/** One conversation: one connection, or what belongs to one session or one request of HTTP. */
export interface Recording {
  /** What the client sends: JSON text, or a value that has one. */
  client(message: unknown): void
  /** What the engine or gateway sends. */
  server(message: unknown): void
}

/**
 * Begins to write down a conversation.
 *
 * @param name - what it is, for whoever reads of a failure
 */
export function record(name: string): Recording {
  conversations += 1
  const talk = `${name} #${conversations}`
  mkdirSync(directory, { recursive: true })
  const write = (from: 'client' | 'server') => (message: unknown) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    appendFileSync(file, `${JSON.stringify({ in: talk, from, text })}\n`)
  }
  return { client: write('client'), server: write('server') }
}

/** What the transports of the official SDKs have in common. */
interface Transport {
  send(message: never, ...rest: never[]): Promise<void>
  onmessage?: ((message: never, ...rest: never[]) => void) | undefined
}

/**
 * Writes down what goes through a transport of an SDK, whichever. Before its client connects: that is when the handler
 * of messages is assigned.
 */
export function recordTransport<T extends Transport>(name: string, transport: T): T {
  const recording = record(name)
  const send = transport.send.bind(transport)
  transport.send = (message, ...rest) => {
    recording.client(message)
    return send(message, ...rest)
  }
  let handler = transport.onmessage
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () =>
      handler &&
      ((message: never, ...rest: never[]) => {
        recording.server(message)
        handler?.(message, ...rest)
      }),
    set(next) {
      handler = next
    },
  })
  return transport
}
