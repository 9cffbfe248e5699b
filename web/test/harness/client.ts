/**
 * The client of tests: raw JSON-RPC and no SDK, so that nothing is hidden, on a port or over Streamable HTTP. Every wait has
 * a time limit. It imports types alone: pages of tests load it as `/client.js`.
 */

import type { Port } from '../../src/link.ts'

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

/** Where an assistant sends its requests. */
export interface Endpoint {
  readonly mcp: string
  readonly token?: string
}

/**
 * Sends a request of 2026-07-28 as an assistant does.
 *
 * @param at - the name of a page: the request goes to its own endpoint; default: to all
 * @param capabilities - those of the client
 * @param signal - default: as long as a page may be away and a stream open
 */
export function fetchAnswer(
  { mcp, token }: Endpoint,
  method: string,
  params: { readonly [name: string]: unknown } = {},
  at = '',
  capabilities: object = {},
  signal = AbortSignal.timeout(3 * limit),
): Promise<Response> {
  const { uri } = (params.ref ?? params) as { uri?: unknown }
  const name = params.taskId ?? params.name ?? uri
  const _meta = {
    ...envelope,
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...(params._meta as object | undefined),
  }
  return fetch(at === '' ? mcp : `${mcp}/${at}`, {
    method: 'POST',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': String(name) }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
    signal,
  })
}

/** The answer to such a request, JSON text, whether it comes alone or at the end of a stream. */
export async function post(...request: Parameters<typeof fetchAnswer>): Promise<string> {
  const text = await (await fetchAnswer(...request)).text()
  return /(?:^|\n)data: ([^\n]*"id":1,[^\n]*)/.exec(text)?.[1] ?? text // a line ends at \n alone, not at U+2028
}
