// Published values at a gateway: reads are marked once it keeps values, and each change is sent before it is announced.

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { AccessDecision } from '../../src/access-types.ts'
import { answerCall, type RegisteredCallee } from '../../src/call.ts'
import type { Ready } from '../../src/contents.ts'
import { startEngine } from '../../src/engine.ts'
import type { PublishedValues } from '../../src/engine-types.ts'
import type { ReadEvent } from '../../src/requests.ts'
import { envelope, limit, type Message } from './client.ts'
import { engineModule, goRuntime } from './load.ts'

const uri = 'notes://cart'
const published = 'io.github.pagemcp/published'
const timed = 'io.github.pagemcp/timed'
const notify = (what: string, params?: object) => ({
  jsonrpc: '2.0',
  method: `notifications/io.github.pagemcp/${what}`,
  ...(params && { params }),
})

/** An engine with a value, behind a gateway; what it has sent comes by `next`. */
async function joined(t: TestContext, callee: RegisteredCallee = {}) {
  const decided: AccessDecision[] = []
  const seen: ReadEvent[] = []
  const errors: unknown[] = []
  const provide: { of(uri: string): Ready | Promise<Ready> } = {
    of: () => ({ value: 'computed' }),
  }
  const engine = await startEngine(
    {
      name: 'test',
      version: '1',
      pageSize: 50,
      cursorKey: 'AAAAAAAAAAAAAAAAAAAAAA==',
      prompts: true,
      completions: true,
    },
    {
      module: await engineModule(),
      Go: await goRuntime(),
      provide: (_, uri) => provide.of(uri),
      call: (_, what, text, sendUpdate, signal) =>
        answerCall(callee, false, what, JSON.parse(text), sendUpdate, signal, (error) =>
          errors.push(error),
        ),
      state() {},
      read: (event) => seen.push(event),
      decided: (decision) => decided.push(decision),
      report: (error) => errors.push(error),
    },
  )
  t.after(() => engine.close())
  const register = (first: number, uri: string, ...values: PublishedValues) =>
    engine.register(first, { resources: [{ uri, name: uri }] }, values)
  register(1, uri, [0, { value: '2 apples' }])
  register(2, 'notes://computed')
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
    return { text: contents[0]?.text, mark: _meta[published], timed: _meta[timed] }
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
  /** Registers functions with a ttlMs. */
  const compute = (first: number, ...uris: string[]) => {
    const cacheHints = { ttlMs: 60_000, cacheScope: 'public' as const }
    engine.register(first, { resources: uris.map((uri) => ({ uri, name: uri, cacheHints })) })
  }
  const all = { engine, register, compute, provide, post, ask, read, next, change, nothing }
  return { ...all, decided, seen, errors }
}

test('only reads of published values are marked, for a gateway that keeps them', async (t) => {
  const { post, read } = await joined(t)
  const unmarked = { mark: undefined, timed: undefined }
  assert.deepEqual(await read(), { text: '2 apples', ...unmarked })
  post(notify('mirror'))
  assert.deepEqual(await read(), { text: '2 apples', mark: true, timed: undefined })
  assert.deepEqual(await read('notes://computed'), { text: 'computed', ...unmarked })
})

/** Does something while the clock shows this time, however long it takes. */
function frozen(t: TestContext, time: number, act: () => void): void {
  const clock = t.mock.method(performance, 'now', () => time)
  act()
  clock.mock.restore()
}

test('a value comes before the update, and at most once in a while', async (t) => {
  const { engine, post, ask, read, next, change, nothing } = await joined(t)
  post(notify('mirror'))
  engine.publish(1, uri, { value: '3 apples' })
  nothing() // the gateway has never read it
  const notifications = { resourceSubscriptions: [uri] }
  assert.match(JSON.stringify(await ask('subscriptions/listen', { notifications })), /acknowledged/)
  await read()
  const now = performance.now()
  const publish = (...values: string[]) =>
    frozen(t, now, () => {
      for (const value of values) engine.publish(1, uri, { value })
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
  const { engine, post, read, next, change, nothing } = await joined(t)
  const { mirror } = engine.clients
  mirror.sleep(false)
  nothing()
  post(notify('mirror'))
  await read()
  frozen(t, performance.now(), () => {
    for (const value of ['3 apples', '4 apples']) engine.publish(1, uri, { value })
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
  const { engine, post, read, change } = await joined(t)
  post(notify('mirror'))
  for (let apples = 0; apples < 20; apples++) {
    await read()
    engine.publish(1, uri, { value: `${apples} more` })
    assert.deepEqual(await change(), [uri, `${apples} more`])
  }
})

test('what is withdrawn, hidden or too large is dropped at once', async (t) => {
  const { engine, register, post, read, change, nothing } = await joined(t)
  post(notify('mirror'))
  await read()
  engine.publish(1, uri, { value: 'x'.repeat(70_000) })
  assert.deepEqual(await change(), [uri])
  assert.equal((await read()).mark, undefined)
  engine.publish(1, uri, { value: 'small' })
  assert.deepEqual(await change(), [uri, 'small'])
  register(3, uri, [0, { value: 'another' }])
  assert.deepEqual(await change(), [undefined], 'another registration has the URI')
  assert.deepEqual(await read(), { text: 'another', mark: true, timed: undefined })
  engine.unregister(1)
  engine.publish(1, uri, { value: 'late' })
  nothing()
  engine.unregister(3)
  assert.deepEqual(await change(), [uri])
  register(4, uri, [0, { value: 'again' }])
  await read()
  engine.mount(1, 'notes', 0, { list: async () => ({ resources: [] }), read: async () => [] })
  assert.deepEqual(await change(), [undefined], 'a source may have it')
  await read()
  engine.publish(4, uri, undefined)
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
  assert.deepEqual(seen, Array(2).fill({ uri, client: 'gateway' }))
  assert.equal(errors.length, 1)
})

test('completions that a gateway has answered are in the audit, and are not shown as reads', async (t) => {
  const { engine, post, decided, seen, errors } = await joined(t)
  engine.clients.watchReads(true)
  const one = {
    assistant: 'claude',
    uri: 'trip',
    method: 'completion/complete',
    count: 2,
    bytes: 9,
  }
  post(notify('served', { reads: [{ ...one, reason: 'grant' }] }))
  const { uri: what, ...rest } = one
  assert.deepEqual(decided, [{ ...rest, what, right: 'read', ms: 0, reason: 'grant', allow: true }])
  assert.deepEqual([seen, errors], [[], []])
})

test('a completion from a list is marked, until what is registered changes', async (t) => {
  const values = ['Rome', 'Oslo']
  const completions = { to: values, from: () => values }
  const { engine, ask, next, nothing } = await joined(t, { completions })
  const prompt = {
    name: 'trip',
    arguments: [{ name: 'to' }, { name: 'from' }],
    completes: ['to', 'from'],
  }
  engine.register(7, { prompts: [prompt] })
  const complete = async (argument: string, value = 'o') => {
    const ref = { type: 'ref/prompt', name: 'trip' }
    const { result } = await ask('completion/complete', {
      ref,
      argument: { name: argument, value },
    })
    const { completion, _meta } = result as { completion: { values: string[] }; _meta: Message }
    return [completion.values, _meta[published]]
  }
  assert.deepEqual(await complete('from'), [values, undefined])
  nothing()
  const dropped = notify('value', { completions: true })
  const changes = [
    () => engine.register(8, { prompts: [prompt] }),
    () => engine.unregister(8),
    () => engine.register(9, { templates: [{ uriTemplate: 'a://{b}', name: 'a' }] }),
    () => engine.unregister(9),
    () =>
      engine.mount(1, 'more+', 0, { list: async () => ({ resources: [] }), read: async () => [] }),
    () => engine.unmount(1),
  ]
  for (const change of changes) {
    assert.deepEqual(await complete('to'), [['Oslo', 'Rome'], true])
    change()
    assert.deepEqual(await next(), dropped)
  }
  nothing()
  const notifications = { promptsListChanged: true }
  assert.match(JSON.stringify(await ask('subscriptions/listen', { notifications })), /acknowledged/)
  while ((await complete('to'))[1] !== true); // what was changed before may still be announced
  engine.register(10, { prompts: [prompt] })
  const isList = ({ method }: { method?: string }) => method?.endsWith('prompts/list_changed')
  let first = await next()
  while (isList(first)) first = await next() // of the changes before
  assert.deepEqual(first, dropped, 'before the list is announced')
  assert.ok(isList(await next()))
})

const late = (value: string) => new Promise<Ready>((resolve) => setImmediate(resolve, { value }))

for (const mode of ['at once', 'late'] as const) {
  test(`the result of a function with a ttlMs that answers ${mode} is marked, until a change`, async (t) => {
    const { engine, compute, provide, post, read, change, nothing } = await joined(t)
    if (mode === 'late') provide.of = () => late('computed')
    compute(5, 'notes://a', 'notes://b')
    assert.deepEqual((await read('notes://a')).timed, undefined, 'the gateway keeps nothing')
    engine.changed(0, 'notes://a')
    post(notify('mirror'))
    assert.deepEqual(await read('notes://a'), { text: 'computed', mark: undefined, timed: true })
    assert.equal((await read('notes://a')).timed, true, 'for another assistant')
    assert.equal((await read('notes://b')).timed, true)
    engine.changed(0, 'notes://a')
    engine.changed(0, 'notes://a')
    engine.changed(0, 'notes://other')
    assert.deepEqual(await change(), ['notes://a'])
    nothing()
    assert.equal((await read('notes://a')).timed, true)
    engine.unregister(5)
    assert.deepEqual(await change(), ['notes://b'])
    assert.deepEqual(await change(), ['notes://a'])
    nothing()
  })
}

test('a result from before a change is not marked, also if it comes after it', async (t) => {
  const { engine, compute, provide, post, ask, next, nothing } = await joined(t)
  post(notify('mirror'))
  compute(5, 'notes://a')
  const changes = [
    () => engine.changed(0, 'notes://a'),
    () => compute(6, 'notes://a'),
    () => engine.unregister(6),
    () => engine.register(7, { templates: [{ uriTemplate: 'notes://{id}', name: 'notes' }] }),
    () =>
      engine.mount(1, 'notes', 0, { list: async () => ({ resources: [] }), read: async () => [] }),
  ]
  for (const [i, change] of changes.entries()) {
    provide.of = () => {
      setImmediate(change)
      return late('old') // resolves after the change
    }
    let answer = await ask('resources/read', { uri: 'notes://a' })
    if (answer.result === undefined) answer = await next() // after the notification that drops all
    const text = JSON.stringify(answer.result)
    assert.match(text, /"text":"old"/, `${i}`)
    assert.doesNotMatch(text, /pagemcp\/(timed|published)/, `${i}`)
  }
  nothing()
})

test('a resource that a template had, one without content and a large one are not kept', async (t) => {
  const { engine, compute, provide, post, ask, read, next, change, nothing } = await joined(t)
  post(notify('mirror'))
  const cacheHints = { ttlMs: 60_000 }
  const templates = [{ uriTemplate: 'notes://{id}', name: 'notes', cacheHints }]
  engine.register(5, { templates })
  assert.equal((await read('notes://a')).timed, true)
  assert.equal((await read('notes://b')).timed, true)
  const spelled = await read('notes://%62')
  assert.equal(spelled.text, 'computed')
  assert.equal(spelled.timed, undefined, 'a change of notes://b would not end it')
  const notifications = { resourceSubscriptions: ['notes://a'] }
  await ask('subscriptions/listen', { notifications })
  engine.changed(0, 'notes://a')
  assert.deepEqual(await change(), ['notes://a'])
  assert.equal((await next()).method, 'notifications/resources/updated')
  compute(6, 'notes://b')
  assert.deepEqual(await change(), ['notes://b'])
  provide.of = () => ({ value: 'x'.repeat(70_000) })
  assert.equal((await read('notes://b')).timed, undefined)
  provide.of = () => Promise.reject(new Error('no'))
  assert.match(JSON.stringify(await ask('resources/read', { uri: 'notes://b' })), /-32603/)
  engine.changed(0, 'notes://b')
  nothing()
})

test('of many results the gateway loses the oldest', async (t) => {
  const { engine, post, ask, read, next, change, nothing } = await joined(t)
  post(notify('mirror'))
  engine.register(5, {
    templates: [{ uriTemplate: 'notes://{id}', name: 'notes', cacheHints: { ttlMs: 60_000 } }],
  })
  for (let id = 0; id < 4096; id++) assert.equal((await read(`notes://${id}`)).timed, true)
  nothing()
  const reading = ask('resources/read', { uri: 'notes://more' })
  assert.equal((await reading).method, 'notifications/io.github.pagemcp/value')
  assert.match(JSON.stringify(await next()), /pagemcp\/timed/)
  nothing()
  engine.changed(0, 'notes://0')
  nothing()
  engine.changed(0, 'notes://1')
  assert.deepEqual(await change(), ['notes://1'])
})
