/** An MCP client at the gateway, which remembers what it has heard. */

import assert from 'node:assert/strict'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { listUntil } from '../e2e/again.ts'
import type { Gateway } from '../e2e/gateway.ts'
import { recordTransport } from '../harness/record.ts'

const timeout = 20_000 // ms, for each call
const options = { timeout }

/** What `heard` says of the list of resources, and of tools. */
export const theList = 'the list'
export const theTools = 'the tools'

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
  /** The tools of sites, once one of them, or none, is as it is wanted. */
  tools(wanted: (tools: readonly Tool[]) => boolean): Promise<readonly Tool[]>
  /** The text of a tool's result, or after `! ` why it has failed. */
  call(name: string, args?: object, signal?: AbortSignal): Promise<string>
  close(): Promise<void>
}

export interface Tool {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: object
  readonly annotations?: object
}

/** Tools of the gateway itself. */
const generated = ['list_resources', 'read_resource', 'wait_for_change']

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
  client.setNotificationHandler('notifications/tools/list_changed', () => hear(theTools))
  const headers = { Authorization: `Bearer ${token}` }
  const transport = new StreamableHTTPClientTransport(new URL(mcp), { requestInit: { headers } })
  await client.connect(recordTransport('extension', transport), options)

  const read = async (uri: string) => {
    const { contents } = await client.readResource({ uri }, options)
    return contents[0] as { text: string; _meta?: Record<string, unknown> }
  }
  /** What is heard from an entry of the log on, once all of `what` is. */
  const hears = async (deed: () => Promise<unknown>, from: number, ...what: string[]) => {
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
      await client.listen(
        { resourceSubscriptions: uris, resourcesListChanged: true, toolsListChanged: true },
        options,
      )
    },
    hears: (deed, ...what) => hears(deed, log.length, ...what),
    async tools(wanted) {
      for (;;) {
        const from = log.length
        const { tools } = await client.listTools(undefined, options)
        const own = tools.filter(({ name }) => !generated.includes(name)) as readonly Tool[]
        if (wanted(own)) return own
        await hears(async () => {}, from, theTools)
      }
    },
    async call(name, args = {}, signal) {
      const request = { name, arguments: args as Record<string, unknown> }
      const own = { timeout: 60_000, ...(signal && { signal }) }
      try {
        const { content, isError } = await client.callTool(request, own)
        const [block] = content as { text?: string }[]
        return `${isError ? '! ' : ''}${block?.text ?? ''}`
      } catch (error) {
        return `! ${(error as Error).message}`
      }
    },
    close: () => client.close(),
  }
}
