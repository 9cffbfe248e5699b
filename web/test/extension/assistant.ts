/** An MCP client at the gateway, which remembers what it has heard. */

import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { listUntil } from '../e2e/again.ts'
import type { Gateway } from '../e2e/gateway.ts'
import { recordTransport } from '../harness/record.ts'

const timeout = 20_000 // ms, for each call
const options = { timeout }

/** What `heard` says of the list of resources. */
export const theList = 'the list'

export interface Assistant {
  /** URIs of all resources, once these are among them. */
  uris(...wanted: string[]): Promise<string[]>
  text(uri: string): Promise<string>
  /** The first item of a read. */
  read(uri: string): Promise<{ text: string; _meta?: Record<string, unknown> }>
  /** Fails unless there is no such resource. */
  missing(uri: string): Promise<void>
  /** Listens to these, and to the list, from now on. */
  listen(...uris: string[]): Promise<void>
  /** Does something, and waits until all of that was announced since. Returns everything that was. */
  hears(deed: () => Promise<unknown>, ...what: string[]): Promise<string[]>
  close(): Promise<void>
}

export async function assistant({ mcp, token }: Gateway): Promise<Assistant> {
  const client = new Client(
    { name: 'extension-test', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  )
  const log: string[] = []
  const waiting = new Set<() => void>()
  const hear = (what: string) => {
    log.push(what)
    for (const wake of waiting) wake()
  }
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => hear(params.uri))
  client.setNotificationHandler('notifications/resources/list_changed', () => hear(theList))
  const headers = { Authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } })
  await client.connect(recordTransport('extension', transport), options)

  const read = async (uri: string) => {
    const { contents } = await client.readResource({ uri }, options)
    return contents[0] as { text: string; _meta?: Record<string, unknown> }
  }
  return {
    uris: (...wanted) =>
      listUntil(
        async () =>
          (await client.listResources(undefined, options)).resources.map(({ uri }) => uri),
        ...wanted,
      ),
    read,
    text: async (uri) => (await read(uri)).text,
    async missing(uri) {
      await assert.rejects(client.readResource({ uri }, options), { code: -32602 })
    },
    async listen(...uris) {
      await client.listen({ resourceSubscriptions: uris, resourcesListChanged: true }, options)
    },
    async hears(deed, ...what) {
      const from = log.length
      await deed()
      const deadline = AbortSignal.timeout(timeout)
      while (!what.every((one) => log.includes(one, from))) {
        await new Promise<void>((resolve, reject) => {
          const late = () => reject(new Error(`heard ${log.slice(from)}, and not ${what}`))
          deadline.addEventListener('abort', late, { once: true })
          waiting.add(resolve)
        })
        waiting.clear()
      }
      return log.slice(from)
    },
    close: () => client.close(),
  }
}
