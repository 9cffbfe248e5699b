// Streamable HTTP in both eras: the official server of the older revisions, our gateway for the newest,
// and servers that do what is allowed and rare.

import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { setLocale } from '../../../playground/base/i18n.ts'
import { Connection } from '../../../playground/connections/connection.ts'
import { http } from '../../../playground/connections/http.ts'
import { Session } from '../../../playground/connections/session.ts'
import { Store } from '../../../playground/messages/store.ts'
import type { Revision } from '../../../playground/protocol/revisions.ts'
import { program } from '../../e2e/gateway.ts'
import { until } from '../../harness/client.ts'
import '../../harness/texts.ts'

const timeout = 30_000 // ms

before(() => setLocale('en'))

/** A server that lives as long as this file. */
async function listening(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<string> {
  const server: Server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += part
    answer(request, response, body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

/** A client on a connection of its own, and what the connection has seen. */
async function client(
  url: string,
  revision: Revision,
  headers: readonly (readonly [string, string])[] = [],
) {
  const store = new Store(() => {})
  const connection = new Connection(http(url, { headers }), 'A', store)
  const session = new Session(connection, revision)
  await connection.open()
  after(() => connection.close())
  const rows = () => Array.from({ length: store.length }, (_, row) => store.raw(row))
  return { store, connection, session, rows }
}

/** Waits until a row holds a text. */
async function row(of: Awaited<ReturnType<typeof client>>, text: string): Promise<number> {
  const looked = () => of.rows().findIndex((raw) => raw.includes(text))
  for (let found = looked(); ; found = looked()) {
    if (found >= 0) return found
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The official server with sessions, a resource that can change, and SSE for every answer. */
async function classicServer() {
  const seen: { method: string; headers: IncomingMessage['headers'] }[] = []
  const sessions = new Map<string, StreamableHTTPServerTransport>()
  const servers: McpServer[] = []
  const url = await listening(async (request, response, body) => {
    seen.push({ method: request.method ?? '', headers: request.headers })
    const id = request.headers['mcp-session-id']
    let transport = sessions.get(String(id))
    if (id !== undefined && transport === undefined) {
      response.writeHead(404, { 'content-type': 'application/json' })
      response.end(
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}',
      )
      return
    }
    if (transport === undefined) {
      const made = new StreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => void sessions.set(session, made),
      })
      transport = made
      const server = new McpServer({ name: 'classic', version: '1' })
      server.registerResource('cart', 'notes://cart', {}, () => ({
        contents: [{ uri: 'notes://cart', text: '2 äpfel' }],
      }))
      servers.push(server)
      await server.connect(made)
    }
    await transport.handleRequest(request, response, body === '' ? undefined : JSON.parse(body))
  })
  return { url, seen, sessions, servers }
}

test('an older server: handshake, session, its own stream, DELETE', { timeout }, async () => {
  const { url, seen, servers, sessions } = await classicServer()
  const one = await client(url, '2025-11-25', [['Authorization', 'Bearer s3cret']])
  await one.session.handshake()
  assert.equal(one.session.peer.value?.name, 'classic')
  const { result, row: at } = await one.session.request('resources/read', { uri: 'notes://cart' })
  assert.match(JSON.stringify(result), /2 äpfel/)
  assert.equal(one.store.framing(at), 'sse')
  const facts = one.store.http(at)
  assert.equal(facts?.status, 200)
  assert.equal(facts?.headers?.['mcp-session-id'], '…')
  const sent = one.rows().findIndex((raw) => raw.includes('"resources/read"'))
  assert.equal(one.store.http(sent)?.headers?.authorization, '…')
  assert.equal(one.store.http(sent)?.headers?.['mcp-protocol-version'], '2025-11-25')

  await until(() => seen.some(({ method }) => method === 'GET'), 'a GET of the client')
  servers[0]?.sendResourceListChanged()
  await row(one, 'notifications/resources/list_changed')
  assert.equal(one.session.listChanged.value.resources, 1)

  one.connection.close()
  await until(() => seen.some(({ method }) => method === 'DELETE'), 'a DELETE of the client')
  const posts = seen.filter(({ method }) => method === 'POST')
  assert.equal(posts[0]?.headers['mcp-session-id'], undefined)
  assert.ok(
    posts.slice(1).every(({ headers }) => headers['mcp-session-id'] === [...sessions.keys()][0]),
  )
  assert.ok(seen.every(({ headers }) => headers.authorization === 'Bearer s3cret'))
})

test('a session that is unknown is over, and says so', { timeout }, async () => {
  const { url, sessions } = await classicServer()
  const one = await client(url, '2025-06-18')
  await one.session.handshake()
  sessions.clear()
  const { error } = await one.session.request('ping')
  assert.match(error?.message ?? '', /expired/)
  await row(one, 'Session not found') // with no id: it is about no request
  assert.equal(one.connection.state.value, 'closed')
  assert.match(one.connection.reason.value, /expired/)
})

test('an older server that is asked in the newer way says no, and is heard', {
  timeout,
}, async () => {
  const { url } = await classicServer()
  const one = await client(url, '2026-07-28')
  const { error } = await one.session.handshake() // its error has no id
  assert.match(error?.message ?? '', /400.*not initialized/)
  await one.session.restart('2025-11-25')
  assert.equal(one.session.peer.value?.name, 'classic')
})

test('a newer server: no handshake, a stream for each listen, closed to cancel', {
  timeout,
}, async () => {
  const state = await mkdtemp(join(tmpdir(), 'pagemcp-http-'))
  const args = ['serve', '--json', '--no-token', '--state', state, '--mcp', '127.0.0.1:0']
  const gateway: ChildProcess = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  after(async () => {
    gateway.kill('SIGTERM')
    await once(gateway, 'exit')
    await rm(state, { recursive: true, force: true })
  })
  if (gateway.stdout === null) throw new Error('no output')
  const [line] = (await once(createInterface({ input: gateway.stdout }), 'line')) as [string]
  const one = await client((JSON.parse(line) as { mcp: string }).mcp, '2026-07-28')
  await one.session.handshake()
  assert.equal(one.session.peer.value?.name, 'pagemcp')
  const { result } = await one.session.request('tools/list')
  assert.ok(Array.isArray(result?.tools))
  const { error } = await one.session.request('resources/read', { uri: 'none+päge:///' })
  assert.equal(error?.code, -32602, 'Mcp-Name was understood')

  one.session.listen({ resourcesListChanged: true })
  const acknowledged = await row(one, 'subscriptions/acknowledged')
  assert.equal(one.store.framing(acknowledged), 'sse')
  one.session.listen({})
  await row(one, 'cancelled by closing')
  one.connection.send('{broken')
  await row(one, '-32700')
  assert.ok(!one.rows().some((raw) => raw.startsWith('failed')), 'a cancel is no failure')
  assert.equal(one.connection.state.value, 'open')
})

test('whatever is no message settles the request and says why', { timeout }, async () => {
  let first = true
  const url = await listening((_, response, body) => {
    const { id, method } = JSON.parse(body) as { id?: number; method: string }
    const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { supportedVersions: [] } })
    if (first) response.setHeader('content-type', 'application/json').end(answer)
    else if (method === 'tools/list') response.writeHead(500).end('out\nof order')
    else if (method === 'prompts/list') response.writeHead(202).end()
    else {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end('data: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n')
    }
    first = false
  })
  const one = await client(url, '2026-07-28')
  await one.session.handshake()
  const said = async (method: string) => (await one.session.request(method)).error?.message
  assert.match((await said('tools/list')) ?? '', /500.*out of order/)
  assert.match((await said('prompts/list')) ?? '', /202/)
  assert.match((await said('resources/list')) ?? '', /stream ended/)
  assert.equal(one.connection.state.value, 'open')
})

test('a stream that broke is taken up again after its last event', { timeout }, async () => {
  const asked: (string | undefined)[] = []
  const url = await listening((request, response, body) => {
    if (request.method === 'GET') {
      asked.push(request.headers['last-event-id'] as string | undefined)
      if (asked.at(-1) === undefined) return void response.writeHead(405).end()
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('id: 2\ndata: {"jsonrpc":"2.0","id":2,"result":{}}\n\n') // and it stays open
      return
    }
    const { id } = JSON.parse(body) as { id?: number }
    if (id === undefined) return void response.writeHead(202).end()
    if (id === 1) {
      const result = {
        protocolVersion: '2025-11-25',
        capabilities: {},
        serverInfo: { name: 's', version: '1' },
      }
      response.setHeader('content-type', 'application/json')
      return void response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end('retry: 1\nid: 1\ndata:\n\n')
  })
  const one = await client(url, '2025-11-25')
  await one.session.handshake()
  const { result } = await one.session.request('ping')
  assert.deepEqual(result, {})
  assert.ok(asked.includes('1'))
  assert.ok(one.rows().includes('stream resumed after event 1'))
})

test('who cannot be reached, or wants to know who asks, closes the connection', {
  timeout,
}, async () => {
  const shut = await listening((_, response) => {
    response.writeHead(401, { 'www-authenticate': 'Bearer realm="x"' }).end()
  })
  const refused = await client(shut, '2026-07-28')
  await refused.session.handshake()
  assert.equal(refused.connection.state.value, 'closed')
  assert.match(refused.connection.reason.value, /401.*realm/)
  const nobody = await client('http://127.0.0.1:1/mcp?key=s3cret', '2026-07-28')
  await nobody.session.handshake()
  assert.match(nobody.connection.reason.value, /could not be reached/)
  assert.doesNotMatch(nobody.rows().join() + nobody.connection.dialer.url, /s3cret/)
})

for (const status of [404, 405, 501]) {
  for (const session of [undefined, 'session-1']) {
    const which = session ? 'in a session' : 'without a session'
    test(`a server whose GET answers ${status} ${which} is used by POST alone`, {
      timeout,
    }, async () => {
      const gets: string[] = []
      const url = await listening((request, response, body) => {
        if (request.method !== 'POST') {
          gets.push(request.method ?? '')
          return void response.writeHead(status).end('no such route')
        }
        const { id, method } = JSON.parse(body) as { id?: number; method: string }
        if (id === undefined) return void response.writeHead(202).end()
        const result =
          method === 'initialize'
            ? {
                protocolVersion: '2025-11-25',
                capabilities: { tools: {} },
                serverInfo: { name: 'posts', version: '1' },
              }
            : { tools: [{ name: 'add', inputSchema: { type: 'object' } }] }
        response.writeHead(200, {
          'content-type': 'application/json',
          ...(session && { 'mcp-session-id': session }),
        })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      })
      const one = await client(url, '2025-11-25')
      await one.session.handshake()
      if (status !== 405) await row(one, `HTTP ${status}`) // it is noted
      one.connection.send('{"jsonrpc":"2.0","id":7,"method":"tools/list"}')
      await row(one, '"name":"add"')
      assert.equal(one.connection.state.peek(), 'open')
      const late = Date.now() + 20_000
      while (gets.length === 0) {
        assert.ok(Date.now() < late, 'no GET in 20 s') // it may come on another connection, after the POST
        await new Promise((resolve) => setImmediate(resolve))
      }
      assert.deepEqual(gets, ['GET'])
    })
  }
}
