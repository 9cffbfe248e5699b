// The host's side of MCP Apps without a browser: the handshake, what an app may request, and the policy of its document.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HostOptions, hostApp, type Question } from '../../../playground/apps/host.ts'
import { needsOf, withPolicy } from '../../../playground/apps/policy.ts'
import type { Params } from '../../../playground/protocol/revisions.ts'

interface Stage {
  host: ReturnType<typeof hostApp>
  posted: Params[]
  requested: string[]
  asked: Question[]
  opened: string[]
  said: string[]
  heights: number[]
  /** Sends a request, and returns its response. */
  request(method: string, params?: unknown, id?: unknown): Promise<Params>
}

function stage(more: Partial<HostOptions> = {}, allows = true): Stage {
  const one: Omit<Stage, 'host' | 'request'> = {
    posted: [],
    requested: [],
    asked: [],
    opened: [],
    said: [],
    heights: [],
  }
  let look = () => {}
  const host = hostApp({
    post(text) {
      one.posted.push(JSON.parse(text))
      look()
    },
    async request(method, params) {
      one.requested.push(`${method} ${JSON.stringify(params)}`)
      return { row: 0, result: { contents: [] } }
    },
    async ask(question) {
      one.asked.push(question)
      return allows
    },
    open: (url) => void one.opened.push(url),
    said: (text) => void one.said.push(text),
    resized: (height) => void one.heights.push(height),
    note() {},
    ended() {},
    tools: () => [{ name: 'save' }, { name: 'secret', _meta: { ui: { visibility: ['model'] } } }],
    context: { theme: 'dark', locale: 'de' },
    call: undefined,
    ...more,
  })
  return {
    ...one,
    host,
    async request(method, params = {}, id = 7) {
      host.receive(JSON.stringify({ jsonrpc: '2.0', id, method, params }))
      const answer = () => one.posted.find((message) => message.id === id && !('method' in message))
      while (!answer())
        await new Promise<void>((resolve) => {
          look = resolve
        })
      const found = answer() as Params
      one.posted.splice(one.posted.indexOf(found), 1)
      return found
    },
  }
}

const notify = (host: Stage['host'], method: string, params: unknown = {}) =>
  host.receive(JSON.stringify({ jsonrpc: '2.0', method, params }))

test('the handshake: context, then the arguments and the result of the call, once', async () => {
  const call = { id: 3, tool: { name: 'save' }, arguments: { a: 1 }, result: { content: [] } }
  const { host, posted, request } = stage({ call })
  const { result } = (await request('ui/initialize')) as { result: Params }
  assert.equal(result.protocolVersion, '2026-01-26')
  const { theme, locale, toolInfo } = result.hostContext as Params
  assert.deepEqual(
    { theme, locale, toolInfo },
    { theme: 'dark', locale: 'de', toolInfo: { id: 3, tool: { name: 'save' } } },
  )
  assert.deepEqual(posted, [])
  notify(host, 'ui/notifications/initialized')
  notify(host, 'ui/notifications/initialized')
  assert.deepEqual(
    posted.map(({ method, params }) => [method, params]),
    [
      ['ui/notifications/tool-input', { arguments: { a: 1 } }],
      ['ui/notifications/tool-result', { content: [] }],
    ],
  )
  host.changed({ theme: 'light' })
  assert.deepEqual((posted.at(-1) as Params | undefined)?.params, { theme: 'light' })
})

test('before ui/initialize nothing is forwarded', async () => {
  const { request, requested } = stage()
  const { error } = (await request('resources/read', { uri: 'a://b' })) as { error: Params }
  assert.equal(error.code, -32600)
  assert.deepEqual(requested, [])
})

test('an app reads; what has effects is asked for; other methods do not exist', async () => {
  for (const allows of [true, false]) {
    const { request, requested, asked } = stage({}, allows)
    await request('ui/initialize')
    await request('resources/read', {
      uri: 'a://b',
      _meta: { 'io.modelcontextprotocol/protocolVersion': 'x' },
    })
    assert.deepEqual(requested, ['resources/read {"uri":"a://b"}'])
    assert.equal(asked.length, 0)
    const call = await request('tools/call', { name: 'save', arguments: { b: 2 } })
    assert.deepEqual(
      asked.map(({ kind, what }) => [kind, what]),
      [['call', 'save']],
    )
    assert.equal(requested.length, allows ? 2 : 1)
    assert.equal((call.result as Params).isError === true, !allows)
    for (const [method, params] of [
      ['tools/call', { name: 'secret' }],
      ['tools/call', { name: 'unknown' }],
      ['tools/call', {}],
      ['prompts/get', { name: 'x' }],
      ['resources/subscribe', { uri: 'a://b' }],
      ['sampling/createMessage', {}],
      ['constructor', {}],
      ['__proto__', {}],
    ] as const)
      assert.ok((await request(method, params)).error, method)
    assert.equal(requested.length, allows ? 2 : 1)
    assert.equal(asked.length, 1)
  }
})

test('links are those of the web, and only with consent', async () => {
  for (const url of [
    'javascript:alert(1)',
    ' javascript:1',
    'data:text/html,x',
    'file:///etc/passwd',
    'blob:https://a/b',
    'about:blank',
    '',
    5,
    null,
    `https://a/${'x'.repeat(3000)}`,
  ]) {
    const { request, opened, asked } = stage()
    await request('ui/initialize')
    assert.ok((await request('ui/open-link', { url })).error, String(url))
    assert.deepEqual([...opened, ...asked], [])
  }
  const yes = stage()
  await yes.request('ui/initialize')
  assert.deepEqual((await yes.request('ui/open-link', { url: 'https://a.example' })).result, {})
  assert.deepEqual(yes.opened, ['https://a.example/'])
  const no = stage({}, false)
  await no.request('ui/initialize')
  assert.deepEqual((await no.request('ui/open-link', { url: 'https://a.example' })).result, {
    isError: true,
  })
  assert.deepEqual(no.opened, [])
})

test('requests that wait are bounded', async () => {
  const { request, posted, host } = stage({ ask: () => new Promise(() => {}) })
  await request('ui/initialize')
  for (let id = 100; id < 140; id++)
    host.receive(
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'save' } }),
    )
  await new Promise((resolve) => setImmediate(resolve))
  assert.equal(posted.filter(({ error }) => error).length, 40 - 16)
})

test('messages of any shape change nothing', async () => {
  const { host, posted, heights, said } = stage()
  for (const text of [
    'null',
    '5',
    '"x"',
    '[]',
    '{}',
    '{"jsonrpc":"2.0"}',
    '{"jsonrpc":"2.0","method":5}',
    '{"jsonrpc":"2.0","id":{},"method":"ping"}',
    '{"jsonrpc":"2.0","id":"teardown","result":{}}',
  ])
    host.receive(text)
  for (const height of [-1, '5', null, {}])
    notify(host, 'ui/notifications/size-changed', { height })
  notify(host, 'ui/notifications/initialized')
  assert.deepEqual([posted, heights, said], [[], [], []])
})

test('an app that is torn down gets no more, and has a second to answer', async () => {
  const { host, posted, request } = stage()
  await request('ui/initialize')
  notify(host, 'ui/notifications/initialized')
  const ended = host.end()
  assert.equal(posted.at(-1)?.method, 'ui/resource-teardown')
  host.receive('{"jsonrpc":"2.0","id":"teardown","result":{}}')
  await ended
  const count = posted.length
  host.receive('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  host.changed({ theme: 'light' })
  assert.equal(posted.length, count)
})

test('a document gets only the origins that it declares, and none that would change the policy', () => {
  const domains = [
    'https://a.example',
    'wss://*.b.example:8443',
    'http://127.0.0.1:99',
    'https://c.example; script-src *',
    '*',
    'https:',
    'http://d.example',
    "'unsafe-eval'",
    'https://e.example/path',
    'data:',
    5,
    'https://f.example">',
  ]
  const needs = needsOf({
    ui: {
      csp: {
        connectDomains: domains,
        resourceDomains: ['https://cdn.example'],
        frameDomains: ['https://frame.example'],
        baseUriDomains: ['https://base.example'],
      },
      permissions: { camera: {}, clipboardWrite: {}, usb: {} },
    },
  })
  assert.deepEqual(needs.origins, [
    'https://a.example',
    'wss://*.b.example:8443',
    'http://127.0.0.1:99',
    'https://cdn.example',
  ])
  assert.deepEqual(needs.features, ['camera', 'clipboard-write'])
  assert.match(
    needs.policy,
    /connect-src https:\/\/a\.example wss:\/\/\*\.b\.example:8443 http:\/\/127\.0\.0\.1:99;/,
  )
  assert.match(needs.policy, /script-src 'unsafe-inline' blob: https:\/\/cdn\.example;/)
  assert.doesNotMatch(needs.policy, /frame\.example|base\.example|d\.example|"/)
  for (const meta of [
    undefined,
    null,
    5,
    { ui: 5 },
    { ui: { csp: 5, permissions: [] } },
    { ui: { csp: { connectDomains: {} } } },
  ])
    assert.match(needsOf(meta).policy, /^default-src 'none'.*connect-src 'none'/)
  assert.match(
    withPolicy('<!doctype html><p>', needsOf({})),
    /^<!doctype html><meta http-equiv="Content-Security-Policy" content="[^"]+"><!doctype/,
  )
})
