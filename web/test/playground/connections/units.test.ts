// The parts of connections that need no browser: event streams, headers, what was reads, what may be shown.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signal } from '@preact/signals'
import { setLocale } from '../../../playground/base/i18n.ts'
import { settings } from '../../../playground/base/settings.ts'
import { sizeText } from '../../../playground/base/size.ts'
import { catalogue } from '../../../playground/connections/catalogue.ts'
import { connect, disconnect } from '../../../playground/connections/clients.ts'
import { checkAddress } from '../../../playground/connections/doctor.ts'
import type { GatewayMessage } from '../../../playground/connections/gateway-message.ts'
import {
  hasValidHeaders,
  headerValue,
  type Known,
  mirroredHeaders,
  parsed,
  rememberTools,
} from '../../../playground/connections/http-headers.ts'
import { isAbout, monitorPage, tabOf } from '../../../playground/connections/monitor.ts'
import { assistantOf } from '../../../playground/connections/names.ts'
import { otherEra } from '../../../playground/connections/open.ts'
import { shownHeaders } from '../../../playground/connections/secrets.ts'
import {
  learnName,
  nameServer,
  removeServer,
  saveServer,
  validServers,
} from '../../../playground/connections/servers.ts'
import type { Peer } from '../../../playground/connections/session.ts'
import type { Dialer, Transport } from '../../../playground/connections/transport.ts'
import { store } from '../../../playground/messages/log.ts'
import { serverOf } from '../stored.ts'

test('sizes have a short unit, and a space before it, in each language', async () => {
  const texts = {
    en: ['341\u00a0B', '3.4\u00a0kB', '1.2\u00a0MB'],
    de: ['341\u00a0B', '3,4\u00a0kB', '1,2\u00a0MB'],
    ja: ['341\u00a0B', '3.4\u00a0KB', '1.2\u00a0MB'],
    'zh-Hans': ['341\u00a0B', '3.4\u00a0kB', '1.2\u00a0MB'],
  } as const
  for (const [language, wanted] of Object.entries(texts)) {
    await setLocale(language as keyof typeof texts)
    assert.deepEqual([341, 3400, 1_200_000].map(sizeText), wanted, language)
  }
  await setLocale('en')
})

const modern = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}
const known = (more: Partial<Known> = {}): Known => ({ tools: new Map(), ...more })
const headers = (message: object, of = known()) =>
  Object.fromEntries(mirroredHeaders(parsed(JSON.stringify(message)), of))

test('a modern request says again in its header what it is', () => {
  assert.deepEqual(
    headers({ id: 1, method: 'resources/read', params: { uri: 'notes://päck', _meta: modern } }),
    {
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'resources/read',
      'Mcp-Name': '=?base64?bm90ZXM6Ly9ww6Rjaw==?=',
    },
  )
  assert.deepEqual(headers({ id: 1, method: 'tools/list', params: { _meta: modern } }), {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/list',
  })
})

test('a message of an older revision carries version and session, initialize neither', () => {
  const session = known({ version: '2025-11-25', session: 'abc' })
  const both = { 'MCP-Protocol-Version': '2025-11-25', 'Mcp-Session-Id': 'abc' }
  assert.deepEqual(headers({ id: 1, method: 'resources/list' }, session), both)
  assert.deepEqual(headers({ id: 1, result: {} }, session), both)
  assert.deepEqual(headers({ id: 1, method: 'initialize', params: {} }, session), {})
  assert.deepEqual(Object.fromEntries(mirroredHeaders(parsed('{broken'), session)), both)
})

test('arguments go into headers where the schema of the tool wants that', () => {
  const of = known()
  const inner = { type: 'object', properties: { deep: { type: 'number', 'x-mcp-header': 'Deep' } } }
  const inputSchema = {
    type: 'object',
    properties: { region: { type: 'string', 'x-mcp-header': 'Region' }, plain: {}, inner },
  }
  rememberTools(of, {
    tools: [{ name: 'sell', inputSchema }, { name: 'other', inputSchema: inner.type }, 7],
  })
  const params = {
    name: 'sell',
    arguments: { region: ' eu ', plain: 1, inner: { deep: 1.5 } },
    _meta: modern,
  }
  assert.deepEqual(headers({ id: 1, method: 'tools/call', params }, of), {
    'MCP-Protocol-Version': '2026-07-28',
    'Mcp-Method': 'tools/call',
    'Mcp-Name': 'sell',
    'Mcp-Param-Region': '=?base64?IGV1IA==?=',
    'Mcp-Param-Deep': '1.5',
  })
  rememberTools(of, { tools: [{ name: 'sell', inputSchema: {} }] })
  assert.equal(of.tools.size, 0)
})

test('what a header cannot carry is encoded, and nothing else', () => {
  for (const plain of ['a', 'a b', '~', 'notes://a+b/?c=d']) assert.equal(headerValue(plain), plain)
  for (const odd of ['', ' a', 'a ', 'ä', 'a\nb', '=?base64?YQ==?=']) {
    const inner = /^=\?base64\?(.*)\?=$/.exec(headerValue(odd))?.[1]
    assert.equal(Buffer.from(inner ?? '?', 'base64').toString(), odd)
  }
})

test('headers are shown without the values of secrets', () => {
  assert.deepEqual(
    shownHeaders([
      ['Authorization', 'Bearer s3cret'],
      ['X-Api-Key', 's3cret'],
      ['Mcp-Session-Id', 's3cret'],
      ['Mcp-Method', 'ping'],
      ['WWW-Authenticate', 'Bearer realm="x"'],
    ]),
    {
      authorization: '…',
      'x-api-key': '…',
      'mcp-session-id': '…',
      'mcp-method': 'ping',
      'www-authenticate': 'Bearer realm="x"',
    },
  )
})

test('an address is looked at before anybody is asked', () => {
  const open = { origin: 'http://127.0.0.1:1', secure: false }
  const secure = { origin: 'https://play.example', secure: true }
  const says = (url: string, at = open) =>
    checkAddress(url, at).map(({ says, state }) => `${state} ${says.split('.').at(-1)}`)
  assert.deepEqual(says('what'), ['bad noUrl'])
  assert.deepEqual(says('ftp://a.example/'), ['bad notHttp'])
  assert.deepEqual(says('https://me:pass@a.example/mcp'), ['bad userInfo'])
  assert.deepEqual(says('https://a.example/mcp'), [])
  assert.deepEqual(says('https://a.example'), ['note noPath'])
  assert.deepEqual(says('http://a.example/sse'), ['note oldStream'])
  assert.deepEqual(says('http://a.example/mcp', secure), ['bad mixed'])
  assert.deepEqual(says('http://127.0.0.1:1/mcp', secure), ['note localNetwork'])
  assert.deepEqual(says('https://192.168.1.2/mcp', secure), ['note localNetwork'])
})

test('who does not understand the first message is asked in the other era', () => {
  const error = { code: -32601, message: 'Method not found' }
  const unsupported = { code: -32022, message: '', data: { supported: ['2026-07-28'] } }
  assert.equal(otherEra('2026-07-28', { row: 0, error }), '2025-11-25')
  assert.equal(otherEra('2026-07-28', { row: 0, result: {} }), undefined)
  assert.equal(otherEra('2025-11-25', { row: 0, error }), undefined)
  assert.equal(otherEra('2025-11-25', { row: 0, error: unsupported }), '2026-07-28')
})

test('servers are stored once, the newest first, by address and name, and none with a secret', () => {
  saveServer('http', 'https://a.example/mcp')
  saveServer('ws', 'wss://b.example/')
  saveServer('http', 'https://a.example/mcp')
  saveServer('http', 'https://a.example/mcp?api_key=abc')
  saveServer('http', 'https://me:pass@a.example/mcp')
  const [b, a] = settings.value.servers
  assert.ok(a && b)
  assert.deepEqual(settings.value.servers, [
    { kind: 'ws', url: 'wss://b.example/' },
    { kind: 'http', url: 'https://a.example/mcp' },
  ])

  const peer = signal<Peer | undefined>(undefined)
  learnName('http', 'https://a.example/mcp', { peer })
  peer.value = { name: 'a', title: 'Server A\u202e', version: '1', capabilities: {} }
  assert.deepEqual(settings.value.servers[1], { ...a, name: 'Server A\\u202e' })
  nameServer(a, ' Mine ')
  peer.value = { name: 'other', version: '2', capabilities: {} }
  assert.equal(settings.value.servers[1]?.name, 'Mine')
  nameServer(a, '')
  assert.deepEqual(settings.value.servers[1], a)

  removeServer(b)
  assert.deepEqual(settings.value.servers, [a])
  removeServer(a)
  const url = 'https://a.example'
  assert.deepEqual(
    validServers([
      null,
      7,
      { kind: 'x', url },
      { kind: 'gateway', url },
      { kind: 'ws' },
      { kind: 'http', url, name: {} },
    ]),
    [],
  )
})

const observed = (message: object, more: Partial<GatewayMessage> = {}): GatewayMessage => {
  const text = JSON.stringify(message)
  const sides = {
    to: 'page',
    time: 0,
    who: 'token',
    client: 'claude',
    door: '/mcp',
    page: 'notes',
  } as const
  return { ...sides, size: text.length, text, ...more }
}

test('monitoring one page leaves out messages about another', () => {
  assert.ok(isAbout(observed({}), 'notes'))
  assert.ok(isAbout(observed({}, { page: '' }), 'notes'))
  assert.ok(isAbout(observed({}), ''))
  assert.ok(!isAbout(observed({}, { page: 'tasks' }), 'notes'))
})

test('a page is presented with all its tabs, and with no other page', () => {
  const page = (name: string, origin: string) => ({ ...joined, name, origin })
  const state = {
    pages: [
      page('notes', 'http://a'),
      page('notes-2', 'http://a'),
      page('notes-3', 'http://b'),
      page('tasks', 'http://a'),
    ],
  }
  for (const [name, shownAs] of [
    ['notes', 'notes'],
    ['notes-2', 'notes'],
    ['notes-3', 'notes-3'],
    ['tasks', 'tasks'],
    ['gone', 'gone'],
    ['', ''],
  ] as const)
    assert.equal(tabOf(state, name, 'notes'), shownAs)
  assert.equal(tabOf(state, 'other', 'gone'), 'other')
  assert.equal(tabOf(undefined, 'notes-2', 'notes'), 'notes-2')
})

const joined = { title: '', url: '', here: true, since: 0, reads: 0, bytes: 0 }

test('each assistant has a connection of its own, the first one the first connection', async () => {
  const connections: { received: string[]; transport: Promise<Transport> }[] = []
  const listeners = new Set<(message: GatewayMessage) => void>()
  const say = (client: string, to: GatewayMessage['to'], text: string, page = 'notes') => {
    for (const listener of listeners) listener(observed({}, { client, to, text, page }))
  }
  const open = (dialer: Dialer) => {
    assert.ok(dialer.readOnly)
    const received: string[] = []
    const transport = dialer.dial({
      received: () => assert.fail('a monitor receives no messages of its own'),
      observed: (direction, text) => received.push(`${direction} ${text}`),
      failed: () => {},
      note: (line) => received.push(line),
      waiting: () => {},
      closed: () => {},
    })
    connections.push({ received, transport })
  }
  monitorPage('notes', open, {
    onMonitoredMessage(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    startMonitoring: async () => {},
  })
  assert.equal(connections.length, 1, 'there is one before the first message')
  say('claude', 'page', 'a')
  say('other', 'page', 'b')
  say('claude', 'assistant', 'c')
  say('claude', 'assistant', 'of another page', 'tasks')
  assert.deepEqual(
    connections.map(({ received }) => received),
    [['assistant claude at /mcp', 'out a', 'in c'], ['out b']],
  )
  for (let more = 0; more < 20; more++) say(`client ${more}`, 'page', 'x')
  assert.equal(connections.length, 8)

  for (const { transport } of connections) (await transport).close()
  assert.equal(listeners.size, 0)
})

test('an assistant has the name that the gateway vouches for, else what it calls itself', () => {
  for (const [who, client, name] of [
    ['claude-code', 'Claude Code', 'claude-code'],
    ['token', 'Claude Code', 'Claude Code'],
    ['stdio', '', 'stdio'],
  ] as const)
    assert.equal(assistantOf({ who, client }), name)
})

test('a monitored connection knows its page and its assistant, unless several share it', () => {
  const dialers: Dialer[] = []
  let say: (message: GatewayMessage) => void = () => {}
  const open = (dialer: Dialer) => {
    dialers.push(dialer)
    const ignore = () => {}
    void dialer.dial({
      received: ignore,
      observed: ignore,
      failed: ignore,
      note: ignore,
      waiting: ignore,
      closed: ignore,
    })
  }
  monitorPage('notes', open, {
    onMonitoredMessage(listener) {
      say = listener
      return () => {}
    },
    startMonitoring: async () => {},
  })
  const names = () => dialers.map(({ monitors }) => monitors?.assistant.value)
  assert.equal(dialers[0]?.monitors?.page, 'notes')
  assert.deepEqual(names(), [undefined])
  say(observed({}, { who: 'codex', client: 'Codex' }))
  say(observed({}, { who: 'token', client: 'other' }))
  assert.deepEqual(names(), [
    { name: 'codex', isVouched: true },
    { name: 'other', isVouched: false },
  ])
  for (let more = 0; more < 6; more++) say(observed({}, { client: `client ${more}` }))
  assert.equal(names().length, 8)
  assert.equal(names()[7]?.name, 'client 5')
  say(observed({}, { client: 'one more' }))
  assert.equal(names()[7], undefined)
})

const withHeader = (header: unknown, more: object = {}) => ({
  type: 'object',
  properties: { region: { type: 'string', 'x-mcp-header': header, ...more } },
})

test('headers of tools are tokens, unique, of primitive values, and reached by properties alone', () => {
  const inner = { type: 'string', 'x-mcp-header': 'Inner' }
  for (const valid of [
    {},
    withHeader('Region'),
    withHeader('a.b-C_1'),
    withHeader('Region', { type: 'integer' }),
    { properties: { where: { type: 'object', properties: { region: inner } } } },
    { properties: { 'x-mcp-header': { type: 'string' } } },
    { properties: { a: { type: 'object', default: { 'x-mcp-header': '' } } } },
  ])
    assert.ok(hasValidHeaders(valid), JSON.stringify(valid))
  for (const invalid of [
    withHeader(''),
    withHeader('My Region'),
    withHeader('Region:'),
    withHeader('Région'),
    withHeader('a\r\nb'),
    withHeader(7),
    withHeader('Region', { type: 'object' }),
    withHeader('Region', { type: undefined }),
    { properties: { a: inner, b: { ...inner, 'x-mcp-header': 'INNER' } } },
    { properties: { list: { type: 'array', items: inner } } },
    { anyOf: [{ properties: { a: inner } }] },
    { $defs: { a: inner } },
    inner,
  ])
    assert.ok(!hasValidHeaders(invalid), JSON.stringify(invalid))
})

test('over HTTP a tool with a header that is not valid is left out of the list, and the timeline says so', async () => {
  for (const kind of ['http', 'ws'] as const) {
    const tools = [
      { name: 'good', inputSchema: withHeader('Region') },
      { name: 'bad', inputSchema: withHeader('My Region') },
    ]
    const described = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
    const server = serverOf(
      ({ id, method }, say) => say({ id, result: method === 'tools/list' ? { tools } : described }),
      { kind },
    )
    const session = connect(server)
    const { lists } = catalogue(session)
    for (let turns = 0; lists.tools.value.state !== 'there'; turns++) {
      assert.ok(turns < 1000, 'the list of tools comes within a thousand turns')
      await new Promise((resolve) => setImmediate(resolve))
    }
    const names = lists.tools.value.items.map(({ name }) => name)
    assert.deepEqual(names, kind === 'http' ? ['good'] : ['good', 'bad'])
    const notes = Array.from({ length: store.length }, (_, row) => row).filter(
      (row) =>
        store.connection(row) === session.connection.id &&
        /left out the tool "bad"/.test(store.raw(row)),
    )
    assert.equal(notes.length, kind === 'http' ? 1 : 0)
    disconnect(session)
  }
})

test('a server has its title, else its name, else that of the connection, such as the host', async () => {
  const serverInfo = 'io.modelcontextprotocol/serverInfo'
  for (const [info, title] of [
    [{ name: 'notes', version: '1', title: 'Notes' }, 'Notes'],
    [{ name: 'notes', version: '1' }, 'notes'],
    [{ name: 7, title: '' }, 'example.com'],
    [undefined, 'example.com'],
  ] as const) {
    const result = { capabilities: {}, ...(info && { _meta: { [serverInfo]: info } }) }
    const server = serverOf(({ id }, say) => say({ id, result }), { title: 'example.com' })
    const session = connect(server, { handshake: false })
    assert.deepEqual([session.title, session.handshaking.value], ['example.com', false])
    const done = session.handshake()
    assert.equal(session.handshaking.value, true)
    await done
    assert.deepEqual([session.title, session.handshaking.value], [title, false])
    disconnect(session)
  }
})
