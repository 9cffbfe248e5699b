/** The supported revisions of MCP, and the form of requests in each. */

/** Oldest first, as in the selection. */
export const revisions = ['2025-06-18', '2025-11-25', '2026-07-28'] as const

export type Revision = (typeof revisions)[number]

/** The initial revision. */
export const newest: Revision = '2026-07-28'

/** Whether requests have an envelope, and there is no handshake. */
export const isModern = (revision: Revision): boolean => revision >= '2026-07-28'

export const isRevision = (text: unknown): text is Revision =>
  (revisions as readonly unknown[]).includes(text)

/**
 * The revision of a row.
 *
 * @param declared - by the messages of its connection ({@link Store.revision})
 * @param session - of its session; undefined: the connection is closed or imported
 */
export function revisionOf(declared: string | undefined, session?: Revision): Revision {
  if (isRevision(declared)) return declared
  if (session !== undefined || declared === undefined) return session ?? newest
  if (declared === '') return '2025-11-25'
  return declared < newest ? revisions[0] : newest
}

/** The playground's name and version, for servers. */
export const clientInfo = {
  name: 'pagemcp-playground',
  title: 'PageMCP playground',
  version: '0.1.0',
}

export interface Params {
  [name: string]: unknown
}

/** Whether a value is an object of JSON. */
export const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The envelope: `_meta` of each request of a modern revision. */
export function envelope(revision: Revision, capabilities: Params = {}): Params {
  return {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: clientInfo.name, version: clientInfo.version },
    [metaCapabilities]: capabilities,
  }
}

/** The member of the envelope with the client's capabilities. */
export const metaCapabilities = 'io.modelcontextprotocol/clientCapabilities'

/** A request in the form of the revision, with `_meta` first. */
export function request(
  revision: Revision,
  id: number | string,
  method: string,
  params?: Params,
  capabilities?: Params,
): { jsonrpc: '2.0'; id: number | string; method: string; params?: Params } {
  const wrapped = isModern(revision)
    ? {
        ...params,
        _meta: { ...envelope(revision, capabilities), ...(params?._meta as Params | undefined) },
      }
    : params
  return { jsonrpc: '2.0', id, method, ...(wrapped && { params: wrapped }) }
}
