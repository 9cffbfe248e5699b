/** Links, redaction and transcript files: what goes out comes back, but for secrets, and damage is noticed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../playground/messages/store.ts'
import { pretty } from '../../../playground/protocol/pretty.ts'
import { request } from '../../../playground/protocol/revisions.ts'
import { addressOf } from '../../../playground/share/copy-link.ts'
import {
  decodeLink,
  encodeLink,
  type Link,
  linkFrom,
  linkJson,
  maxLinkLength,
} from '../../../playground/share/link.ts'
import { redact, redacted, redactHeaders } from '../../../playground/share/redact.ts'
import { readTranscript, writeTranscript } from '../../../playground/share/transcript.ts'
import { newStore, push, rowsOf } from '../stored.ts'

const revision = '2026-07-28'

const read = (uri: string) => pretty(request(revision, 1, 'resources/read', { uri }))

/** Numbers that are the same each time. */
function randomness(seed: number) {
  let state = seed
  return (below: number) => {
    state = (state * 48271) % 2147483647
    return state % below
  }
}

test('a link comes back as it was, broken texts and all scripts included', async () => {
  const link: Link = {
    messages: [
      { text: read('notes://today'), revision },
      { text: '{"jsonrpc":', revision: '2025-11-25', title: 'Ünïcode 漢字 🎉' },
    ],
    target: 'https://example.com/mcp',
  }
  assert.deepEqual(await decodeLink(await encodeLink(link)), link)
})

test('random texts come back', async () => {
  const random = randomness(7)
  for (let i = 0; i < 60; i++) {
    const length = random(400)
    const text = Array.from({ length }, () => String.fromCodePoint(32 + random(0xd7ff - 32))).join(
      '',
    )
    const link: Link = { messages: [{ text, revision }], target: '' }
    assert.deepEqual(await decodeLink(await encodeLink(link)), link)
  }
})

test('a damaged link is refused, never thrown about', async () => {
  const whole = await encodeLink({ messages: [{ text: read('a:b'), revision }], target: 'x' })
  const random = randomness(3)
  for (let i = 0; i < 300; i++) {
    const at = 4 + random(whole.length - 4)
    const damaged = whole.slice(0, at) + 'A-_z9%'[random(6)] + whole.slice(at + random(3))
    if (damaged === whole) continue
    await decodeLink(damaged).then(
      ({ messages }) => assert.ok(messages.every(({ text }) => typeof text === 'string')),
      (error: unknown) => assert.ok(error instanceof Error),
    )
  }
  for (const hash of ['', '#', '#v2.abc', '#v1.', '#v1.!!', '#v1.AAAA']) {
    await assert.rejects(decodeLink(hash), Error)
  }
})

test('what unfolds without end is stopped', async () => {
  const bomb = await encodeLink({
    messages: [{ text: ' '.repeat(3_000_000), revision }],
    target: '',
  })
  assert.ok(bomb.length < maxLinkLength)
  await assert.rejects(decodeLink(bomb), /too much/)
})

test('links of other shapes are refused', async () => {
  for (const value of [
    {},
    { m: [] },
    { m: [[1, revision]] },
    { m: [['x', '1999-01-01']] },
    null,
    7,
  ]) {
    const packed = new Blob([JSON.stringify(value)])
      .stream()
      .pipeThrough(new CompressionStream('deflate-raw'))
    const bytes = Buffer.from(await new Response(packed).arrayBuffer())
    await assert.rejects(decodeLink(`#v1.${bytes.toString('base64url')}`), /damaged/)
  }
})

test('a file has the messages of a link, and more of them', async () => {
  const messages = Array.from({ length: 21 }, (_, i) => ({
    text: `{"id":${i}}`,
    revision: '2026-07-28' as const,
    title: `${i}`,
  }))
  const link = { messages, target: 'a server' }
  assert.deepEqual(linkFrom(linkJson(link), 200), link)
  await assert.rejects(decodeLink(await encodeLink(link)), /damaged/, 'a link has 20 at most')
  Object.defineProperty(globalThis, 'location', {
    value: { origin: 'http://a.test', pathname: '/' },
    configurable: true,
  })
  assert.equal((await addressOf(link)).fits, false, 'the dialog offers a file')
  for (const wrong of ['{"m":[]}', '{"m":[[1,2]]}', '{"m":[["x","1999-01-01"]]}', 'null', '[]'])
    assert.throws(() => linkFrom(wrong, 200), /no messages/, wrong)
})

test('secrets are taken out, and every other character stays', () => {
  const same = [
    '{ "progressToken" : 7,\n "cursor": "abc" }',
    '{"io.modelcontextprotocol/clientInfo":{"name":"token ring"}}',
    '{"properties":{"password":{"type":"string"}},"required":["password"]}',
    '{"token":"","secret":null}',
  ]
  for (const text of same) assert.equal(redact(text), text)
  const cases: [string, string][] = [
    ['{ "password" : "p\\"w", "a":1 }', `{ "password" : "${redacted}", "a":1 }`],
    ['{"env":{"KEY":"v"}}', `{"env":"${redacted}"}`],
    [
      '{"accessToken":"t","x-api-key":"k"}',
      `{"accessToken":"${redacted}","x-api-key":"${redacted}"}`,
    ],
    ['{"text":"Authorization: Bearer abcdefgh1234"}', `{"text":"Authorization: ${redacted}"}`],
    [
      '{"uri":"https://me:pw@host/?token=abc&x=1"}',
      `{"uri":"https://host/?token=${redacted}&x=1"}`,
    ],
    ['{"broken": "Bearer abcdefgh1234', `{"broken": "${redacted}`],
    ['{"a":["sk-abcdefghijklmnop"]}', `{"a":["${redacted}"]}`],
    ['{"sk-abcdefghijklmnop": 1}', `{"${redacted}": 1}`],
    // JSON in a text, as tools return it
    [
      '{"text":" {\\"password\\": \\"hunter2\\",\\n\\"b\\":1}"}',
      `{"text":" {\\"password\\": \\"${redacted}\\",\\n\\"b\\":1}"}`,
    ],
  ]
  for (const [text, expected] of cases) assert.equal(redact(text), expected)
  assert.deepEqual(redactHeaders({ authorization: 'Bearer x', 'mcp-method': 'ping' }), {
    authorization: redacted,
    'mcp-method': 'ping',
  })
})

test('a megabyte made to keep the patterns busy comes through', () => {
  for (const part of [
    'http://a:',
    'a.',
    '-eyJ',
    'Bearer ',
    '?token=',
    'xoxa-',
    '"',
    '{"a":',
    'eyJaaaaaaaa.',
  ]) {
    const text = part.repeat(1_000_000 / part.length)
    assert.ok(redact(text).length > 0)
  }
})

/** A store with an exchange over HTTP, an event of the world, and something broken. */
function filled(): Store {
  const store = newStore()
  const http = { method: 'POST', url: 'https://h/mcp?token=abc', headers: { cookie: 'c=1' } }
  const asked = { connection: 3, framing: 'http', time: 1000.5, http } as const
  push(store, 'out', read('notes://today'), asked)
  const answered = { connection: 3, framing: 'sse', time: 1012.25 } as const
  push(store, 'in', { jsonrpc: '2.0', id: 1, result: {} }, answered)
  push(store, 'world', 'wrote notes://today', { connection: 0, time: 1020 })
  push(store, 'out', '{"jsonrpc":\n', { connection: 4, framing: 'ws', time: 1030 })
  return store
}

async function written(store: Store, redacted: boolean): Promise<string> {
  const peers = [
    { c: 3, letter: 'A', title: 'One' },
    { c: 4, letter: 'B', title: 'Two' },
  ]
  let file = ''
  const rows = rowsOf(store)
  const text = (row: number) => store.raw(row)
  for await (const line of writeTranscript(store, rows, { peers, redacted, version: '1', text })) {
    file += line
  }
  return file
}

test('a transcript comes back row by row, byte by byte', async () => {
  const store = filled()
  const file = await written(store, false)
  assert.equal(file.split('\n').length, store.length + 2)
  const { peers, entries } = await readTranscript(file)
  assert.deepEqual(
    peers.map(({ letter }) => letter),
    ['A', 'B'],
  )
  for (const [row, entry] of entries.entries()) {
    assert.equal(entry.raw, store.raw(row))
    assert.equal(entry.direction, store.direction(row))
    assert.equal(entry.framing, store.framing(row))
    assert.equal(entry.connection, store.connection(row))
    assert.ok(Math.abs((entry.time ?? 0) - store.time(row)) < 0.01)
    assert.deepEqual(entry.http, store.http(row))
  }
  const again = newStore()
  for (const entry of entries) again.push(entry)
  assert.equal(again.partner(0), 1) // pairs as live traffic does
})

test('a transcript names outcomes, and events stay with their connection', async () => {
  const store = newStore()
  const connection = 3
  for (const id of [1, 2, 3]) push(store, 'out', { id, method: 'tools/call' }, { connection })
  push(store, 'in', { id: 1, result: { content: [], isError: true } }, { connection })
  push(store, 'in', { id: 2, result: { resultType: 'input_required' } }, { connection })
  push(store, 'world', 'closed: the network is gone', { connection })
  const file = await written(store, true)
  const states = file
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => (JSON.parse(line) as { s?: string }).s)
  const none = undefined
  assert.deepEqual(states, [none, none, 'unanswered', 'failed', 'input', none])
  const again = newStore()
  for (const entry of (await readTranscript(file)).entries) again.push(entry)
  assert.deepEqual(
    [2, 3, 4].map((row) => again.state(row)),
    ['unanswered', 'failed', 'input'],
  )
})

test('a transcript has no secrets unless they are asked for', async () => {
  const file = await written(filled(), true)
  assert.doesNotMatch(file, /token=abc|c=1/)
  assert.match(file.split('\n')[0] ?? '', /"redacted":true/)
})

test('what is no transcript is refused with the line', async () => {
  const head = '{"mcplog":1}\n'
  const bad: [string, RegExp][] = [
    ['', /line 1/],
    ['{"mcplog":2}', /line 1/],
    ['hello', /line 1: not JSON/],
    [`${head}{"t":1}`, /line 2/],
    [`${head}{"t":1,"d":"out","raw":"x"}\n{`, /line 3: not JSON/],
    [`${head}{"t":1e308,"d":"out","raw":"x"}`, /line 2/], // no browser can format that time
    ['{"mcplog":1,"created":"2026-01-01"}\n{"t":-9e15,"d":"out","raw":"x"}', /line 2/],
    ['[{"direction":"request"}]', /entry 1/],
    ['[', /line 1/],
  ]
  for (const [text, reason] of bad) await assert.rejects(readTranscript(text), reason)
  const odd = `${head}{"t":1,"d":"out","raw":"x","k":"carrier pigeon","http":{"status":"no","headers":{"a":1}}}`
  const { entries } = await readTranscript(odd)
  assert.deepEqual(entries[0], {
    connection: 1,
    direction: 'out',
    framing: 'port',
    raw: 'x',
    time: 1,
    http: undefined,
  })
})

test('a duration that no time can have is left out', async () => {
  const message = { jsonrpc: '2.0', id: 1, method: 'ping' }
  const one = { timestamp: '2026-01-01', message, response: {}, duration: 1e300 }
  const { entries } = await readTranscript(JSON.stringify([one]))
  assert.equal(entries[1]?.time, entries[0]?.time)
})

test("the Inspector's Protocol export is read, answers beside their requests", async () => {
  const file = [
    {
      id: 'x',
      timestamp: '2026-11-21T10:00:00.000Z',
      direction: 'request',
      origin: 'client',
      message: { jsonrpc: '2.0', id: 1, method: 'resources/list' },
      response: { jsonrpc: '2.0', id: 1, result: { resources: [] } },
      duration: 40,
    },
    {
      id: 'y',
      timestamp: '2026-11-21T10:00:00.020Z',
      direction: 'notification',
      origin: 'server',
      message: { jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
    },
  ]
  const { entries, peers } = await readTranscript(JSON.stringify(file, null, 2))
  assert.deepEqual(
    entries.map(({ direction, raw }) => `${direction} ${JSON.parse(raw).method ?? 'result'}`),
    ['out resources/list', 'in notifications/resources/list_changed', 'in result'],
  )
  assert.equal(peers[0]?.title, 'MCP Inspector')
})
