/**
 * WebMCP, the browser's interface by which a document offers tools to an assistant: `document.modelContext`. The tools that
 * the app registers are offered there, with two that read resources, and those that scripts and forms of the document have
 * registered become tools of MCP.
 * A file of its own in the package, loaded by the option `webMcp` of `start`.
 *
 * @see https://webmachinelearning.github.io/webmcp/
 */

import type { ToolResult } from './callee.ts'
import { isGoodbye } from './link.ts'
import type { Registry } from './registry.ts'
import { NotFoundError, type Source } from './source.ts'
import type { PageMcp } from './start.ts'
import { type ReadingTool, type Request, readingTools } from './webmcp-resources.ts'
import {
  announceGateways,
  described,
  execute,
  modelContext,
  type NativeTool,
  nativeTools,
  ownArguments,
  resultOf,
} from './webmcp-tools.ts'

/** What is besides the tools that an app wants. */
export interface WebMcpOptions {
  /** Whether tools for debugging are mirrored, too; `only`: no others, and none are offered. */
  debugging?: boolean | 'only'
}

/** The names of tools that engines of this document have offered, which are not mirrored. */
const offered = new Set<string>()

/** The gateways that each engine of this document has joined, which have all tools of the document by it. */
const serving = new Map<object, readonly string[]>()

/** Joins both directions, until the signal aborts. */
export function joinWebMcp(
  mcp: Pick<PageMcp, 'accept' | 'mount' | 'state' | 'on'>,
  registry: Registry,
  { debugging = false }: WebMcpOptions,
  signal: AbortSignal,
  report: (error: unknown) => void,
): void {
  let isForbidden = false
  /** In a frame that may not use WebMCP there are no tools; its developer is told once. */
  const refused = (cause: unknown) => {
    if ((cause as DOMException | null)?.name !== 'NotAllowedError') return false
    const advice = 'give its iframe element the attribute allow="tools"'
    if (!isForbidden) report(new Error(`this frame may not use WebMCP: ${advice}`, { cause }))
    isForbidden = true
    return true
  }
  const mirrored = async () => {
    const all = await nativeTools().catch((error) => {
      if (refused(error)) return []
      throw error
    })
    return all.filter(({ name, annotations }) => {
      const isDebugging = annotations?.debugging === true
      const isWanted = debugging === 'only' ? isDebugging : debugging || !isDebugging
      return !offered.has(name) && isWanted
    })
  }
  mcp.mount(mirror(mirrored), '', { signal })
  if (debugging === 'only') return

  const offers = new Map<string, { readonly text: string; readonly end: AbortController }>()
  const request = caller(mcp, signal)
  const withdraw = (name: string) => {
    offers.get(name)?.end.abort()
    offers.delete(name)
    offered.delete(name)
  }
  const offer = async (own: Offered, text: string) => {
    const { name } = own.tool
    const end = new AbortController()
    if (offered.has(name)) throw new Error('another engine of this page has offered it')
    offered.add(name)
    offers.set(name, { text, end })
    try {
      await modelContext()?.registerTool?.(offeredTool(own, request), { signal: end.signal })
    } catch (cause) {
      if (end.signal.aborted) return
      withdraw(name)
      if (!refused(cause)) throw cause
    }
  }
  /** Offers what is registered now, and withdraws what is not. */
  const update = () => {
    const all: Offered[] = [...readingTools, ...registry.tools().map((tool) => ({ tool }))]
    const tools = new Map(all.map((one) => [one.tool.name, one])) // those of the app come last, and stay
    for (const [name, { text }] of [...offers]) {
      if (JSON.stringify(tools.get(name)) === text) tools.delete(name)
      else withdraw(name)
    }
    for (const [name, own] of tools) {
      offer(own, JSON.stringify(own)).catch((cause) => {
        report(new Error(`the tool ${JSON.stringify(name)} is not offered to WebMCP`, { cause }))
      })
    }
  }
  const forget = registry.watchTools(update)
  update()
  const announce = () => {
    const joined = mcp.state.gateways.filter(({ is }) => is === 'joined').map(({ url }) => url)
    if (signal.aborted) serving.delete(mcp)
    else serving.set(mcp, joined)
    announceGateways([...serving.values()].flat())
  }
  mcp.on('state', announce, { signal })
  announce()
  signal.addEventListener('abort', () => {
    forget()
    announce()
    for (const name of [...offers.keys()]) withdraw(name)
  })
}

/** A tool that is offered: one of the app, without `run`, or one that reads its resources. */
type Offered = Pick<ReadingTool, 'tool'> & Partial<Pick<ReadingTool, 'run'>>

/** The browser's assistant calls through the engine: its calls need the decision of the user, and are in the audit. */
function offeredTool({ tool, run }: Offered, request: Request) {
  const { name, title, description, inputSchema, annotations } = tool
  return {
    name,
    title,
    description: description || title || name,
    inputSchema,
    annotations: {
      readOnlyHint: annotations?.readOnlyHint,
      consequentialHint: annotations?.destructiveHint,
      untrustedContentHint: run && true,
    },
    async execute(input: unknown, { signal }: { signal?: AbortSignal } = {}): Promise<ToolResult> {
      const args = (input ?? {}) as Record<string, unknown>
      try {
        if (run) return await run(args, request, signal)
        const result = await request('tools/call', { name, arguments: args }, signal)
        const { content, structuredContent, isError } = result as ToolResult
        return { content, structuredContent, isError }
      } catch (error) {
        signal?.throwIfAborted()
        // A browser keeps the text of an error from its assistant.
        return { content: [{ type: 'text', text: (error as Error).message }], isError: true }
      }
    },
  }
}

/** Sends requests to the engine as the principal `webmcp`; to the next engine when one was restarted. */
function caller(mcp: Pick<PageMcp, 'accept'>, ended: AbortSignal): Request {
  type Answer = { id?: unknown; result?: unknown; error?: { message: string } }
  const waiting = new Map<unknown, (answer: Answer) => void>()
  let port: { onmessage: ((event: { data: unknown }) => void) | null } | undefined
  let last = 0
  const connect = () => {
    const made = {
      onmessage: null,
      postMessage(message: unknown) {
        if (!isGoodbye(message)) return waiting.get((message as Answer).id)?.(message as Answer)
        port = undefined
        const error = { message: message.reason ?? 'the engine has ended' }
        for (const settle of [...waiting.values()]) settle({ error })
      },
    }
    mcp.accept(made, { principal: 'webmcp', signal: ended })
    return made
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return (method, params, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted()
      const id = ++last
      port ??= connect()
      const own = port
      const post = (message: object) => own.onmessage?.({ data: { jsonrpc: '2.0', ...message } })
      const abort = () => {
        waiting.delete(id)
        post({ method: 'notifications/cancelled', params: { requestId: id } })
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', abort)
      waiting.set(id, ({ result, error }) => {
        waiting.delete(id)
        signal?.removeEventListener('abort', abort)
        if (error) reject(new Error(error.message))
        else resolve(result)
      })
      post({ id, method, params: { ...params, _meta } })
    })
}

/** A source of the tools that are registered with the browser now. */
function mirror(mirrored: () => Promise<readonly NativeTool[]>): Source {
  return {
    list: async () => ({ resources: [] }),
    read: (uri) => Promise.reject(new NotFoundError(uri)),
    tools: async () => (await mirrored()).map(described),
    async callTool(name, args, request) {
      const tool = (await mirrored()).find((one) => one.name === name)
      if (tool === undefined) throw new NotFoundError(name)
      const input = ownArguments(tool, args)
      request.signal.throwIfAborted()
      return resultOf(await execute(tool, input, request.signal))
    },
    watch(changed, signal) {
      modelContext()?.addEventListener?.('toolchange', () => changed({ list: 'tools' }), { signal })
    },
  }
}
