/**
 * The subjects of the race: ours, the TypeScript SDKs, and an echo without any work. All serve the data of
 * data.ts.
 */

import { Server as Server1 } from '@modelcontextprotocol/sdk/server/index.js'
import type { Transport as Transport1 } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ListResourcesRequestSchema,
  ReadResourceRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { Server as Server2, type Transport as Transport2 } from '@modelcontextprotocol/server'
import { start } from 'pagemcp'
import { type Client, type DirectPort, directClient, type Message, type Result } from './client.ts'
import { type Item, makeItems, makeText, pageSize } from './data.ts'

export interface Subject {
  name: string
  client: Client
  /** Speaks 2026-07-28, which has no ping. */
  modern: boolean
}

const info = { name: 'bench', version: '1.0.0' }
const classicVersion = '2025-11-25'
const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': info,
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** Makes all subjects, each with one client. Only `ours26` speaks 2026-07-28. */
export async function makeSubjects(): Promise<Subject[]> {
  const items = makeItems()
  const texts = new Map(items.map((item, n) => [item.uri, makeText(n)]))
  const engine = await startEngine(items, texts)
  return [
    await subject('ours', (port) => void engine.accept(port)),
    await subject('ts1', (port) => void sdk1(items, texts).connect(transport(port))),
    await subject('ts2', (port) => void sdk2(items, texts).connect(transport(port))),
    await subject('null', (port) => echo(port, items, texts)),
    await subject('ours26', (port) => void engine.accept(port), modern),
  ]
}

async function subject(
  name: string,
  open: (port: DirectPort) => void,
  meta?: { [name: string]: unknown },
): Promise<Subject> {
  const { client, far } = directClient(meta)
  open(far)
  if (meta === undefined) {
    const params = { protocolVersion: classicVersion, capabilities: {}, clientInfo: info }
    const { protocolVersion } = await client.call('initialize', params)
    if (protocolVersion !== classicVersion) throw new Error(`${name} speaks ${protocolVersion}`)
    client.notify('notifications/initialized')
  } else {
    await client.call('server/discover', {})
  }
  return { name, client, modern: meta !== undefined }
}

/** The package as users get it, with engine.wasm, policy and supervisor. */
async function startEngine(items: Item[], texts: Map<string, string>) {
  const mcp = await start({ name: 'bench', version: '1.0.0', worker: false, pageSize })
  mcp.resources(items.map((item) => [item, () => texts.get(item.uri)] as const))
  return mcp
}

function pageOf(items: Item[], cursor: string | undefined) {
  const at = Number(cursor ?? 0)
  const next = at + pageSize
  const resources = items.slice(at, next)
  return next < items.length ? { resources, nextCursor: String(next) } : { resources }
}

function contentsOf(texts: Map<string, string>, uri: string) {
  const text = texts.get(uri)
  if (text === undefined) throw new Error(`no ${uri}`)
  return { contents: [{ uri, mimeType: 'text/plain', text }] }
}

const capabilities = { resources: { subscribe: true, listChanged: true } }

function sdk1(items: Item[], texts: Map<string, string>) {
  const server = new Server1(info, { capabilities })
  server.setRequestHandler(ListResourcesRequestSchema, ({ params }) =>
    pageOf(items, params?.cursor),
  )
  server.setRequestHandler(ReadResourceRequestSchema, ({ params }) => contentsOf(texts, params.uri))
  return server
}

function sdk2(items: Item[], texts: Map<string, string>) {
  const server = new Server2(info, { capabilities })
  server.setRequestHandler('resources/list', ({ params }) => pageOf(items, params?.cursor))
  server.setRequestHandler('resources/read', ({ params }) => contentsOf(texts, params.uri))
  return server
}

/** The transport interface of both SDKs. */
function transport(port: DirectPort) {
  const made = {
    onmessage: undefined as ((message: never) => void) | undefined,
    onclose: undefined as (() => void) | undefined,
    onerror: undefined as ((error: Error) => void) | undefined,
    async start() {
      port.onmessage = ({ data }) => made.onmessage?.(data as never)
    },
    send: async (message: unknown) => port.postMessage(message),
    async close() {
      made.onclose?.()
    },
  }
  return made as unknown as Transport1 & Transport2
}

/** Results are prepared; a message only gets its id. */
function echo(port: DirectPort, items: Item[], texts: Map<string, string>) {
  const pages = new Map<string | undefined, Result>()
  for (let at = 0; at < items.length; at += pageSize) {
    const cursor = at === 0 ? undefined : String(at)
    pages.set(cursor, pageOf(items, cursor))
  }
  const reads = new Map(items.map(({ uri }) => [uri, contentsOf(texts, uri)]))
  const hello = { protocolVersion: classicVersion, capabilities, serverInfo: info }
  const answer = ({ method, params }: Message): Result | undefined => {
    switch (method) {
      case 'ping':
        return {}
      case 'resources/list':
        return pages.get(params?.cursor as string | undefined)
      case 'resources/read':
        return reads.get(params?.uri as string)
      default:
        return hello
    }
  }
  port.onmessage = ({ data }) => {
    if (data.id !== undefined)
      port.postMessage({ jsonrpc: '2.0', id: data.id, result: answer(data) })
  }
}
