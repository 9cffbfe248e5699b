/** Requests over HTTP whose responses are compared byte by byte. */

import type { Gateway } from './gateway.ts'

/** Reads in one revision: the text of the response. */
export async function reader(gateway: Gateway, revision: string) {
  const ask = await asker(gateway, revision)
  return (uri: string) => ask('resources/read', { uri })
}

/** Asks for what has a name, or a URI, in one revision: the text of the response. */
export async function asker({ mcp, token }: Gateway, revision: string) {
  const headers: Record<string, string> = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const isModern = revision === '2026-07-28'
  const post = async (message: object, more: Record<string, string> = {}) => {
    const response = await fetch(mcp, {
      method: 'POST',
      headers: { ...headers, ...more },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      signal: AbortSignal.timeout(60_000),
    })
    return { text: await response.text(), session: response.headers.get('mcp-session-id') }
  }
  if (!isModern) {
    const clientInfo = { name: 'test', version: '1' }
    const params = { protocolVersion: revision, capabilities: {}, clientInfo }
    const { session } = await post({ id: 0, method: 'initialize', params })
    headers['mcp-session-id'] = session as string
    await post({ method: 'notifications/initialized' })
  }
  headers['mcp-protocol-version'] = revision
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return async (method: string, named: { uri: string } | { name: string }) => {
    const name = 'uri' in named ? named.uri : named.name
    const described = { 'mcp-method': method, 'mcp-name': name }
    const params = isModern ? { ...named, _meta } : named
    const { text } = await post({ id: 1, method, params }, isModern ? described : {})
    // Notifications may come first, on a stream. A line ends at \n alone, not at U+2028.
    return /(?:^|\n)data: ([^\n]*"id":1,[^\n]*)/.exec(text)?.[1] ?? text
  }
}
