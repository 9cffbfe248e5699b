/**
 * WebMCP, the browser's interface by which a document offers tools to an assistant: `document.modelContext`. The tools that
 * the app registers are offered there, with two that read resources, and those that scripts and forms of the document have
 * registered become tools of MCP.
 * A file of its own in the package, loaded by the option `webMcp` of `start`.
 *
 * Input and schemas are objects, and JSON text in the polyfill of @mcp-b. Since Chromium 160 tools are interface objects, whose
 * members are read by name: `source` instead of `window`, and `null` for an empty schema or no annotations.
 *
 * @see https://webmachinelearning.github.io/webmcp/
 */

import { isBlock, type OwnCallRequest, type ToolDescription, type ToolResult } from './callee.ts'
import { isGoodbye } from './link.ts'
import type { Registry } from './registry.ts'
import { type Json, NotFoundError, type Source } from './source.ts'
import type { PageMcp } from './start.ts'
import { checker } from './tool.ts'
import { type ReadingTool, type Request, readingTools } from './webmcp-resources.ts'

/** What is besides the tools that an app wants. */
export interface WebMcpOptions {
  /** Whether tools for debugging are mirrored, too. */
  debugging?: boolean
}

/** A tool as the browser describes it. */
interface NativeTool {
  readonly name: string
  readonly title?: string | null
  readonly description?: string | null
  readonly inputSchema?: object | string | null
  readonly annotations?: {
    readonly readOnlyHint?: boolean | null
    readonly untrustedContentHint?: boolean | null
    readonly consequentialHint?: boolean | null
    readonly debugging?: boolean | null
  } | null
  readonly source?: unknown
  readonly window?: unknown
}
interface ModelContext {
  registerTool?(tool: object, options: { signal: AbortSignal }): unknown
  getTools?(): Promise<readonly NativeTool[]>
  executeTool?(tool: NativeTool, input: unknown, options: object): Promise<string | null>
  addEventListener?(type: string, listener: () => void, options: { signal: AbortSignal }): void
}
type Schema = { readonly [keyword: string]: Json }

/** The interface of this document, or `undefined`. A polyfill may add it later. */
const modelContext = () => (globalThis.document as { modelContext?: ModelContext })?.modelContext

/** The names of tools that engines of this document have offered, which are not mirrored. */
const offered = new Set<string>()

/** Joins both directions, until the signal aborts. */
export function joinWebMcp(
  mcp: Pick<PageMcp, 'accept' | 'mount'>,
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
    const all = (await modelContext()
      ?.getTools?.()
      .catch((error) => {
        if (refused(error)) return []
        throw error
      })) as readonly NativeTool[] | undefined
    return (all ?? []).filter(({ name, annotations, source, window: owner }) => {
      const place = source ?? owner ?? globalThis // frames have their own
      return (
        place === globalThis && !offered.has(name) && (debugging || annotations?.debugging !== true)
      )
    })
  }
  mcp.mount(mirror(mirrored), '', { signal })

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
  signal.addEventListener('abort', () => {
    forget()
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
      const input = await ownArguments(tool, args, request as OwnCallRequest)
      request.signal.throwIfAborted()
      return resultOf(await execute(tool, input, request.signal))
    },
    watch(changed, signal) {
      modelContext()?.addEventListener?.('toolchange', () => changed({ list: 'tools' }), { signal })
    },
  }
}

/** Text if the input is refused before the tool runs: other errors may be the tool's own. */
async function execute(tool: NativeTool, input: object, signal: AbortSignal) {
  const context = modelContext()
  if (!context?.executeTool) {
    throw new Error(
      `the tool ${tool.name} cannot run: document.modelContext was removed; reload the page`,
    )
  }
  try {
    return await context.executeTool(tool, input, { signal })
  } catch (error) {
    const { name, message = '' } = (error ?? {}) as Error
    const isRefused = name === 'TypeError' && /'executeTool'|must be a (JSON )?string/.test(message)
    if (!isRefused && !message.startsWith('Failed to parse input')) throw error
  }
  return context.executeTool(tool, JSON.stringify(input), { signal })
}

function described(tool: NativeTool): ToolDescription {
  const { name, title, description, annotations } = tool
  const { readOnlyHint, consequentialHint, untrustedContentHint } = annotations ?? {}
  const note = untrustedContentHint ? 'The result may have untrusted content.' : ''
  const schema = schemaOf(tool)
  const properties = Object.entries((schema.properties ?? {}) as object)
  const shown = shownKeys(properties.map(([key]) => key)) // those of forms may be such as `items[]`, which APIs refuse
  const required = Array.isArray(schema.required) ? schema.required.map(String) : undefined
  return {
    name,
    title: title || undefined,
    description: [description, note].filter(Boolean).join('\n\n'),
    inputSchema: {
      ...schema,
      ...(schema.properties !== undefined && {
        properties: Object.fromEntries(properties.map(([key, own]) => [shown.get(key), own])),
      }),
      ...(required && { required: required.map((key) => shown.get(key) ?? key) }),
    },
    annotations: {
      readOnlyHint: readOnlyHint ?? undefined,
      destructiveHint: consequentialHint ?? undefined,
    },
  }
}

/** Arguments of a client under the keys of the tool, with texts that are JSON of what it wants taken for that. */
async function ownArguments(
  tool: NativeTool,
  args: Record<string, unknown>,
  { check }: OwnCallRequest,
) {
  const schema = schemaOf(tool)
  const shown = shownKeys(Object.keys((schema.properties ?? {}) as object))
  const own = new Map([...shown].map(([key, name]) => [name, key]))
  const named = Object.fromEntries(
    Object.entries(args).map(([key, value]) => [own.get(key) ?? key, value]),
  )
  const checked = await check(named, checker(tool.name, schema, 'input')).catch(() => undefined)
  return checked && 'value' in checked ? (checked.value as object) : named // the browser checks nothing
}

/** The schema of a tool; of any object, if the tool has none that clients can use. */
function schemaOf({ name, inputSchema }: NativeTool): Schema {
  try {
    const schema = typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema
    if (typeof schema === 'object' && schema !== null) {
      return checker(name, { type: 'object', ...schema }, 'input').json
    }
  } catch {} // it is none
  return { type: 'object' }
}

/** A whole result if the tool returned one of MCP. */
function resultOf(answer: string | null): ToolResult {
  if (answer === null) {
    const text = 'The document was left while the tool ran; it may have taken effect.'
    return { content: [{ type: 'text', text }], isError: true }
  }
  try {
    const { content, isError } = JSON.parse(answer) as ToolResult
    if (Array.isArray(content) && content.every(isBlock)) return { content, isError }
  } catch {} // it is text
  return { content: [{ type: 'text', text: answer }] }
}

// What APIs of models take as a schema of arguments. One tool that has something else makes them refuse the
// whole conversation.

/** Whether APIs take the key of a property. */
const isKey = (key: string) => /^[a-zA-Z0-9_.-]{1,64}$/.test(key)

/** Keys as APIs take them, by those of a schema; a key that they take stays. */
export function shownKeys(keys: readonly string[]): Map<string, string> {
  const shown = new Map(keys.filter(isKey).map((key) => [key, key]))
  const taken = new Set(shown.keys())
  for (const key of keys) {
    if (shown.has(key)) continue
    const spelled = key.replace(/[^a-zA-Z0-9_.-]/gu, '_').slice(0, 58)
    let one = spelled
    for (let i = 2; one === '' || taken.has(one); i++) one = `${spelled}_${i}`
    shown.set(key, one)
    taken.add(one)
  }
  return shown
}
