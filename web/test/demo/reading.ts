/** What an assistant reads of a demo through the gateway. */

import type { Gateway } from '../e2e/gateway.ts'

/** Reads as an assistant does: one request of the modern era. The text of its first content. */
export async function readText(gateway: Gateway, uri: string): Promise<string> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const response = await fetch(gateway.mcp, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'resources/read',
      'mcp-name': uri,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'resources/read',
      params: { uri, _meta },
    }),
    signal: AbortSignal.timeout(20_000),
  })
  const { result, error } = (await response.json()) as {
    result?: { contents: { text?: string }[] }
    error?: { message: string }
  }
  if (error) throw new Error(`read ${uri}: ${error.message}`)
  return result?.contents[0]?.text ?? ''
}
