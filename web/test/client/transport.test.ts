// The transport for clients of the TypeScript SDKs, with the real clients of both, in Node.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Transport as ModernTransport } from '@modelcontextprotocol/client'
import { Client as ModernClient } from '@modelcontextprotocol/client'
import { Client as ClassicClient } from '@modelcontextprotocol/sdk/client/index.js'
import type { Transport as ClassicTransport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { portTransport } from '../../src/client.ts'
import type { Port } from '../../src/link.ts'
import { testPage } from '../core/page.ts'

const info = { name: 'test', version: '1.0.0' }

/** What the tests use of the clients. */
interface AnyClient {
  connect(transport: ReturnType<typeof portTransport>): Promise<void>
  readResource(params: { uri: string }): Promise<object>
  callTool(params: { name: string; arguments?: Record<string, unknown> }): Promise<object>
  listTools(): Promise<{ tools: { name: string }[] }>
  close(): Promise<void>
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
}

const clients: readonly (readonly [name: string, make: () => AnyClient])[] = [
  ['@modelcontextprotocol/sdk', () => new ClassicClient(info) as AnyClient],
  ['@modelcontextprotocol/client', () => new ModernClient(info) as AnyClient],
  [
    '@modelcontextprotocol/client, 2026-07-28',
    () => new ModernClient(info, { versionNegotiation: { mode: 'auto' } }) as AnyClient,
  ],
]

/** One end of a channel that a test holds the other end of. */
function pair(): { port: MessagePort; other: MessagePort } {
  const { port1, port2 } = new MessageChannel()
  return { port: port1, other: port2 }
}

/** The next event of a port, or of a callback. */
const next = <T>(on: (resolve: (value: T) => void) => void, what: string): Promise<T> =>
  Promise.race([
    new Promise<T>(on),
    new Promise<never>((_, reject) => {
      setTimeout(() => reject(new Error(`waited for ${what}`)), 5_000).unref()
    }),
  ])

for (const [name, make] of clients) {
  test(`${name}: connects, reads, calls, and closes`, async (t) => {
    const { mcp } = await testPage(t)
    mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
    mcp.tool('add', ({ what }) => `Added ${what}.`)
    const client = make()
    let closes = 0
    client.onclose = () => {
      closes++
    }
    await client.connect(portTransport(mcp.port()))
    const { contents } = (await client.readResource({ uri: 'notes://cart' })) as {
      contents: { text: string }[]
    }
    assert.equal(contents[0]?.text, '2 apples')
    const { content } = (await client.callTool({ name: 'add', arguments: { what: 'pears' } })) as {
      content: { text: string }[]
    }
    assert.equal(content[0]?.text, 'Added pears.')
    assert.deepEqual(
      (await client.listTools()).tools.map((tool) => tool.name),
      ['add'],
    )
    await client.close()
    assert.equal(closes, 1)
    await assert.rejects(client.readResource({ uri: 'notes://cart' }))
  })

  test(`${name}: hears why the page ends, and its pending request fails`, async (t) => {
    const { mcp } = await testPage(t)
    mcp.resource('notes://slow', { name: 'Slow' }, () => new Promise(() => {}))
    const client = make()
    const errors: string[] = []
    client.onerror = (error) => errors.push(error.message)
    await client.connect(portTransport(mcp.port()))
    const closed = next<void>((resolve) => {
      client.onclose = resolve
    }, 'onclose')
    const reading = assert.rejects(client.readResource({ uri: 'notes://slow' }))
    mcp.close()
    await closed
    await reading
    assert.deepEqual(
      errors.filter((text) => text.includes('closed the connection')),
      ['the page closed the connection: the page stopped serving'],
    )
  })
}

test('the type fits the Transport of both packages', () => {
  const { port, other } = pair()
  const made = portTransport(port)
  const classic: ClassicTransport = made
  const modern: ModernTransport = made
  assert.equal(classic, modern)
  other.close()
})

test('start, send and close in every order', async () => {
  const { port, other } = pair()
  const transport = portTransport(port)
  await assert.rejects(transport.send({ jsonrpc: '2.0', method: 'a' }), /not started/)
  await transport.start()
  await assert.rejects(transport.start(), /started before/)
  const came = next<unknown>((resolve) => {
    other.onmessage = ({ data }) => resolve(data)
  }, 'a message')
  await transport.send({ jsonrpc: '2.0', method: 'a' })
  assert.deepEqual(await came, { jsonrpc: '2.0', method: 'a' })
  await assert.rejects(transport.send({ jsonrpc: '2.0', method: 'a', params: () => {} }), {
    name: 'DataCloneError',
  })
  const last = next<unknown>((resolve) => {
    other.onmessage = ({ data }) => resolve(data)
  }, 'a last message')
  let closes = 0
  transport.onclose = () => {
    closes++
  }
  await transport.close()
  await transport.close()
  assert.deepEqual(await last, { pagemcp: 'close', reason: 'the client closed' })
  await assert.rejects(transport.send({ jsonrpc: '2.0', method: 'a' }), /closed/)
  await assert.rejects(transport.start(), /closed/)
  assert.equal(closes, 1)
  assert.equal(transport.sessionId, undefined)
})

test('a transport that never started closes its port', async () => {
  const { port, other } = pair()
  const closed = next<unknown>((resolve) => {
    other.onmessage = ({ data }) => resolve(data)
  }, 'a last message')
  await portTransport(port).close()
  assert.deepEqual(await closed, { pagemcp: 'close', reason: 'the client closed' })
})

test('messages that came before start are delivered, and others than JSON-RPC are errors', async () => {
  const { port, other } = pair()
  other.postMessage({ jsonrpc: '2.0', method: 'early' })
  for (const odd of [null, 'text', 7, {}, { jsonrpc: '1.0' }, [{ jsonrpc: '2.0' }]]) {
    other.postMessage(odd)
  }
  other.postMessage({ jsonrpc: '2.0', method: 'late' })
  const transport = portTransport(port)
  const got: unknown[] = []
  const errors: string[] = []
  transport.onerror = ({ message }) => errors.push(message)
  const all = next<void>((resolve) => {
    transport.onmessage = (message) => {
      got.push((message as { method: string }).method)
      if (got.length === 2) resolve()
    }
  }, 'two messages')
  await transport.start()
  await all
  assert.deepEqual(got, ['early', 'late'])
  assert.equal(errors.length, 6)
  await transport.close()
})

test('a channel whose other end is gone closes the transport', async () => {
  const { port, other } = pair()
  const transport = portTransport(port)
  const closed = next<void>((resolve) => {
    transport.onclose = resolve
  }, 'onclose')
  await transport.start()
  other.close()
  await closed
})

test('a port that is not a MessagePort is served the same', async () => {
  const posted: unknown[] = []
  let isClosed = false
  const port: Port & { onmessage: ((event: { data: unknown }) => void) | null } = {
    onmessage: null,
    postMessage: (message) => void posted.push(message),
    close: () => {
      isClosed = true
    },
  }
  const transport = portTransport(port)
  const got: unknown[] = []
  transport.onmessage = (message) => void got.push(message)
  await transport.start()
  port.onmessage?.({ data: { jsonrpc: '2.0', id: 1, result: {} } })
  await transport.close()
  port.onmessage?.({ data: { jsonrpc: '2.0', id: 2, result: {} } })
  assert.deepEqual(got, [{ jsonrpc: '2.0', id: 1, result: {} }])
  assert.deepEqual(posted, [{ pagemcp: 'close', reason: 'the client closed' }])
  assert.ok(isClosed)
})
