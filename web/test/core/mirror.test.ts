// Published values at a gateway: reads are marked once it keeps values, and each change is sent before it is announced.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { ReadEvent } from '../../src/clients.ts'
import type { Ready } from '../../src/contents.ts'
import { startEngine } from '../../src/engine.ts'
import type { AccessDecision } from '../../src/page-access.ts'
import { registry } from '../../src/registry.ts'
import { envelope, limit, type Message } from '../harness/client.ts'
import { engineModule, goRuntime } from './load.ts'

const uri = 'notes://cart'
const published = 'io.github.pagemcp/published'
const notify = (what: string, params?: object) => ({
  jsonrpc: '2.0',
  method: `notifications/io.github.pagemcp/${what}`,
  ...(params && { params }),
})

/** An engine with a value, behind a gateway; what it has sent comes by `next`. */
async function joined(t: TestContext) {
  const decided: AccessDecision[] = []
  const seen: ReadEvent[] = []
  const errors: unknown[] = []
  const engine = await startEngine(
    {
      name: 'test',
      version: '1',
      pageSize: 50,
      prompts: true,
      completions: true,
    },
    {
      module: await engineModule(),
      Go: await goRuntime(),
      provide: () => ({ value: 'computed' }),
      call: () => assert.fail('nothing is called'),
      read: (event) => seen.push(event),
      decided: (decision) => decided.push(decision),
      report: (error) => errors.push(error),
    },
  )
  t.after(() => engine.close())
  const registered = registry({
    apply: (change) => engine.apply(change),
    publish: ({ ref, uri, ready, isServed }) => engine.publish(ref, uri, ready, isServed),
  })
  const register = (uri: string, ready?: Ready) =>
    registered.add({ resources: [{ uri, name: uri }] }, [ready ? { value: { ready } } : {}], false)
  register(uri, { value: '2 apples' })
  register('notes://computed')
  const got: Message[] = []
  let wake = () => {}
  const channel = {
    send(text: string) {
      got.push(JSON.parse(text))
      wake()
    },
    lost() {},
  }
  const client = engine.clients.openText(channel, 'gateway')
  const post = (message: object) => client.receive(JSON.stringify(message))
  let at = 0
  /** The next message of the page. */
  const next = async () => {
    if (at === got.length) {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error('no message came')), limit)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return got[at++] as { method?: string; params?: Message; result?: Message }
  }
  const ask = async (method: string, params: object) => {
    post({ jsonrpc: '2.0', id: at, method, params: { _meta: envelope, ...params } })
    let message = await next()
    while (message.method?.endsWith('list_changed')) message = await next()
    return message
  }
  const read = async (of = uri) => {
    const { result } = await ask('resources/read', { uri: of })
    const { contents, _meta } = result as {
      contents: { text: string }[]
      _meta: Record<string, unknown>
    }
    return { text: contents[0]?.text, mark: _meta[published] }
  }
  /** What the page has sent about values: the URI, and the text or nothing. */
  const change = async () => {
    const { method, params } = await next()
    assert.equal(method, 'notifications/io.github.pagemcp/value')
    const { uri, result } = params as { uri?: string; result?: Message }
    if (result === undefined) return [uri]
    assert.equal((result._meta as Message)[published], true)
    return [uri, (result.contents as { text: string }[])[0]?.text]
  }
  const nothing = () => assert.deepEqual(got.slice(at), [])
  const all = { engine, registered, register, post, ask, read, next, change, nothing }
  return { ...all, decided, seen, errors }
}

test('only reads of published values are marked, for a gateway that keeps them', async (t) => {
  const { post, read } = await joined(t)
  assert.deepEqual(await read(), { text: '2 apples', mark: undefined })
  post(notify('mirror'))
  assert.deepEqual(await read(), { text: '2 apples', mark: true })
  assert.deepEqual(await read('notes://computed'), { text: 'computed', mark: undefined })
})

/** Does something while the clock shows this time, however long it takes. */
function frozen(t: TestContext, time: number, act: () => void): void {
  const clock = t.mock.method(performance, 'now', () => time)
  act()
  clock.mock.restore()
}

test('a value comes before the update, and at most once in a while', async (t) => {
  const { registered, post, ask, read, next, change, nothing } = await joined(t)
  post(notify('mirror'))
  registered.set(1, uri, { value: '3 apples' })
  nothing() // the gateway has never read it
  const notifications = { resourceSubscriptions: [uri] }
  assert.match(JSON.stringify(await ask('subscriptions/listen', { notifications })), /acknowledged/)
  await read()
  const now = performance.now()
  const publish = (...values: string[]) =>
    frozen(t, now, () => {
      for (const value of values) registered.set(1, uri, { value })
    })
  publish('4 apples')
  assert.deepEqual(await change(), [uri, '4 apples'])
  assert.equal((await next()).method, 'notifications/resources/updated')
  publish('5 apples', '6 apples', '7 apples')
  assert.deepEqual(await change(), [uri], 'the old one is not valid any more')
  let last = await next()
  while (last.method === 'notifications/resources/updated') last = await next()
  assert.match(JSON.stringify(last), /"text":"7 apples"/)
})

test('a page that is stopped sends what waits, and says so once', async (t) => {
  const { engine, registered, post, read, next, change, nothing } = await joined(t)
  const { mirror } = engine.clients
  mirror.sleep(false)
  nothing()
  post(notify('mirror'))
  await read()
  frozen(t, performance.now(), () => {
    for (const value of ['3 apples', '4 apples']) registered.set(1, uri, { value })
  })
  assert.deepEqual(await change(), [uri, '3 apples'])
  assert.deepEqual(await change(), [uri])
  for (const asleep of [true, true, false, false]) mirror.sleep(asleep)
  assert.deepEqual(await change(), [uri, '4 apples'])
  assert.deepEqual(await next(), notify('asleep', { asleep: true }))
  assert.deepEqual(await next(), notify('asleep', { asleep: false }))
  nothing()
})

test('a read ends the pause between two values', async (t) => {
  const { registered, post, read, change } = await joined(t)
  post(notify('mirror'))
  for (let apples = 0; apples < 20; apples++) {
    await read()
    registered.set(1, uri, { value: `${apples} more` })
    assert.deepEqual(await change(), [uri, `${apples} more`])
  }
})

test('what is withdrawn, hidden or too large is dropped at once', async (t) => {
  const { engine, registered, register, post, read, change, nothing } = await joined(t)
  post(notify('mirror'))
  await read()
  registered.set(1, uri, { value: 'x'.repeat(70_000) })
  assert.deepEqual(await change(), [uri])
  assert.equal((await read()).mark, undefined)
  registered.set(1, uri, { value: 'small' })
  assert.deepEqual(await change(), [uri, 'small'])
  register(uri, { value: 'another' })
  assert.deepEqual(await change(), [undefined], 'another registration has the URI')
  assert.deepEqual(await read(), { text: 'another', mark: true })
  registered.remove(1)
  registered.set(1, uri, { value: 'late' })
  nothing()
  registered.remove(3)
  assert.deepEqual(await change(), [uri])
  register(uri, { value: 'again' })
  await read()
  engine.mount(1, 'notes', 0, { list: async () => ({ resources: [] }), read: async () => [] })
  assert.deepEqual(await change(), [undefined], 'a source may have it')
  await read()
  registered.set(4, uri, undefined)
  assert.deepEqual(await change(), [uri], 'it has no content')
})

test('reads that a gateway has answered are in the audit, and are shown', async (t) => {
  const { engine, post, decided, seen, errors } = await joined(t)
  engine.clients.watchReads(true)
  const one = { assistant: 'claude', callsItself: 'Desktop', uri, count: 3, bytes: 8 }
  post(notify('served', { reads: [{ ...one, reason: 'grant' }, one] }))
  post(notify('served', { reads: 7 }))
  const { uri: what, ...read } = one
  const decision = { right: 'read', method: 'resources/read', ms: 0, reason: 'grant', allow: true }
  assert.deepEqual(decided, [{ ...read, what, ...decision }])
  assert.deepEqual(seen, Array(2).fill({ uri, assistant: 'claude' }))
  assert.equal(errors.length, 1)
})

test('the page hears which assistant has read through a gateway', async (t) => {
  const { engine, ask, seen } = await joined(t)
  engine.clients.watchReads(true)
  for (const name of ['claude', 'token', 'page', 'https://a.example', undefined]) {
    const named = name !== undefined && { 'io.github.pagemcp/principal': name }
    await ask('resources/read', { uri, _meta: { ...envelope, ...named } })
  }
  assert.deepEqual(
    seen.map(({ assistant }) => assistant),
    ['claude', ...Array(4).fill('unnamed')],
  )
})
