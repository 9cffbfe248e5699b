import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf, cachingOf, partsOf } from '../../../playground/inspect/contents.ts'
import { earlierResults } from '../../../playground/inspect/earlier-results.ts'
import { firstDifference, hexLines, sha256 } from '../../../playground/inspect/hex.ts'
import { httpLines } from '../../../playground/inspect/http-lines.ts'
import { newStore, push } from '../stored.ts'

const read = (...contents: object[]) => partsOf({ result: { contents } })

for (const [content, kind] of [
  [{ text: 'x' }, 'text'],
  [{ text: 'x', mimeType: 'text/html; charset=utf-8' }, 'text'],
  [{ text: 'a,b', mimeType: 'text/csv' }, 'text'],
  [{ blob: 'AAAA', mimeType: 'application/pdf' }, 'binary'],
  [{ blob: 'AAAA', mimeType: 'audio/wav' }, 'binary'],
  [{ text: '{}', mimeType: 'application/json; charset=utf-8' }, 'json'],
  [{ text: '{}', mimeType: 'application/geo+JSON' }, 'json'],
  [{ text: '# x', mimeType: 'text/markdown' }, 'text'],
  [{ text: '<svg/>', mimeType: 'image/svg+xml' }, 'svg'],
  [{ blob: 'PHN2Zy8+', mimeType: 'image/svg+xml' }, 'svg'],
  [{ blob: 'AAAA', mimeType: 'image/png' }, 'image'],
  [{ blob: 'AAAA', mimeType: 'image/evil' }, 'binary'],
  [{ blob: 'AAAA' }, 'binary'],
] as const) {
  test(`${JSON.stringify(content)} is shown as ${kind}`, () => {
    assert.equal(read(content)[0]?.kind, kind)
  })
}

test('prompts and tools carry content, too', () => {
  const prompt = {
    result: {
      messages: [
        { role: 'user', content: { type: 'text', text: 'Hi' } },
        { role: 'assistant', content: { type: 'resource', resource: { uri: 'a://', text: 'A' } } },
      ],
    },
  }
  assert.deepEqual(
    partsOf(prompt).map(({ role, text }) => [role, text]),
    [
      ['user', 'Hi'],
      ['assistant', 'A'],
    ],
  )
  const tool = { result: { content: [{ type: 'resource_link', uri: 'b://', name: 'B' }] } }
  assert.deepEqual(partsOf(tool), [{ kind: 'link', mimeType: '', uri: 'b://', text: 'B' }])
})

test('what has another shape carries nothing, and breaks nothing', () => {
  for (const message of [
    undefined,
    null,
    7,
    [],
    {},
    { result: null },
    { result: { contents: {} } },
    { result: { contents: [null, 3, []] } },
    { result: { messages: [{ content: [null, { type: 'new' }] }] } },
  ]) {
    assert.deepEqual(partsOf(message), [])
  }
  assert.deepEqual(read({ uri: 7, text: 'x' }), [
    { kind: 'text', mimeType: '', uri: '', text: 'x' },
  ])
})

test('base64 becomes bytes, and what is none is told', () => {
  const [good, bad] = read({ blob: 'AP8=' }, { blob: '***' })
  assert.deepEqual([...(good ? (bytesOf(good) ?? []) : [])], [0, 255])
  assert.equal(bad && bytesOf(bad), undefined)
})

test('a result says how long it may be kept', () => {
  assert.deepEqual(cachingOf({ result: { ttlMs: 5000, cacheScope: 'private' } }), {
    ttlMs: 5000,
    scope: 'private',
  })
  for (const ttlMs of [undefined, '5', -1, Number.NaN]) {
    assert.equal(cachingOf({ result: { ttlMs } }), undefined)
  }
})

test('bytes are shown by offset, number and letter', async () => {
  const bytes = new TextEncoder().encode('PNG\n and more than a line')
  assert.deepEqual(hexLines(bytes).slice(0, 2), [
    '00000000  50 4e 47 0a 20 61 6e 64 20 6d 6f 72 65 20 74 68  PNG· and more th',
    '00000010  61 6e 20 61 20 6c 69 6e 65                       an a line',
  ])
  const other = bytes.slice()
  assert.equal(firstDifference(bytes, other), -1)
  other[20] = 0
  assert.equal(firstDifference(bytes, other), 20)
  assert.equal(firstDifference(bytes, bytes.slice(0, 5)), 5)
  assert.match(await sha256(bytes), /^[0-9a-f]{64}$/)
})

test('a read is compared with the read before it, of the same resource', () => {
  const store = newStore()
  const exchange = (id: number, uri: string, connection = 1, ok = true) => {
    const ask = { id, method: 'resources/read', params: { uri } }
    push(store, 'out', ask, { connection })
    const answer = ok ? { id, result: {} } : { id, error: { code: -32602, message: '' } }
    return push(store, 'in', answer, { connection })
  }
  const first = exchange(1, 'a://')
  exchange(2, 'b://')
  exchange(3, 'a://', 1, false)
  const second = exchange(1, 'a://', 2)
  const third = exchange(4, 'a://')
  assert.deepEqual(earlierResults(store, third), [second, first])
  assert.deepEqual(earlierResults(store, first), [])
  assert.deepEqual(earlierResults(store, third - 1), [])
})

test('headers and the fields of an event are those of its message', () => {
  const store = newStore()
  const http = {
    method: 'POST',
    url: 'http://127.0.0.1/mcp',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    event: { id: '7', name: 'message' },
  }
  push(store, 'in', {}, { framing: 'sse', http })
  push(store, 'in', {})
  assert.deepEqual(httpLines(store, 0), [
    'POST http://127.0.0.1/mcp',
    'HTTP 200',
    'content-type: text/event-stream',
    'id: 7',
    'event: message',
  ])
  assert.deepEqual(httpLines(store, 1), [])
})
