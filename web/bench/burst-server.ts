/**
 * An MCP server on stdio for the benchmark: a request to a loopback port makes it send as many notifications
 * as the request names. BURST_PORT is the port.
 */

import { createServer } from 'node:http'
import { createInterface } from 'node:readline'

const say = (message: object) =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

const results: { readonly [method: string]: object } = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { resources: { subscribe: true } },
    serverInfo: { name: 'burst', version: '1.0.0' },
  },
  ping: {},
  'resources/list': { resources: [{ uri: 'notes://today', name: 'Today' }] },
  'resources/templates/list': { resourceTemplates: [] },
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line) as { id?: number; method: string }
  if (id === undefined) return
  const result = results[method]
  say(result ? { id, result } : { id, error: { code: -32601, message: 'Method not found' } })
})

createServer(({ url = '' }, response) => {
  const count = Number(new URL(url, 'http://localhost').searchParams.get('count'))
  for (let i = 0; i < count; i++) {
    say({ method: 'notifications/resources/updated', params: { uri: 'notes://today' } })
  }
  response.end()
}).listen(Number(process.env.BURST_PORT), '127.0.0.1')
