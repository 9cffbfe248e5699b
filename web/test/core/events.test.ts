// Events of a page: resources with lines of JSON, whose changes are announced, and what their developer learns.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { envelope, errorOf, resultOf, type TestClient } from '../harness/client.ts'
import { testPage } from './page.ts'

interface Occurrence {
  number: number
  time: string
  data?: unknown
}

async function read(client: TestClient, uri: string): Promise<Occurrence[]> {
  const { contents } = resultOf<{ contents: { text: string; mimeType: string }[] }>(
    await client.askModern('resources/read', { uri }),
  )
  assert.equal(contents[0]?.mimeType, 'application/jsonl')
  const lines = String(contents[0]?.text).split('\n')
  assert.equal(lines.pop(), '')
  return lines.map((line) => JSON.parse(line))
}

test('an event is a resource of its numbered occurrences, and announces each', async (t) => {
  const page = await testPage(t)
  const saved = page.mcp.event<{ list: string }>('note saved/1', {
    title: 'Saved',
    description: 'A note was saved.',
    show: true,
  })
  const uri = 'event:///note%20saved%2F1'
  const client = page.client()
  const { resources } = resultOf<{ resources: object[] }>(await client.askModern('resources/list'))
  assert.deepEqual(resources, [
    {
      uri,
      name: 'note saved/1',
      title: 'Saved',
      description: 'A note was saved.',
      mimeType: 'application/jsonl',
      _meta: { 'io.github.pagemcp/show': true },
    },
  ])
  assert.deepEqual(await read(client, uri), [])

  const from = client.got.length
  const notifications = { resourceSubscriptions: [uri] }
  client.post({
    jsonrpc: '2.0',
    id: 'listen',
    method: 'subscriptions/listen',
    params: { _meta: envelope, notifications },
  })
  await client.next(({ method }) => method === 'notifications/subscriptions/acknowledged', from)
  const data = { list: 'home' }
  saved.emit(data)
  data.list = 'changed later'
  const updated = await client.next(
    ({ method }) => method === 'notifications/resources/updated',
    from,
  )
  assert.equal((updated.params as { uri: string }).uri, uri)
  saved.emit()
  const occurrences = await read(client, uri)
  assert.deepEqual(
    occurrences.map(({ number, data }) => [number, data]),
    [
      [1, { list: 'home' }],
      [2, undefined],
    ],
  )
  for (const { time } of occurrences) assert.equal(new Date(time).toISOString(), time)

  saved()
  const gone = await client.askModern('resources/read', { uri })
  assert.equal(errorOf(gone).code, -32602)
  assert.deepEqual(page.errors, [])
})

test('the last 100 occurrences are kept, and at most 64 KiB', async (t) => {
  const page = await testPage(t)
  const many = page.mcp.event('many', { description: 'd' })
  const large = page.mcp.event('large', { description: 'd' })
  for (let i = 1; i <= 250; i++) many.emit(i)
  for (let i = 1; i <= 10; i++) large.emit('ü'.repeat(5_000)) // 10,000 bytes
  const client = page.client()
  const numbers = async (uri: string) => (await read(client, uri)).map(({ number }) => number)
  assert.deepEqual(
    await numbers('event:///many'),
    Array.from({ length: 100 }, (_, i) => i + 151),
  )
  assert.deepEqual(await numbers('event:///large'), [5, 6, 7, 8, 9, 10])
})

test('registrations of one name share their occurrences, also over a restart of the engine', async (t) => {
  const page = await testPage(t)
  const first = page.mcp.event('saved', { description: 'first' })
  const second = page.mcp.event('saved', { description: 'second' })
  first.emit(1)
  second.emit(2)
  second()
  await page.kill()
  const client = page.client()
  first.emit(3)
  assert.deepEqual(
    (await read(client, 'event:///saved')).map(({ number, data }) => [number, data]),
    [
      [1, 1],
      [2, 2],
      [3, 3],
    ],
  )
})

test('descriptions and data that are wrong are errors for the developer', async (t) => {
  const page = await testPage(t)
  for (const name of ['', { name: 'a' }]) {
    assert.throws(() => page.mcp.event(name as never), /needs a name/)
  }
  const any = page.mcp.event('any', { description: 'd' })
  for (const [data, message] of [
    [() => {}, /nothing that JSON can write/],
    ['x'.repeat(16 << 10), /more than 16 KiB/],
    [1n, TypeError],
  ] as const) {
    assert.throws(() => any.emit(data), message)
  }
  assert.deepEqual(await read(page.client(), 'event:///any'), [])
})
