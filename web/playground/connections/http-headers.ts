/**
 * Headers that repeat parts of a message. MCP 2026-07-28, basic/transports, "Streamable HTTP"; the older
 * revisions have only version and session.
 */

import { isObject, type Params } from '../protocol/revisions.ts'

/** The members of a message that its headers need; undefined: the text has none. */
export interface Parsed {
  id?: unknown
  method?: string
  params?: Params
  result?: unknown
  error?: unknown
}

/** Parses a text leniently: malformed texts are sent unchanged. */
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

/** The revision in a message's envelope, which makes it a modern message. */
export function envelopeVersion({ params }: Parsed): string | undefined {
  const meta = params?._meta
  const version = isObject(meta) ? meta['io.modelcontextprotocol/protocolVersion'] : undefined
  return typeof version === 'string' ? version : undefined
}

/** State of a server that later messages need in their headers. */
export interface Known {
  /** The version that `initialize` negotiated. */
  version?: string
  session?: string
  /** Input schemas by tool name, of tools with arguments in headers. */
  tools: Map<string, Params>
}

/** The headers that a message requires. Their values are ASCII. */
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

/** `Mcp-Param-*`, for each property whose schema has `x-mcp-header`, within objects too. */
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

/** Members of a schema whose values are no schemas. */
const values: readonly string[] = ['default', 'const', 'enum', 'examples']

/**
 * Whether what a tool's schema declares as headers is allowed: names are tokens, unique in any case, of strings, numbers or
 * booleans, and reached from the root by `properties` alone. Clients must leave out other tools.
 *
 * @see MCP 2026-07-28, basic/transports/streamable-http, and SEP-2243
 */
export function hasValidHeaders(schema: unknown): boolean {
  const names = new Set<string>()
  const isValid = (node: unknown, place: 'root' | 'property' | 'elsewhere'): boolean => {
    if (Array.isArray(node)) return node.every((one) => isValid(one, 'elsewhere'))
    if (!isObject(node)) return true
    const header = node['x-mcp-header']
    if (header !== undefined) {
      const isPrimitive = /^(string|number|integer|boolean)$/.test(String(node.type))
      if (place !== 'property' || !isPrimitive || typeof header !== 'string') return false
      const name = header.toLowerCase()
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || names.has(name)) return false
      names.add(name)
    }
    const below = place === 'elsewhere' ? 'elsewhere' : 'property'
    return Object.entries(node).every(([key, value]) =>
      key === 'properties' && isObject(value)
        ? Object.values(value).every((one) => isValid(one, below))
        : values.includes(key) || isValid(value, 'elsewhere'),
    )
  }
  return isValid(schema, 'root')
}

/** Stores the schemas of tools with arguments in headers, from the result of `tools/list`. */
export function rememberTools(known: Known, result: unknown): void {
  if (!isObject(result) || !Array.isArray(result.tools)) return
  for (const tool of result.tools as unknown[]) {
    if (!isObject(tool) || typeof tool.name !== 'string' || !isObject(tool.inputSchema)) continue
    if (
      JSON.stringify(tool.inputSchema).includes('"x-mcp-header"') &&
      hasValidHeaders(tool.inputSchema)
    )
      known.tools.set(tool.name, tool.inputSchema)
    else known.tools.delete(tool.name)
  }
}

/**
 * Encodes a header value: unchanged, or as `=?base64?…?=` of its UTF-8 if it has characters other than visible
 * ASCII, spaces at its ends, or looks encoded already.
 */
export function headerValue(value: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith('=?base64?'))
    return value
  const bytes = new TextEncoder().encode(value)
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`
}
