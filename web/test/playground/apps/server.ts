/** An MCP server over HTTP with one app: its document, and a tool that shows it. Every other request is counted. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface AppServer {
  url: string
  /** Paths of requests that are none of MCP: what a document could reach. */
  reached: string[]
  /** Names of tools that were called, with their arguments. */
  calls: string[]
  close(): Promise<void>
}

/**
 * Starts it.
 *
 * @param html - the document; `ORIGIN` in it is the address of this server
 * @param ui - `_meta.ui` of the document
 * @param mimeType - of the document; by default that of an app
 */
export async function appServer(
  html: string,
  ui?: object,
  mimeType = 'text/html;profile=mcp-app',
): Promise<AppServer> {
  const reached: string[] = []
  const calls: string[] = []
  const uri = 'ui://test/app.html'
  const inputSchema = { type: 'object' }
  const results: {
    [method: string]: (params: { name?: string; arguments?: object; uri?: string }) => object
  } = {
    'server/discover': () => ({
      supportedVersions: ['2026-07-28'],
      capabilities: { resources: {}, tools: {} },
    }),
    'resources/list': () => ({ resources: [{ uri, name: 'app', mimeType }] }),
    'resources/templates/list': () => ({ resourceTemplates: [] }),
    'tools/list': () => ({
      tools: [
        { name: 'show', inputSchema, _meta: { ui: { resourceUri: uri } } },
        { name: 'save', inputSchema },
      ],
    }),
    'resources/read': ({ uri: wanted }) => ({
      contents: [
        wanted === uri
          ? {
              uri,
              mimeType,
              text: html.replaceAll('ORIGIN', origin()),
              ...(ui && { _meta: { ui } }),
            }
          : { uri: wanted, mimeType: 'text/plain', text: `the text of ${wanted}` },
      ],
    }),
    'tools/call': ({ name, arguments: given }) => {
      calls.push(`${name} ${JSON.stringify(given)}`)
      return { content: [{ type: 'text', text: `called ${name}` }] }
    },
  }
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    response.setHeader('Access-Control-Allow-Origin', '*')
    response.setHeader(
      'Access-Control-Allow-Headers',
      'Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name',
    )
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    if (request.url !== '/mcp') {
      reached.push(`${request.method} ${request.url}`)
      return void response
        .setHeader('content-type', 'text/html')
        .end('<script>parent.postMessage(1, "*")</script>')
    }
    const { id, method, params } = JSON.parse(body)
    if (id === undefined) return void response.writeHead(202).end()
    const result = results[method]?.(params)
    const answer = result
      ? { result: { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...result } }
      : { error: { code: -32601, message: 'Method not found' } }
    response.setHeader('content-type', 'application/json')
    response.writeHead(result ? 200 : 404).end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${origin()}/mcp`,
    reached,
    calls,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
