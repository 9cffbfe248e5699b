/** Offers what the page serves to the browser's own assistant, by WebMCP. */

import type { ToolDescription } from './callee.ts'
import type { Port } from './port.ts'
import { type PortClient, portClient } from './port-client.ts'
import type { Resource, Template } from './source.ts'
import { metaWebMcp } from './sources/webmcp.ts'
import type { PageMcp } from './start.ts'
import {
  forbidden,
  isForbidden,
  type OfferedTool,
  offered,
  registerNative,
} from './webmcp-context.ts'

/** Options of {@link offerToWebMcp}. */
export interface OfferOptions {
  /** Which tools of the page are offered: all (default), none, or those of these names. */
  tools?: boolean | readonly string[]
  /** Whether the tools `list_resources` and `read_resource` are offered, which read all that the page serves; default true. */
  resources?: boolean
  /** Ends the offer. */
  signal?: AbortSignal
  /** Gets what could not be offered, and why; default: `reportError`. */
  onerror?: (error: unknown) => void
}

/** Names that WebMCP allows. */
const validName = /^[\w.-]{1,128}$/

/** The most pages of a list that are read: a list that does not end is an error of a source. */
const maxPages = 100

/** A tool that is offered. */
interface Offer {
  /** What was offered, to notice a change. */
  readonly text: string
  readonly end: AbortController
}

/**
 * Registers the page's tools, and tools that list and read its resources, with WebMCP (`document.modelContext`), and keeps
 * them up to date. The browser decides who may call
 * them: its assistant, and scripts of this document. They call the engine as the principal `webmcp`. A tool
 * that needs an answer of the user (`need`) fails: WebMCP has no such requests. Without WebMCP in this
 * document, nothing happens. {@link webmcp} does not mirror what is offered, and what it mirrors is not
 * offered.
 *
 * @returns a function that removes all of it
 * @see https://webmachinelearning.github.io/webmcp/
 */
export function offerToWebMcp(
  mcp: Pick<PageMcp, 'accept' | 'on'>,
  options: OfferOptions = {},
): () => void {
  const { tools = true, resources = true, signal } = options
  const report = options.onerror ?? ((error: unknown) => globalThis.reportError?.(error))
  const wanted = Array.isArray(tools) ? new Set(tools as readonly string[]) : undefined
  const ended = new AbortController()
  const offers = new Map<string, Offer>()
  let isStale = false
  let isUpdating = false
  signal?.throwIfAborted()

  // The app offers the names of its tools; their calls need the user's decision about the browser's assistant.
  const open = (principal: string) => (port: Port) => mcp.accept(port, { principal })
  const client = portClient(open('webmcp'), () => {}, ended.signal)
  const lister = portClient(
    open('page'),
    (method = 'notifications/tools/list_changed') => {
      if (method === 'notifications/tools/list_changed') void schedule()
    },
    ended.signal,
  )

  const stop = () => {
    ended.abort()
    for (const name of [...offers.keys()]) withdraw(name)
  }

  function withdraw(name: string) {
    offers.get(name)?.end.abort()
    offers.delete(name)
    offered.delete(name)
  }

  async function offer(tool: OfferedTool, text: string) {
    const { name } = tool
    const what = `the tool ${JSON.stringify(name)}`
    if (ended.signal.aborted) return
    if (!validName.test(name)) {
      report(new Error(`${what} has a name that WebMCP does not allow`))
      return
    }
    if (offered.has(name)) {
      report(new Error(`${what} is offered to WebMCP already`))
      return
    }
    offered.add(name)
    const end = new AbortController()
    offers.set(name, { text, end })
    try {
      await registerNative(tool, end.signal)
    } catch (cause) {
      if (end.signal.aborted) return
      if (isForbidden(cause)) stop()
      else withdraw(name)
      const message = isForbidden(cause) ? forbidden : `${what} is not offered to WebMCP`
      report(new Error(message, { cause }))
    }
  }

  /** Offers what is listed now, and withdraws what is not. */
  async function update() {
    const next = new Map<string, [tool: OfferedTool, text: string]>()
    for (const tool of resources ? resourceTools(client) : []) next.set(tool.name, [tool, ''])
    for (const tool of tools === false ? [] : await listTools(lister)) {
      if (tool._meta?.[metaWebMcp] === undefined && (wanted?.has(tool.name) ?? true)) {
        next.set(tool.name, [offeredTool(client, tool), JSON.stringify(tool)])
      }
    }
    for (const [name, { text }] of [...offers]) {
      if (next.get(name)?.[1] === text) next.delete(name)
      else withdraw(name)
    }
    for (const one of next.values()) await offer(...one)
  }

  /** One update at a time; changes in the meantime cause another one. */
  async function schedule() {
    isStale = true
    if (isUpdating) return
    isUpdating = true
    while (isStale && !ended.signal.aborted) {
      isStale = false
      await update().catch((error) => ended.signal.aborted || isStale || report(error))
    }
    isUpdating = false
  }

  signal?.addEventListener('abort', stop, { signal: ended.signal })
  const forget = mcp.on('state', ({ engine }) => {
    if (engine === 'closed' || engine === 'down') stop()
  })
  ended.signal.addEventListener('abort', forget)
  void schedule()
  return stop
}

async function listTools(client: PortClient): Promise<ToolDescription[]> {
  const all: ToolDescription[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const part = await client.request<{ tools: ToolDescription[]; nextCursor?: string }>(
      'tools/list',
      { cursor },
    )
    all.push(...part.tools)
    cursor = part.nextCursor
    if (cursor === undefined) break
  }
  return all
}

function offeredTool(client: PortClient, tool: ToolDescription): OfferedTool {
  const { name, title, description, inputSchema, annotations } = tool
  return {
    name,
    title,
    description: description || title || name,
    inputSchema: inputSchema as object,
    annotations: {
      readOnlyHint: annotations?.readOnlyHint,
      consequentialHint: annotations?.destructiveHint,
    },
    execute: (input, { signal } = {}) =>
      client.request('tools/call', { name, arguments: input ?? {} }, signal),
  }
}

/** Tools by which a model reads resources. What they return may be written by others. */
function resourceTools(client: PortClient): OfferedTool[] {
  const annotations = { readOnlyHint: true, untrustedContentHint: true }
  return [
    {
      name: 'list_resources',
      title: 'List resources',
      description:
        'Lists the resources of this page, and templates of more. Read them by read_resource.',
      inputSchema: {
        type: 'object',
        properties: { cursor: { type: 'string', description: 'nextCursor of the part before' } },
      },
      annotations,
      async execute(input, { signal } = {}) {
        const { cursor } = (input ?? {}) as { cursor?: string }
        type Part = { resources: Resource[]; nextCursor?: string }
        const part = await client.request<Part>('resources/list', { cursor }, signal)
        const first = cursor === undefined
        const templates = first
          ? await client.request<{ resourceTemplates: Template[] }>(
              'resources/templates/list',
              {},
              signal,
            )
          : {}
        const text = JSON.stringify({ ...part, ...templates })
        return { content: [{ type: 'text', text }] }
      },
    },
    {
      name: 'read_resource',
      title: 'Read a resource',
      description: 'Reads a resource of this page by its URI.',
      inputSchema: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
      annotations,
      async execute(input, { signal } = {}) {
        const { uri } = (input ?? {}) as { uri?: string }
        type Read = { contents: { text?: string }[] }
        const { contents } = await client.request<Read>('resources/read', { uri }, signal)
        const content = contents.map((resource) =>
          resource.text === undefined
            ? { type: 'resource', resource }
            : { type: 'text', text: resource.text },
        )
        return { content }
      },
    },
  ]
}
