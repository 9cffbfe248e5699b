// Every message of the extension for events, from both ends: pages in browsers, a gateway, and a client that was written from
// the table of the draft alone.

import assert from 'node:assert/strict'
import type { EventsClient } from './client.ts'
import { type App, emit, inWorlds as inWorldsOf, join, useApp, type World } from './world.ts'

const site = useApp()
const inWorlds = (behaviour: string, run: (world: World) => Promise<void>, timeout?: number) =>
  inWorldsOf(site, behaviour, run, timeout)

/** The data of what is behind a cursor, and the next cursor, once there is something. */
async function polled(own: EventsClient, name: string, cursor: string, args: object = {}) {
  const deadline = AbortSignal.timeout(20_000)
  for (;;) {
    const answer = await own.poll({ name, cursor, arguments: args })
    if (answer.events.length > 0 || answer.truncated) return answer
    deadline.throwIfAborted()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

inWorlds('events are declared and listed with all members', async ({ name, client }) => {
  const own = client()
  const { capabilities } = (await own.discover()) as {
    capabilities: { extensions: Record<string, unknown> }
  }
  assert.deepEqual(capabilities.extensions['io.modelcontextprotocol/events'], { listChanged: true })
  const { events, nextCursor } = await own.list()
  assert.equal(nextCursor, undefined)
  for (const event of events) {
    const { _meta, ...members } = event as typeof event & { _meta?: unknown }
    assert.deepEqual(Object.keys(members).sort(), [
      'delivery',
      'description',
      'inputSchema',
      'name',
      'payloadSchema',
    ])
    assert.deepEqual(event.delivery, ['poll', 'push'])
  }
  const names = events.map((event) => event.name)
  for (const one of ['resource_updated', `${name}.saved`, `${name}.kept`]) {
    assert.equal(names.filter((other) => other === one).length, 1, one)
  }
  const alone = (await client(`/${name}`).list()).events.map((event) => event.name)
  assert.deepEqual(alone, ['resource_updated', 'saved', 'kept'])
})

inWorlds('a poll answers with what is behind its cursor', async ({ tab, name, client }) => {
  const own = client()
  const event = `${name}.saved`
  await emit(tab, 'saved', { id: 0 })
  const now = await own.poll({ name: event, cursor: null })
  assert.deepEqual(
    Object.keys(now)
      .filter((key) => key !== '_meta')
      .sort(),
    ['cursor', 'events', 'hasMore', 'nextPollMs', 'resultType', 'truncated'],
  )
  assert.deepEqual([now.events, now.truncated, now.hasMore], [[], false, false])
  for (const id of [1, 2, 3]) await emit(tab, 'saved', { id, list: id === 2 ? 'home' : 'work' })
  const first = await polled(own, event, now.cursor)
  const [one] = first.events
  assert.equal(one?.name, event)
  assert.match(String(one?.timestamp), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
  const capped = await own.poll({ name: event, cursor: now.cursor, maxEvents: 1 })
  assert.deepEqual([capped.events.length, capped.hasMore, capped.nextPollMs], [1, true, 0])
  const rest = await own.poll({ name: event, cursor: capped.cursor })
  assert.deepEqual(
    rest.events.map(({ data }) => (data as { id: number }).id),
    [2, 3],
  )
  const ids = [...capped.events, ...rest.events].map(({ eventId }) => eventId)
  assert.equal(new Set(ids).size, 3)
  const behind = await own.poll({ name: event, cursor: rest.events[0]?.cursor as string })
  assert.deepEqual(
    behind.events.map(({ eventId }) => eventId),
    [ids[2]],
  )
  const selected = await own.poll({ name: event, cursor: now.cursor, arguments: { list: 'home' } })
  assert.deepEqual(
    selected.events.map(({ eventId }) => eventId),
    [ids[1]],
  )
  const young = await own.poll({ name: event, cursor: now.cursor, maxAgeMs: 3_600_000 })
  assert.equal(young.events.length, 3)
})

inWorlds('requests that are wrong have the errors of the draft', async ({ name, client }) => {
  const own = client()
  const event = `${name}.saved`
  for (const [method, params, code] of [
    ['events/poll', { cursor: null }, -32602],
    ['events/poll', { name: event, cursor: 'made up' }, -32602],
    ['events/poll', { name: event, cursor: null, arguments: { other: 1 } }, -32602],
    ['events/poll', { name: event, cursor: null, maxEvents: -1 }, -32602],
    ['events/poll', { name: `${name}.none`, cursor: null }, -32023],
    ['events/stream', { name: `${name}.none`, cursor: null }, -32023],
    ['events/stream', { name: 'none', cursor: null }, -32023],
    ['events/subscribe', { name: event, cursor: null, delivery: {} }, -32601],
    ['events/unsubscribe', { id: 'x' }, -32601],
  ] as const) {
    const error = await own.error(method, params)
    assert.equal(error.code, code, `${method} ${JSON.stringify(params)}: ${error.message}`)
    if (code === -32023) assert.equal(error.data?.kind, 'event')
  }
})

inWorlds(
  'a stream has each event, and says when the page is away and back',
  async ({ tab, name, client, gateway }) => {
    const own = client()
    const stream = await own.stream({ name: `${name}.saved`, cursor: null })
    const first = await stream.find(() => true)
    assert.deepEqual([first.kind, first.params.truncated], ['active', false])
    const times: number[] = []
    for (let id = 1; id <= 20; id++) {
      const began = performance.now()
      await emit(tab, 'saved', { id })
      const { data, eventId } = await stream.next('event')
      times.push(performance.now() - began)
      assert.deepEqual([(data as { id: number }).id, typeof eventId], [id, 'string'])
    }
    times.sort((a, b) => a - b)
    assert.ok((times[10] ?? Infinity) < 1_000, `p50 ${times[10]} ms`)
    await tab.reload()
    const away = await stream.next('error')
    assert.equal(typeof (away.error as { message: string }).message, 'string')
    await join(tab, gateway)
    const back = await stream.next('active')
    assert.equal(back.truncated, true)
    await emit(tab, 'saved', { id: 99 })
    assert.deepEqual((await stream.next('event')).data, { id: 99 })
    stream.close()
  },
)

inWorlds(
  'the list of events announces its changes, and a stream the end of its event',
  async ({ tab, name, client }) => {
    const own = client()
    const lists = await own.listen({ eventsListChanged: true })
    const acknowledged = await lists.next('subscriptions/acknowledged')
    assert.deepEqual(acknowledged.notifications, { eventsListChanged: true })
    const stream = await own.stream({ name: `${name}.saved`, cursor: null })
    await stream.next('active')
    await tab.evaluate(() => (window as never as App).events.saved?.remove())
    const { error } = await stream.next('terminated')
    assert.equal((error as { code: number }).code, -32023)
    assert.equal((await stream.result()).resultType, 'complete')
    await lists.next('list_changed')
    const names = (await own.list()).events.map((event) => event.name)
    assert.ok(!names.includes(`${name}.saved`))
    lists.close()
  },
)

inWorlds('the change of a resource is an event with its URI', async ({ tab, name, client }) => {
  const own = client()
  const uri = `${name}+notes://cart`
  const start = await own.poll({ name: 'resource_updated', arguments: { uri }, cursor: null })
  const all = await own.stream({ name: 'resource_updated', cursor: null })
  await all.next('active')
  await tab.evaluate(() => {
    for (let i = 0; i < 1000; i++) (window as never as App).put(1)
  })
  const { data } = (
    await all.find(
      (kind, params) => kind === 'event' && (params.data as { uri: string }).uri === uri,
      `the event of ${uri}`,
    )
  ).params
  assert.deepEqual(data, { uri })
  const { events, truncated } = await polled(own, 'resource_updated', start.cursor, { uri })
  assert.deepEqual([events.map((event) => event.data), truncated], [[{ uri }], false])
  const hidden = await own.error('events/poll', {
    name: 'resource_updated',
    arguments: { uri: ['not a uri'] },
    cursor: null,
  })
  assert.deepEqual([hidden.code, hidden.data], [-32023, { kind: 'resource', names: ['not a uri'] }])
  all.close()
})

inWorlds(
  'a heartbeat comes at least every 30 s',
  async ({ name, client }) => {
    const stream = await client().stream({ name: `${name}.saved`, cursor: null })
    await stream.next('active')
    const began = performance.now()
    const { cursor } = await stream.next('heartbeat')
    assert.equal(typeof cursor, 'string')
    assert.ok(performance.now() - began <= 30_000)
    stream.close()
  },
  90_000,
)

inWorlds(
  'what is kept outlives a reload; what is not is said to be lost',
  async ({ tab, name, client, gateway }) => {
    const own = client()
    const kept = await own.poll({ name: `${name}.kept`, cursor: null })
    const saved = await own.poll({ name: `${name}.saved`, cursor: null })
    await emit(tab, 'kept', { text: 'before' })
    await emit(tab, 'saved', { id: 1 })
    const before = await polled(own, `${name}.kept`, kept.cursor)
    await tab.waitForFunction(async () => {
      const opening = indexedDB.open('pagemcp')
      const database = await new Promise<IDBDatabase>((resolve) => {
        opening.onsuccess = () => resolve(opening.result)
      })
      const counting = database.transaction('events').objectStore('events').count()
      const count = await new Promise<number>((resolve) => {
        counting.onsuccess = () => resolve(counting.result)
      })
      database.close()
      return count >= 2 // the ring and the event
    })
    await tab.reload()
    await join(tab, gateway)
    await emit(tab, 'kept', { text: 'after' })
    const after = await polled(own, `${name}.kept`, kept.cursor)
    const texts = (answer: typeof after) =>
      answer.events.map(({ data }) => (data as { text: string }).text)
    if (texts(after).length < 2) {
      const rest = await polled(own, `${name}.kept`, after.cursor)
      assert.deepEqual([...texts(after), ...texts(rest)], ['before', 'after'])
    } else {
      assert.deepEqual(texts(after), ['before', 'after'])
    }
    assert.equal(after.truncated, false)
    assert.equal(after.events[0]?.eventId, before.events[0]?.eventId)
    const behind = await polled(own, `${name}.kept`, before.cursor)
    assert.deepEqual(texts(behind), ['after'])
    assert.equal((await polled(own, `${name}.saved`, saved.cursor)).truncated, true)
  },
)

inWorlds('a page joins with its events, also if their code loads late', async (world) => {
  const { tab, name, client, gateway } = world
  const stream = await client().stream({ name: `${name}.saved`, cursor: null })
  await stream.next('active')
  await tab.setRequestInterception(true)
  tab.on('request', (request) => {
    const isOfEvents = new URL(request.url()).pathname === '/pagemcp/events.js'
    setTimeout(() => void request.continue(), isOfEvents ? 500 : 0)
  })
  await tab.reload()
  await join(tab, gateway)
  await client().poll({ name: `${name}.saved`, cursor: null })
  await stream.next('active') // it has not ended
  stream.close()
})

inWorlds('a gateway that is killed loses nothing', async ({ tab, name, client, restart }) => {
  const event = `${name}.saved`
  const { cursor } = await client().poll({ name: event, cursor: null })
  await emit(tab, 'saved', { id: 1 })
  const first = await polled(client(), event, cursor)
  await restart(() => emit(tab, 'saved', { id: 2 }))
  await emit(tab, 'saved', { id: 3 })
  const seen: number[] = []
  let at = first.cursor
  const deadline = AbortSignal.timeout(60_000)
  while (seen.length < 2) {
    deadline.throwIfAborted()
    const answer = await client()
      .poll({ name: event, cursor: at })
      .catch(() => undefined) // the page has not joined again
    if (answer === undefined) continue
    assert.equal(answer.truncated, false)
    at = answer.cursor
    seen.push(...answer.events.map(({ data }) => (data as { id: number }).id))
  }
  assert.deepEqual(seen, [2, 3])
})
