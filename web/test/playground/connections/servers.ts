/** Servers that browsers may talk to, and some that lack one thing. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What a server does about CORS and sign-in; each member takes one thing away or adds one. */
export interface Manners {
  /** Without `Access-Control-Allow-Origin`. */
  noOrigin?: boolean
  /** Answers OPTIONS with 405. */
  noPreflight?: boolean
  /** The headers that it allows; default: all of MCP. */
  allowed?: string
  /** Does not show `Mcp-Session-Id` to scripts. */
  hidesSession?: boolean
  /** Wants a token, and tells where it is given if `true`. */
  wantsToken?: boolean
  /** Speaks 2026-07-28; default: 2025-11-25 with a session. */
  modern?: boolean
  /** Answers all as a web page does. */
  noMcp?: boolean
}

const allHeaders =
  'Content-Type, Authorization, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID'

export interface Mannered {
  url: string
  /** The Authorization headers that came. */
  authorizations: (string | undefined)[]
  /** The bodies that came; `''`: a request without one. */
  bodies: string[]
  close(): Promise<void>
}

/** Starts a small server with a resource. */
export async function mannered(manners: Manners): Promise<Mannered> {
  const authorizations: (string | undefined)[] = []
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    authorizations.push(request.headers.authorization)
    bodies.push(body)
    answer(manners, request, response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    authorizations,
    bodies,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(m: Manners, request: IncomingMessage, response: ServerResponse, body: string) {
  const own = `http://${request.headers.host}`
  const { origin } = request.headers
  if (!m.noOrigin && origin) response.setHeader('Access-Control-Allow-Origin', origin)
  const exposed = ['WWW-Authenticate', ...(m.hidesSession ? [] : ['Mcp-Session-Id'])]
  response.setHeader('Access-Control-Expose-Headers', exposed.join(', '))
  if (request.method === 'OPTIONS') {
    if (m.noPreflight) return void response.writeHead(405).end()
    response.setHeader('Access-Control-Allow-Methods', 'GET, POST, DELETE')
    response.setHeader('Access-Control-Allow-Headers', m.allowed ?? allHeaders)
    return void response.writeHead(204).end()
  }
  if (request.url === '/.well-known/oauth-protected-resource/mcp') {
    const metadata = { resource: `${own}/mcp`, authorization_servers: ['https://auth.example'] }
    return void response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata))
  }
  if (m.wantsToken && !request.headers.authorization) {
    response.setHeader('WWW-Authenticate', 'Bearer realm="test"')
    return void response.writeHead(401).end()
  }
  if (m.noMcp) return void response.setHeader('content-type', 'text/html').end('<p>hello</p>')
  if (request.method === 'GET') return void response.writeHead(405).end()
  if (request.method === 'DELETE') return void response.writeHead(204).end()
  const reply = (message: object, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }
  let message: { id?: number; method?: string } | null
  try {
    message = JSON.parse(body) as typeof message
  } catch {
    return reply({ id: null, error: { code: -32700, message: 'Parse error' } }, 400)
  }
  if (message === null)
    return reply({ id: null, error: { code: -32600, message: 'Invalid request' } }, 400)
  const { id, method } = message
  if (method === 'server/discover' && m.modern)
    return reply({ id, result: { supportedVersions: ['2026-07-28'], capabilities: {} } })
  if (method === 'initialize' && !m.modern) {
    response.setHeader('Mcp-Session-Id', 'session-1')
    const serverInfo = { name: 'mannered', version: '1' }
    const capabilities = { resources: {} }
    return reply({ id, result: { protocolVersion: '2025-11-25', capabilities, serverInfo } })
  }
  if (!m.modern && request.headers['mcp-session-id'] !== 'session-1')
    return reply({ id: id ?? null, error: { code: -32600, message: 'No session' } }, 400)
  if (id === undefined) return void response.writeHead(202).end()
  const resources = [{ uri: 'manners://one', name: 'One' }]
  const result = method === 'resources/list' ? { resources } : method === 'ping' ? {} : undefined
  reply(result ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } })
}
