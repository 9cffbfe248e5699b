/**
 * The same story with independent clients: find a resource, read it, hear that it changed, read again, ask for what
 * is not there. Who the page is does not matter here.
 */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernHttp,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ListResourcesResultSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { listUntil } from '../e2e/again.ts'
import { recordTransport } from '../harness/record.ts'

/** What a page serves, as an assistant sees it. */
export interface Subject {
  /** URI of a resource at this endpoint. */
  uri: string
  /** A URI that nothing has. */
  missing: string
  /** What its text contains now. */
  text: string
  /** Changes it in the page, so that its text contains this. */
  write(text: string): Promise<void>
}

/** Where assistants connect. */
export interface Address {
  /** URL of Streamable HTTP. */
  mcp: string
  /** The bearer token; undefined with `--no-token`. */
  token?: string
}

/** How to start `pagemcp stdio`. */
export interface Command {
  command: string
  args: string[]
}

const timeout = 20_000 // ms, for each call
const options = { timeout }
const info = { name: 'story', version: '1.0.0' }

/** The TypeScript SDK v1, revision 2025-11-25, over HTTP: updates come on its GET stream. */
export async function classicOverHttp(at: Address, subject: Subject): Promise<void> {
  const transport = new StreamableHTTPClientTransport(new URL(at.mcp), { requestInit: login(at) })
  await classic(transport as Transport, subject)
}

/** The same over a WebSocket. It sends no header, so the gateway needs `--no-token`. */
export async function classicOverSocket(at: Address, subject: Subject): Promise<void> {
  const url = new URL(at.mcp)
  await classic(new WebSocketClientTransport(new URL(`ws://${url.host}/ws`)), subject)
}

/** The same over `pagemcp stdio`. */
export async function classicOverStdio(command: Command, subject: Subject): Promise<void> {
  await classic(new StdioClientTransport({ ...command, stderr: 'ignore' }), subject)
}

/** The TypeScript SDK v2, revision 2026-07-28, over HTTP: updates come by a listen. */
export async function modernOverHttp(at: Address, subject: Subject): Promise<void> {
  await modern(new ModernHttp(new URL(at.mcp), { requestInit: login(at) }), subject, {
    pin: '2026-07-28',
  })
}

/** The same, if it has to find out what it speaks with. */
export async function automaticOverHttp(at: Address, subject: Subject): Promise<void> {
  await modern(new ModernHttp(new URL(at.mcp), { requestInit: login(at) }), subject, 'auto')
}

/** The same over `pagemcp stdio`. */
export async function modernOverStdio(command: Command, subject: Subject): Promise<void> {
  await modern(new ModernStdio({ ...command, stderr: 'ignore' }), subject, { pin: '2026-07-28' })
}

function login({ token }: Address): RequestInit {
  return token === undefined ? {} : { headers: { Authorization: `Bearer ${token}` } }
}

async function classic(transport: Transport, subject: Subject): Promise<void> {
  const client = new Client(info)
  const updated = new EventTarget()
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updated.dispatchEvent(new Event(params.uri))
  })
  await client.connect(recordTransport('v1 story', transport), options)
  try {
    await found(subject, async () => {
      const list = await client.request(
        { method: 'resources/list' },
        ListResourcesResultSchema,
        options,
      )
      return list.resources.map(({ uri }) => uri)
    })
    const read = async () => textOf(await client.readResource({ uri: subject.uri }, options))
    assert.ok((await read()).includes(subject.text))
    await client.subscribeResource({ uri: subject.uri }, options)
    await changes(subject, updated, read)
    await assert.rejects(client.readResource({ uri: subject.missing }, options), { code: -32002 })
    const { tools } = await client.listTools(undefined, options)
    const names = tools.map(({ name }) => name).sort()
    assert.deepEqual(names, ['list_resources', 'read_resource', 'wait_for_change']) // the gateway's own
  } finally {
    await client.close()
  }
}

async function modern(
  transport: Parameters<ModernClient['connect']>[0],
  subject: Subject,
  mode: 'auto' | { pin: string },
): Promise<void> {
  const client = new ModernClient(info, { versionNegotiation: { mode } })
  const updated = new EventTarget()
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updated.dispatchEvent(new Event(params.uri))
  })
  await client.connect(recordTransport('v2 story', transport), options)
  try {
    assert.equal(client.getNegotiatedProtocolVersion(), '2026-07-28')
    await found(subject, async () => {
      const list = await client.listResources(undefined, options)
      return list.resources.map(({ uri }) => uri)
    })
    const read = async () => textOf(await client.readResource({ uri: subject.uri }, options))
    assert.ok((await read()).includes(subject.text))
    const subscription = await client.listen({ resourceSubscriptions: [subject.uri] }, options)
    assert.deepEqual(subscription.honoredFilter, { resourceSubscriptions: [subject.uri] })
    await changes(subject, updated, read)
    await subscription.close()
    await assert.rejects(client.readResource({ uri: subject.missing }, options), { code: -32602 })
  } finally {
    await client.close()
  }
}

async function found(subject: Subject, list: () => Promise<string[]>): Promise<void> {
  await listUntil(list, subject.uri)
}

/**
 * Writes in the page, and reads at each update until the new text is there: an update says that a copy may be stale,
 * and one of an earlier change may still come.
 */
async function changes(
  subject: Subject,
  updated: EventTarget,
  read: () => Promise<string>,
): Promise<void> {
  const next = () => once(updated, subject.uri, { signal: AbortSignal.timeout(timeout) })
  const text = `changed at ${performance.now()}`
  let update = next()
  await subject.write(text)
  do {
    await update.catch((cause: unknown) => {
      throw new Error('no resources/updated came', { cause })
    })
    update = next()
    update.catch(() => {}) // it is not awaited if this is the text
  } while (!(await read()).includes(text))
  subject.text = text
}

function textOf({ contents }: { contents: readonly object[] }): string {
  const [first] = contents
  assert.ok(first !== undefined && 'text' in first && typeof first.text === 'string')
  return first.text
}
