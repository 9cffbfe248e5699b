/** The ways of an assistant to a page, and what they answer beside what its user has granted: for tests of each gateway. */

import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Gateway } from '../e2e/gateway.ts'
import { isRefusal, rows } from './policy.ts'

const answerTime = 30_000 // ms

const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const initialize = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'c', version: '1' },
}

type Params = Record<string, unknown>
type Era = 'classic' | 'modern'

/** A way of one assistant. */
export interface Way {
  readonly name: string
  readonly era: Era
  /** Whether it leads to all pages, whose names stand before URIs and names. */
  readonly toAll: boolean
  /** The first message that answers: a response, or the acknowledgement of a listen. */
  ask(method: string, params: Params): Promise<string>
  close(): void
}

/**
 * Requests over HTTP, of the newer era without a session, of the older with one.
 *
 * @param token - of the assistant, for an endpoint without a front that adds it
 */
export async function overHttp(
  url: string,
  era: Era,
  { token, toAll = false }: { token?: string; toAll?: boolean } = {},
): Promise<Way> {
  let session: string | undefined
  const send = async (body: { method: string; id?: number; params?: Params }) => {
    const over = new AbortController()
    const { uri, name } = (body.params ?? {}) as { uri?: string; name?: string }
    const named = uri ?? name
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(era === 'modern'
          ? { 'mcp-protocol-version': '2026-07-28', 'mcp-method': body.method }
          : session !== undefined && {
              'mcp-session-id': session,
              'mcp-protocol-version': '2025-11-25',
            }),
        ...(era === 'modern' && named !== undefined && { 'mcp-name': named }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      signal: AbortSignal.any([over.signal, AbortSignal.timeout(answerTime)]),
    })
    session ??= response.headers.get('mcp-session-id') ?? undefined
    // The stream of a listen goes on; what answers is its first message.
    let text = ''
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += part
      const messages = [...text.matchAll(/^data: (\{.*\})$/gm)]
      const answer = messages.find(([, message]) => isAnswer(String(message)))
      if (answer) {
        text = String(answer[1])
        break
      }
    }
    over.abort()
    return text
  }
  if (era === 'classic') {
    await send({ id: 1, method: 'initialize', params: initialize })
    await send({ method: 'notifications/initialized' })
  }
  let last = 1
  return {
    name: `${era === 'modern' ? 'HTTP' : 'session'}${toAll ? ', all pages' : ''}`,
    era,
    toAll,
    ask: (method, params) =>
      send({
        id: ++last,
        method,
        params: era === 'modern' ? { ...params, _meta: envelope } : params,
      }),
    close() {},
  }
}

/** Whether a message answers a request, and is no notification of a session. */
const isAnswer = (message: string) => {
  const { id, method } = JSON.parse(message) as { id?: unknown; method?: string }
  return id !== undefined || method === 'notifications/subscriptions/acknowledged'
}

/** A connection that carries messages: a WebSocket, or the lines of a program. */
async function overChannel(
  name: string,
  era: Era,
  write: (text: string) => void,
  listen: (take: (text: string) => void) => void,
  close: () => void,
): Promise<Way> {
  const waiting = new Map<unknown, (text: string) => void>()
  listen((text) => {
    const { id, params } = JSON.parse(text) as { id?: unknown; params?: { _meta?: Params } }
    const of = id ?? params?._meta?.['io.modelcontextprotocol/subscriptionId']
    waiting.get(of)?.(text)
  })
  let last = 0
  const ask = (method: string, params: Params) => {
    const id = ++last
    return new Promise<string>((resolve, reject) => {
      const late = setTimeout(
        () => reject(new Error(`${name}: no answer to ${method}`)),
        answerTime,
      )
      waiting.set(id, (text) => {
        clearTimeout(late)
        waiting.delete(id)
        resolve(text)
      })
      const own = era === 'modern' ? { ...params, _meta: envelope } : params
      write(JSON.stringify({ jsonrpc: '2.0', id, method, params: own }))
    })
  }
  if (era === 'classic') {
    await ask('initialize', initialize)
    write(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  }
  return { name: `${name}, ${era}`, era, toAll: true, ask, close }
}

export async function overSocket(url: string, era: Era): Promise<Way> {
  const socket = new WebSocket(url.replace('http', 'ws'), 'mcp')
  await new Promise((resolve, reject) => {
    socket.onopen = resolve
    socket.onerror = () => reject(new Error(`${url} does not open`))
  })
  const listen = (take: (text: string) => void) => {
    socket.onmessage = ({ data }) => take(String(data))
  }
  return overChannel(
    '/ws',
    era,
    (text) => socket.send(text),
    listen,
    () => socket.close(),
  )
}

export function overStdio(gateway: Gateway, assistant: string, era: Era): Promise<Way> {
  const { command, args } = gateway.stdio
  const child: ChildProcess = spawn(command, [...args, '--as', assistant], {
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const lines = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> })
  return overChannel(
    'stdio',
    era,
    (text) => child.stdin?.write(`${text}\n`),
    (take) => lines.on('line', take),
    () => child.stdin?.end(),
  )
}

/** Params for the endpoint of all pages. */
function ofPage(page: string, params: Params): Params {
  const text = JSON.stringify(params)
    .replace(/"(note:|skill:)/g, `"${page}+$1`)
    .replace(/"name":"(look|act|ask)"/g, `"name":"${page}__$1"`)
  return JSON.parse(text)
}

/** What an answer of all pages has for one. */
const asOfPage = (page: string, answer: string) =>
  answer.replaceAll(`"${page}+`, '"').replaceAll(`"name":"${page}__`, '"name":"')

/** A part of a list of all pages that only the entry of one has. */
const inListOf = (page: string, want: string) =>
  want.replace(/(note:|skill:)/, `${page}+$1`).replace('"name":"', `"name":"${page}__`)

/**
 * Waits until a gateway knows the decisions of a page's user, of which the last one lets an assistant read. Pages decide
 * at once; what a gateway decides by its copy, such as what a listen is acknowledged for, follows some ms later.
 *
 * @param way - of that assistant, of the newer era
 */
export async function decisionsKnown(way: Way): Promise<void> {
  const deadline = AbortSignal.timeout(answerTime)
  const notifications = { resourceSubscriptions: ['note:a'] }
  while (!(await way.ask('subscriptions/listen', { notifications })).includes('["note:a"]'))
    if (deadline.aborted) throw new Error('waited for the gateway to know the decisions of a user')
}

/**
 * Sends each method by each way, and closes the ways. Returns what does not agree with the rights of the assistant.
 *
 * @param own - its rights: `read`, `act`
 * @param page - the name of the page at the gateway
 */
export async function disagreements(
  ways: readonly Way[],
  page: string,
  own: readonly string[],
): Promise<string[]> {
  const wrong: string[] = []
  for (const way of ways) {
    for (const { method, params = {}, want, right, era = way.era } of rows) {
      // With extensions of two pages, it is not known to which a method goes.
      if (era !== way.era || (way.toAll && method === 'acme/do')) continue
      const may = right === 'any' ? own.length > 0 : own.includes(right)
      const asked = way.toAll ? ofPage(page, params as Params) : (params as Params)
      const raw = await way.ask(method, asked)
      const answer = way.toAll ? asOfPage(page, raw) : raw
      // Tools that the gateway makes are in its list for everybody; another page may have the same entry.
      const found =
        way.toAll && method.endsWith('/list')
          ? raw.includes(inListOf(page, want))
          : answer.includes(want)
      if (found !== may || (!may && !isRefusal(method, answer))) {
        wrong.push(`${page}, ${way.name}: ${method}, may ${may}: ${raw}`)
      }
    }
    way.close()
  }
  return wrong
}
