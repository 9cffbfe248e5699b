// Events of a page: what it offers and emits, as clients poll it and stream it, and what its developer learns.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf, type Message, resultOf, type TestClient } from './client.ts'
import { testPage } from './page.ts'

interface Occurrence {
  eventId: string
  name: string
  timestamp: string
  data: unknown
  cursor: string
}
interface Polled {
  events: Occurrence[]
  cursor: string
  truncated: boolean
  hasMore: boolean
  nextPollMs: number
}

const offered = { experimental: { events: true } }

async function poll(client: TestClient, name: string, cursor: string | null, more = {}) {
  return resultOf<Polled>(await client.askModern('events/poll', { name, cursor, ...more }))
}

/** The parameters of the next notification of a stream. */
async function note(client: TestClient, kind: string, from: number) {
  const found = await client.next(({ method }) => method === `notifications/events/${kind}`, from)
  return found.params as Message
}

test('an event is listed, polled, streamed and taken away', async (t) => {
  const page = await testPage(t, offered)
  const saved = page.mcp.event({
    name: 'saved',
    description: 'A note was saved.',
    inputSchema: { type: 'object', properties: { list: { type: 'string' } } },
    payloadSchema: { type: 'object', properties: { list: { type: 'string' } } },
    show: true,
  })
  await saved.emit({ list: 'before' })
  const client = page.client()
  const listed = resultOf<{ events: Message[] }>(await client.askModern('events/list'))
  assert.deepEqual(
    listed.events.map(({ name }) => name),
    ['resource_updated', 'saved'],
  )
  assert.deepEqual(listed.events[1], {
    name: 'saved',
    description: 'A note was saved.',
    _meta: { 'io.github.pagemcp/show': true },
    delivery: ['poll', 'push'],
    inputSchema: { type: 'object', properties: { list: { type: 'string' } } },
    payloadSchema: { type: 'object', properties: { list: { type: 'string' } } },
  })

  const now = await poll(client, 'saved', null)
  assert.deepEqual(now.events, [])
  const from = client.got.length
  const stream = client.askModern('events/stream', { name: 'saved', cursor: null }, 'stream')
  assert.equal((await note(client, 'active', from)).truncated, false)
  const data = { list: 'home' }
  const emitted = saved.emit(data)
  data.list = 'changed later'
  await emitted
  const event = (await note(client, 'event', from)) as unknown as Occurrence & { _meta: Message }
  assert.deepEqual(event.data, { list: 'home' })
  assert.equal(event._meta['io.modelcontextprotocol/subscriptionId'], 'stream')
  const polled = await poll(client, 'saved', now.cursor)
  assert.deepEqual(
    polled.events.map(({ data, eventId }) => [data, eventId]),
    [[{ list: 'home' }, event.eventId]],
  )
  const none = await poll(client, 'saved', now.cursor, { arguments: { list: 'work' } })
  assert.deepEqual(none.events, [])

  saved.remove()
  assert.equal(((await note(client, 'terminated', from)).error as Message).code, -32023)
  assert.equal(resultOf(await stream).resultType, 'complete')
  const gone = await client.askModern('events/poll', { name: 'saved', cursor: now.cursor })
  assert.equal(errorOf(gone).code, -32023)
  assert.deepEqual(page.errors, [])
})

test('the change of a resource is an event without further code', async (t) => {
  const page = await testPage(t, offered)
  const cart = page.mcp.resource({ uri: 'shop://cart', name: 'Cart' }, { items: 0 })
  const client = page.client()
  const start = await poll(client, 'resource_updated', null)
  for (let items = 1; items < 100; items++) cart.set({ items })
  page.mcp.changed('shop://other')
  const { events } = await poll(client, 'resource_updated', start.cursor)
  assert.deepEqual(
    events.map(({ data }) => data),
    [{ uri: 'shop://cart' }, { uri: 'shop://other' }],
  )
})

test('events are offered to other clients by option only, and to programs of this project always', async (t) => {
  const page = await testPage(t)
  page.mcp.event({ name: 'saved', description: 'A note was saved.' })
  const client = page.client()
  for (const method of ['list', 'poll', 'stream', 'subscribe']) {
    const answer = await client.askModern(`events/${method}`, { name: 'saved', cursor: null })
    assert.equal(errorOf(answer).code, -32601, method)
  }
  const meta = {
    'io.modelcontextprotocol/clientCapabilities': {
      extensions: { 'io.github.pagemcp/events': {} },
    },
  }
  const listed = resultOf<{ events: unknown[] }>(
    await client.askModern('events/list', {}, 'ours', meta),
  )
  assert.ok(listed.events.length > 0)
})

test('descriptions and data that are wrong are errors for the developer', async (t) => {
  const page = await testPage(t, offered)
  const event = (description: object) => page.mcp.event(description as never)
  for (const [description, message] of [
    [{ name: 'a b', description: 'd' }, /letters, digits/],
    [{ name: 'x'.repeat(129), description: 'd' }, /letters, digits/],
    [{ name: 'a', description: ' ' }, /needs a description/],
    [{ name: 'resource_updated', description: 'd' }, /is the event of resources/],
    [{ name: 'a', description: 'd', payloadSchema: [] }, /payloadSchema of a/],
    [{ name: 'a', description: 'd', inputSchema: { type: 'string' } }, /"type": "object"/],
  ] as const) {
    await assert.rejects(event(description).emit({}), message)
  }
  const strict = page.mcp.event({
    name: 'strict',
    description: 'd',
    payloadSchema: { type: 'object', required: ['id'] },
  })
  const any = page.mcp.event({ name: 'any', description: 'd' })
  await assert.rejects(strict.emit({ name: 'no id' }), /does not fit/)
  await assert.rejects(any.emit(undefined), /nothing that JSON can write/)
  await assert.rejects(any.emit('x'.repeat(16 << 10)), /more than 16 KiB/)
  await assert.rejects(any.emit(1n), TypeError)
  await strict.emit({ id: 1 })
  const client = page.client()
  const { events } = resultOf<{ events: Message[] }>(await client.askModern('events/list'))
  assert.deepEqual(
    events.map(({ name }) => name),
    ['resource_updated', 'strict', 'any'],
  )
  assert.deepEqual(page.errors, [])
})

test('of two registrations the latest is listed, and after its removal the other', async (t) => {
  const page = await testPage(t, offered)
  const first = page.mcp.event({ name: 'saved', description: 'first' })
  const second = page.mcp.event({ name: 'saved', description: 'second' })
  const client = page.client()
  const description = async () => {
    const { events } = resultOf<{ events: Message[] }>(await client.askModern('events/list'))
    return events[1]?.description
  }
  await second.emit(1)
  assert.equal(await description(), 'second')
  second.remove()
  await first.emit(2)
  assert.equal(await description(), 'first')
  first.remove()
  await page.mcp.event({ name: 'other', description: 'other' }).emit(3)
  assert.equal(await description(), 'other')
})

test('a new program has the same events, and says that older ones are lost', async (t) => {
  const page = await testPage(t, offered)
  const saved = page.mcp.event({ name: 'saved', description: 'd' })
  await saved.emit(1)
  const client = page.client()
  const before = await poll(client, 'saved', null)
  page.kill()
  const running = new Promise<void>((resolve) => {
    page.mcp.on('state', ({ engine }) => {
      if (engine === 'running') resolve()
    })
  })
  await client.askModern('ping') // it notices
  await running
  await saved.emit(2)
  const after = await poll(client, 'saved', before.cursor)
  assert.equal(after.truncated, true)
  assert.deepEqual(
    after.events.map(({ data }) => data),
    [2],
  )
})
