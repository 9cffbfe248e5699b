/**
 * A raw JSON-RPC client for tests: no SDK, so that nothing is hidden. Every wait has a time limit.
 */

import type { Port } from '../../src/port.ts'

export type Message = Record<string, unknown>

/** How long anything may take. */
export const limit = 20_000 // ms

export const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

export interface TestClient {
  /** All messages that came, in order. */
  readonly got: Message[]
  /** Posts anything. */
  post(message: unknown): void
  /** Sends a request and returns the answer to it. */
  ask(method: string, params?: unknown, id?: unknown): Promise<Message>
  /** The same with the envelope of 2026-07-28, and more members of `_meta`, such as capabilities. */
  askModern(method: string, params?: object, id?: unknown, meta?: object): Promise<Message>
  /** The next message, from `from` on, that fits. */
  next(fits: (message: Message) => boolean, from?: number): Promise<Message>
  /** initialize and initialized. */
  initialize(version?: string, capabilities?: object): Promise<Message>
  close(): void
}

export function testClient(port: Port): TestClient {
  const got: Message[] = []
  const waiting = new Set<() => void>()
  let last = 0
  port.onmessage = ({ data }: { data: Message }) => {
    got.push(data)
    for (const wake of waiting) wake()
    waiting.clear()
  }
  const client: TestClient = {
    got,
    post: (message) => port.postMessage(message),
    async next(fits, from = 0) {
      const deadline = AbortSignal.timeout(limit)
      for (let i = from; ; i++) {
        while (i >= got.length) {
          await new Promise<void>((resolve, reject) => {
            waiting.add(resolve)
            const late = () => reject(new Error(`nothing that fits in ${JSON.stringify(got)}`))
            deadline.addEventListener('abort', late, { once: true })
          })
        }
        const message = got[i] as Message
        if (fits(message)) return message
      }
    },
    ask(method, params, id = `test-${++last}`) {
      const from = got.length
      port.postMessage({ jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) })
      return client.next((message) => message.id === id && !('method' in message), from)
    },
    askModern: (method, params = {}, id, meta = {}) =>
      client.ask(method, { ...params, _meta: { ...envelope, ...meta } }, id),
    async initialize(protocolVersion = '2025-11-25', capabilities = {}) {
      const clientInfo = { name: 'test', version: '1' }
      const answer = await client.ask('initialize', {
        protocolVersion,
        capabilities,
        clientInfo,
      })
      port.postMessage({ jsonrpc: '2.0', method: 'notifications/initialized' })
      return answer
    },
    close: () => port.close?.(),
  }
  return client
}

/** The result of an answer; there has to be one. */
export function resultOf<T = Record<string, unknown>>(answer: Message): T {
  if (answer.result === undefined) throw new Error(`no result: ${JSON.stringify(answer.error)}`)
  return answer.result as T
}

/** The error of an answer; there has to be one. */
export function errorOf(answer: Message): { code: number; message: string; data?: Message } {
  if (answer.error === undefined) throw new Error(`no error: ${JSON.stringify(answer.result)}`)
  return answer.error as never
}

/** Waits, task by task, until a condition holds. */
export async function until(condition: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + limit
  while (!condition()) {
    if (Date.now() > deadline) throw new Error(`not in time: ${what}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
