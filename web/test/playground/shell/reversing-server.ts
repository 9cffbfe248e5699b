/** A server over HTTP whose texts all have controls that reverse the direction of text (UAX #9). */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Without the escapes it looks like `Invoice exe.png`. */
export const reversing = 'Invoice \u202e\u2066gnp.exe'

const text = reversing
const complete = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
const described = { name: text, title: text, description: text, mimeType: text }
const property = { type: 'string', title: text, description: text, enum: [text, 'b'] }
const schema = { type: 'object', properties: { [text]: property }, required: [text] }
const form = { mode: 'form', message: text, requestedSchema: schema }

const results: { readonly [method: string]: object } = {
  'server/discover': {
    ...complete,
    supportedVersions: ['2026-07-28'],
    capabilities: {
      resources: { subscribe: true },
      prompts: {},
      tools: {},
      extensions: { 'io.modelcontextprotocol/skills': {} },
    },
    _meta: { 'io.modelcontextprotocol/serverInfo': { ...described, version: text } },
    instructions: text,
  },
  'resources/list': {
    ...complete,
    resources: [
      { uri: 'a:b', ...described, annotations: { lastModified: text } },
      { uri: `a:${text}`, name: text },
    ],
  },
  'resources/templates/list': {
    ...complete,
    resourceTemplates: [{ uriTemplate: `a:{b}${text}`, ...described }],
  },
  'prompts/list': { ...complete, prompts: [{ ...described, arguments: [described] }] },
  'tools/list': { ...complete, tools: [{ ...described, inputSchema: schema }] },
  'skills/list': {
    ...complete,
    skills: [{ uri: `skill:${text}`, frontmatter: described, resources: [{ uri: text }] }],
  },
  'resources/read': {
    ...complete,
    contents: [
      { uri: text, mimeType: 'text/markdown', text: `# ${text}\n[${text}](http://a.example/)` },
      { uri: text, mimeType: 'text/csv', text: `${text},b` },
      { uri: text, mimeType: 'application/json', text: JSON.stringify({ [text]: text }) },
    ],
  },
  'tools/call': {
    resultType: 'input_required',
    requestState: text,
    inputRequests: { [text]: { method: 'elicitation/create', params: form } },
  },
}

const headers = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Allow-Headers': '*',
  'Content-Type': 'application/json',
}

/** Starts it on a free port. */
export async function startReversing(): Promise<{ url: string; close(): void }> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    if (request.method !== 'POST') return void response.writeHead(204, headers).end()
    const { id, method } = parsed(body)
    const result = results[method ?? '']
    const error = { code: -32602, message: text, data: { uri: text, [text]: text } }
    const answer = { jsonrpc: '2.0', id: id ?? null, ...(result ? { result } : { error }) }
    response.writeHead(200, headers).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function parsed(body: string): { id?: unknown; method?: string } {
  try {
    return JSON.parse(body) as { id?: unknown; method?: string }
  } catch {
    return {}
  }
}
