/**
 * Tools that a document has registered by WebMCP, as tools of MCP: for the package, which serves those of its own document, and
 * for the browser extension, which serves those of ticked tabs.
 *
 * Input and schemas are objects, and JSON text in the polyfill of @mcp-b. Since Chromium 160 tools are interface objects, whose
 * members are read by name: `source` instead of `window`, and `null` for an empty schema or no annotations.
 *
 * @see https://webmachinelearning.github.io/webmcp/
 */

import { isBlock, type ToolDescription, type ToolResult } from './callee.ts'
import type { Json } from './source.ts'
import { checker } from './tool.ts'

/** A tool as the browser describes it. */
export interface NativeTool {
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
  addEventListener?(type: string, listener: () => void, options?: { signal: AbortSignal }): void
}
type Schema = { readonly [keyword: string]: Json }

/** The interface of this document, or `undefined`. A polyfill may add it later. */
export const modelContext = () =>
  (globalThis.document as { modelContext?: ModelContext })?.modelContext

// A document says which gateways have its tools already, so that the browser extension does not list them there once more.

const gatewaysKey = Symbol.for('pagemcp.gateways')

/** Dispatched on the document when {@link servedGateways} has changed. */
export const gatewaysChanged = 'pagemcp-gateways'

export function announceGateways(urls: readonly string[]): void {
  const { document } = globalThis // there is none in a Worker
  if (document === undefined) return
  Object.assign(document, { [gatewaysKey]: urls })
  document.dispatchEvent?.(new Event(gatewaysChanged))
}

/** The URLs that this document has announced. */
export const servedGateways = (): unknown => Reflect.get(document, gatewaysKey)

/** The tools of this document, without those of its frames. Rejects if it may not use WebMCP. */
export async function nativeTools(): Promise<readonly NativeTool[]> {
  const all = (await modelContext()?.getTools?.()) ?? []
  return all.filter(({ source, window: owner }) => (source ?? owner ?? globalThis) === globalThis)
}

/** Text if the input is refused before the tool runs: other errors may be the tool's own. */
export async function execute(tool: NativeTool, input: object, signal: AbortSignal) {
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

/** The tool for clients of MCP. */
export function described(tool: NativeTool): ToolDescription {
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

/**
 * Arguments of a client under the keys of the tool, with texts that are JSON of what it wants taken for that. The schema is
 * the document's, and may be made to keep a validator busy: only the types at its top are used.
 */
export function ownArguments(tool: NativeTool, args: Record<string, unknown>): object {
  const properties = (schemaOf(tool).properties ?? {}) as { [key: string]: Json }
  const own = new Map([...shownKeys(Object.keys(properties))].map(([key, name]) => [name, key]))
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const key = own.get(name) ?? name
      return [key, Object.hasOwn(properties, key) ? unquoted(value, properties[key]) : value]
    }),
  )
}

/** What a text says, if it is JSON of a type that the schema wants, and the schema wants no text. */
function unquoted(value: unknown, schema: Json | undefined): unknown {
  const { type, anyOf } = (schema ?? {}) as { type?: Json; anyOf?: Json }
  const branches = [anyOf ?? []].flat() as ({ type?: Json } | null)[]
  const types = [type, ...branches.map((one) => one?.type)].flat()
  if (typeof value !== 'string' || types.includes('string')) return value
  try {
    const said: unknown = JSON.parse(value)
    const own = Array.isArray(said) ? 'array' : said === null ? 'null' : typeof said
    const fits = types.includes(own) || (types.includes('integer') && Number.isInteger(said))
    return fits ? said : value
  } catch {
    return value // it is no JSON
  }
}

/** The schema of a tool; of any object, if the tool has none that clients can use. */
function schemaOf({ name, inputSchema }: NativeTool): Schema {
  try {
    const schema = typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema
    if (isSchema(schema)) return checker(name, { type: 'object', ...schema }, 'input').json
  } catch {} // it is none
  return { type: 'object' }
}

const maxDepth = 64 // levels of a schema; server/internal/fit

/** Whether a value is an object that is not nested too deeply for a list. */
export const isSchema = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isDeeper(value, maxDepth)

const isDeeper = (value: unknown, levels: number): boolean =>
  levels === 0 ||
  (typeof value === 'object' && Object.values(value ?? {}).some((one) => isDeeper(one, levels - 1)))

/** A whole result if the tool returned one of MCP. `null`: the document was left. */
export function resultOf(answer: string | null): ToolResult {
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
