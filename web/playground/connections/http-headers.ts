/**
 * What a message says again in the header of its POST. MCP 2026-07-28, basic/transports,
 * "Streamable HTTP"; the older revisions have the version and the session alone.
 */

import type { Params } from '../protocol/revisions.ts'

/** A message as far as its header needs it; undefined: the text is none. */
export interface Parsed {
  id?: unknown
  method?: string
  params?: Params
  result?: unknown
  error?: unknown
}

/** Reads a text leniently: whatever is broken is sent all the same. */
export function parsed(text: string): Parsed {
  try {
    const message = JSON.parse(text) as unknown
    if (typeof message !== 'object' || message === null || Array.isArray(message)) return {}
    const { id, method, params, result, error } = message as Record<string, unknown>
    return {
      id,
      result,
      error,
      method: typeof method === 'string' ? method : undefined,
      params: isObject(params) ? params : undefined,
    }
  } catch {
    return {}
  }
}

const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The revision that a message names in its own envelope: that makes it a modern one. */
export function envelopeVersion({ params }: Parsed): string | undefined {
  const meta = params?._meta
  const version = isObject(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined
  return typeof version === 'string' ? version : undefined
}

/** What is known of a server: it goes into the headers of later messages. */
export interface Known {
  /** That `initialize` has agreed on. */
  version?: string
  session?: string
  /** Input schemas by the name of the tool, of those that want arguments in headers. */
  tools: Map<string, Params>
}

/** The headers that a message asks for by itself. Their values are ASCII, as headers must be. */
export function mirroredHeaders(message: Parsed, known: Known): [string, string][] {
  const headers: [string, string][] = []
  const modern = envelopeVersion(message)
  const version = modern ?? (message.method === 'initialize' ? undefined : known.version)
  if (version !== undefined) headers.push(['MCP-Protocol-Version', headerValue(version)])
  if (modern === undefined) {
    if (known.session !== undefined && message.method !== 'initialize')
      headers.push(['Mcp-Session-Id', known.session])
    return headers
  }
  const { method, params = {} } = message
  if (method !== undefined) headers.push(['Mcp-Method', headerValue(method)])
  const name =
    method === 'resources/read'
      ? params.uri
      : method === 'tools/call' || method === 'prompts/get'
        ? params.name
        : undefined
  if (typeof name === 'string') headers.push(['Mcp-Name', headerValue(name)])
  const schema = method === 'tools/call' ? known.tools.get(String(name)) : undefined
  if (schema) headers.push(...argumentHeaders(schema, params.arguments))
  return headers
}

/** `Mcp-Param-*`, for each property that its schema wants in a header, within objects too. */
function argumentHeaders(schema: Params, values: unknown): [string, string][] {
  const headers: [string, string][] = []
  if (!isObject(schema.properties) || !isObject(values)) return headers
  for (const [name, property] of Object.entries(schema.properties)) {
    if (!isObject(property)) continue
    const value = values[name]
    const header = property['x-mcp-header']
    const plain =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    if (typeof header === 'string' && plain)
      headers.push([`Mcp-Param-${header}`, headerValue(String(value))])
    headers.push(...argumentHeaders(property, value))
  }
  return headers
}

/** Takes note of tools that want arguments in headers, from the result of `tools/list`. */
export function rememberTools(known: Known, result: unknown): void {
  if (!isObject(result) || !Array.isArray(result.tools)) return
  for (const tool of result.tools as unknown[]) {
    if (!isObject(tool) || typeof tool.name !== 'string' || !isObject(tool.inputSchema)) continue
    if (JSON.stringify(tool.inputSchema).includes('"x-mcp-header"'))
      known.tools.set(tool.name, tool.inputSchema)
    else known.tools.delete(tool.name)
  }
}

/**
 * A value as a header can carry it: as it is, or as `=?base64?…?=` of its UTF-8, if it has other than
 * visible ASCII, blanks at its ends, or looks as if it were encoded already.
 */
export function headerValue(value: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?'))
    return value
  const bytes = new TextEncoder().encode(value)
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`
}
