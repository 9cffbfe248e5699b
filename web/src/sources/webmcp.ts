import { type ContentBlock, isBlock } from '../blocks.ts'
import type { OwnCallRequest, ToolDescription, ToolResult } from '../callee.ts'
import { shownKeys } from '../keys.ts'
import { checker } from '../schema.ts'
import { type Changed, type Json, NotFoundError, type Source } from '../source.ts'
import {
  executeNative,
  forbidden,
  isForbidden,
  type NativeTool,
  nativeTools,
  offered,
  watchNative,
} from '../webmcp-context.ts'
import { wrongOption } from './options.ts'

/** Options of {@link webmcp}. */
export interface WebMcpOptions {
  /** The names of the tools to mirror; default: all that scripts of this document register. */
  tools?: readonly string[]
}

/** The `_meta` key by which a mirrored tool is known: it is not offered to WebMCP again. */
export const metaWebMcp = 'io.github.pagemcp/webmcp'

type Schema = { readonly [keyword: string]: Json }
type Args = Record<string, unknown>

/** Time in which changes of the tools are gathered, ms. */
const gathering = 50

/**
 * Publishes the tools that scripts of this document have registered with WebMCP (`document.modelContext`) as MCP tools: also those of HTML forms, but not those of frames,
 * for debugging, and of {@link offerToWebMcp}. Without WebMCP there are none. Runs in the window.
 *
 * The browser does not validate arguments: the tools get what the client sends.
 *
 * @returns a source of tools alone. `callTool` rejects with {@link NotFoundError} for a name that is not registered now,
 *   and with the browser's error if the tool fails
 * @throws TypeError if an option has another type
 * @see https://webmachinelearning.github.io/webmcp/
 */
export function webmcp(options: WebMcpOptions = {}): Source {
  const { tools } = options
  const isName = (one: unknown) => typeof one === 'string'
  if (tools !== undefined && !(Array.isArray(tools) && tools.every(isName))) {
    throw wrongOption('webmcp', 'tools', "an array of names such as ['add_to_cart']", tools)
  }
  const names = tools && new Set(tools)
  const isMirrored = ({ name, annotations }: NativeTool) =>
    !offered.has(name) && annotations?.debugging !== true && (names?.has(name) ?? true)
  let isTold = false
  const mirrored = async () => {
    try {
      return (await nativeTools()).filter(isMirrored)
    } catch (error) {
      if (!isForbidden(error)) throw error
      if (!isTold) globalThis.reportError?.(new Error(forbidden, { cause: error }))
      isTold = true
      return []
    }
  }

  return {
    list: async () => ({ resources: [] }),
    async read(uri) {
      throw new NotFoundError(uri)
    },
    tools: async () => (await mirrored()).map(described),
    async callTool(name, args, request) {
      const { signal } = request
      const tool = (await mirrored()).find((one) => one.name === name)
      if (tool === undefined) throw new NotFoundError(name)
      signal.throwIfAborted()
      return resultOf(await executeNative(tool, await ownArguments(tool, args, request), signal))
    },
    watch(changed: Changed, signal) {
      let timer: ReturnType<typeof setTimeout> | undefined
      watchNative(() => {
        timer ??= setTimeout(() => {
          timer = undefined
          changed({ list: 'tools' })
        }, gathering)
      }, signal)
      signal.addEventListener('abort', () => clearTimeout(timer))
    },
  }
}

function described(tool: NativeTool): ToolDescription {
  const { name, title, description, annotations } = tool
  const { readOnlyHint, consequentialHint, untrustedContentHint } = annotations ?? {}
  const note = untrustedContentHint ? 'The result may have untrusted content.' : ''
  return {
    name,
    title: title || undefined,
    description: [description, note].filter(Boolean).join('\n\n'),
    inputSchema: shownSchema(schemaOf(tool)),
    annotations: {
      readOnlyHint: readOnlyHint ?? undefined,
      destructiveHint: consequentialHint ?? undefined,
    },
    _meta: { [metaWebMcp]: true },
  }
}

/** The schema as clients get it: with keys that APIs of models take. Those of forms are often others, such as `items[]`. */
function shownSchema(schema: Schema): Schema {
  const { properties = {}, required } = schema
  const shown = shownKeys(Object.keys(properties as object))
  if ([...shown].every(([own, key]) => own === key)) return schema
  const key = (own: string) => shown.get(own) ?? own
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries(properties as object).map(([own, value]) => [key(own), value]),
    ),
    ...(Array.isArray(required) && { required: required.map((own) => key(String(own))) }),
  }
}

/** Arguments of a client under the keys of the tool, with texts that are JSON of what it wants taken for that. */
async function ownArguments(
  tool: NativeTool,
  args: Args,
  request: Partial<OwnCallRequest>,
): Promise<Args> {
  const schema = schemaOf(tool)
  const shown = shownKeys(Object.keys((schema.properties ?? {}) as object))
  const own = new Map([...shown].map(([key, name]) => [name, key]))
  const named = Object.fromEntries(
    Object.entries(args).map(([key, value]) => [own.get(key) ?? key, value]),
  )
  if (request.check === undefined) return named
  try {
    const checked = await request.check(named, checker(tool.name, schema, 'input'))
    return 'problems' in checked ? named : (checked.value as Args)
  } catch {
    return named // the schema refers to another document
  }
}

/** The schema of a tool; of any object, if the tool has none that clients can use. */
function schemaOf({ name, inputSchema }: NativeTool): Schema {
  const any = { type: 'object' }
  try {
    const schema = typeof inputSchema === 'string' ? JSON.parse(inputSchema) : inputSchema
    if (typeof schema !== 'object' || schema === null) return any
    return checker(name, { type: 'object', ...schema }, 'input').json
  } catch {
    return any
  }
}

function resultOf(answer: string | null): ToolResult {
  if (answer === null) {
    const text = 'The document was left while the tool ran; it may have taken effect.'
    return { content: [{ type: 'text', text }], isError: true }
  }
  return wholeResult(answer) ?? { content: [{ type: 'text', text: answer }] }
}

/** The result of a tool that returned one of MCP. */
function wholeResult(answer: string): { content: ContentBlock[]; isError?: boolean } | undefined {
  try {
    const value = JSON.parse(answer) as { content?: unknown; isError?: unknown } | null
    if (typeof value !== 'object' || !Array.isArray(value?.content)) return undefined
    if (!value.content.every(isBlock)) return undefined
    return { content: value.content, isError: value.isError === true }
  } catch {
    return undefined
  }
}
