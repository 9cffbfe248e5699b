// By each way to a page in a browser, an assistant gets what the user has granted, and nothing else. The twin is open.

import assert from 'node:assert/strict'
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import type { PageMcp } from '../../src/start.ts'
import { servePages } from '../core/browser/built.ts'
import { type Gateway, pageUrl, program, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { startFront } from '../harness/front.ts'
import { assistants, isRefusal, policyApp, rights, rows } from './policy.ts'

declare const mcp: PageMcp
declare global {
  interface Window {
    ready?: boolean
  }
}

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
interface Way {
  readonly name: string
  readonly era: Era
  /** Whether it leads to all pages, whose names stand before URIs and names. */
  readonly toAll: boolean
  /** The first message that answers: a response, or the acknowledgement of a listen. */
  ask(method: string, params: Params): Promise<string>
  close(): void
}

/** Requests over HTTP, of the newer era without a session, of the older with one. */
async function overHttp(url: string, era: Era): Promise<Way> {
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
      if (/^data: \{.*\}$/m.test(text)) break
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
    name: era === 'modern' ? 'HTTP' : 'session',
    era,
    toAll: false,
    ask: (method, params) =>
      send({
        id: ++last,
        method,
        params: era === 'modern' ? { ...params, _meta: envelope } : params,
      }),
    close() {},
  }
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

async function overSocket(url: string, era: Era): Promise<Way> {
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

function overStdio(gateway: Gateway, assistant: string, era: Era): Promise<Way> {
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
    .replace(/"name":"(look|act|ask)"/g, `"name":"${page}.$1"`)
  return JSON.parse(text)
}

/** What an answer of all pages has for one. */
const asOfPage = (page: string, answer: string) =>
  answer.replaceAll(`"${page}+`, '"').replaceAll(`"name":"${page}.`, '"name":"')

const run = promisify(execFile)

for (const access of ['ask', 'open'] as const) {
  inBrowsers(
    `by each way to a page, every method agrees with the decisions of its user (${access})`,
    async ({ open }) => {
      const state = await mkdtemp(join(tmpdir(), 'pagemcp-ways-'))
      const script = `${policyApp}
const { webSocket } = await import('/pagemcp/index.js')
const { joined } = mcp.connect(webSocket(query.get('gateway')))
await joined
window.place = mcp.state.gateways.at(-1).name
window.ready = true`
      const site = await servePages({ '/app.html': script })
      const gateway = await startGateway({
        command: 'serve',
        state,
        args: [`--allow-origin=${site.origin}`, '--reads-per-second=1000'],
      })
      const wrong: string[] = []
      try {
        const pages = new Map<string, string>()
        for (const app of ['notes', 'mail'] as const) {
          const at = encodeURIComponent(pageUrl(gateway))
          const address = `${site.origin}/app.html?app=${app}&access=${access}&gateway=${at}`
          const tab = await open(pages.size === 0 ? `${address}#${gateway.pairing}` : address)
          await tab.waitForFunction('window.ready')
          pages.set(app, (await tab.evaluate('place')) as string)
          if (access === 'open') continue
          await tab.evaluate(async (own) => {
            for (const [assistant, rights] of Object.entries(own)) {
              await mcp.access.revoke(assistant) // nothing is asked
              for (const right of rights) await mcp.access.allow(assistant, right)
            }
          }, rights[app])
        }
        for (const assistant of assistants) {
          const { stdout } = await run(program, ['token', 'add', assistant, '--state', state])
          const front = await startFront(`ways ${assistant}`, {
            mcp: gateway.mcp,
            token: stdout.trim(),
          })
          try {
            for (const app of ['notes', 'mail'] as const) {
              const page = pages.get(app) as string
              const own: readonly string[] =
                access === 'open' ? ['read', 'act'] : rights[app][assistant]
              const ways = await Promise.all([
                overHttp(front.url(`/mcp/${page}`), 'modern'),
                overHttp(front.url(`/mcp/${page}`), 'classic'),
                overSocket(front.url('/ws'), 'modern'),
                overSocket(front.url('/ws'), 'classic'),
                overStdio(gateway, assistant, 'modern'),
                overStdio(gateway, assistant, 'classic'),
              ])
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
                    wrong.push(`${app}, ${assistant}, ${way.name}: ${method}, may ${may}: ${raw}`)
                  }
                }
                way.close()
              }
            }
          } finally {
            await front.close()
          }
        }
      } finally {
        await gateway.close()
        await site.close()
        await rm(state, { recursive: true, force: true })
      }
      assert.deepEqual(wrong, [])
    },
    { timeout: 240_000 },
  )
}

/** A part of a list of all pages that only the entry of one has. */
const inListOf = (page: string, want: string) =>
  want.replace(/(note:|skill:)/, `${page}+$1`).replace('"name":"', `"name":"${page}.`)
