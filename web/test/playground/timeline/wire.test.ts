import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showControlCharacters } from '../../../playground/base/control-characters.ts'
import { Store } from '../../../playground/messages/store.ts'
import { FilteredRows } from '../../../playground/timeline/filtered-rows.ts'
import { recentUpdates } from '../../../playground/timeline/recent-updates.ts'
import { around, Lines, maxMessageLines, wrap } from '../../../playground/timeline/wire-lines.ts'

test('control characters are seen and do nothing', () => {
  assert.equal(
    showControlCharacters('a\nb\t\u001b[31m\u007f\u0085\u202e'),
    'a␊b␉␛[31m␡\\u0085\\u202e',
  )
  assert.equal(showControlCharacters('{"text":"今日"}'), '{"text":"今日"}')
})

test('a text is cut into lines of columns, not of letters', () => {
  assert.deepEqual(wrap('abcdef', 4), ['abcd', 'ef'])
  assert.deepEqual(wrap('今日今日', 5), ['今日', '今日'])
  assert.deepEqual(wrap('', 5), [''])
  assert.equal(wrap('x'.repeat(10_000), 10).length, maxMessageLines)
})

test('headers and the fields of an event stand around a message', () => {
  const store = new Store(() => {})
  const http = {
    method: 'POST',
    url: 'http://127.0.0.1/mcp',
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    event: { id: '7', name: 'message' },
  }
  store.push({ connection: 1, direction: 'in', framing: 'sse', raw: '{}', http })
  store.push({ connection: 1, direction: 'in', framing: 'port', raw: '{}' })
  assert.deepEqual(around(store, 0), [
    'POST http://127.0.0.1/mcp',
    'HTTP 200',
    'content-type: text/event-stream',
    'id: 7',
    'event: message',
  ])
  assert.deepEqual(around(store, 1), [])
})

test('each message is given the lines that its text needs, whatever it is written in', () => {
  const store = new Store(() => {})
  const shown = new FilteredRows(store)
  const lines = new Lines(store, shown)
  const texts = ['{}', 'x'.repeat(45), '今'.repeat(30), 'y'.repeat(9999), '😀'.repeat(11)]
  for (const raw of texts) store.push({ connection: 1, direction: 'in', framing: 'port', raw })
  shown.advance(store.length)
  lines.begin(20)
  lines.advance()
  for (const [index, raw] of texts.entries()) {
    const room = lines.linesOf(index) - 2
    assert.ok(wrap(raw, 20).length <= room, raw.slice(0, 20))
    for (let line = lines.start(index); line < lines.start(index + 1); line++) {
      assert.equal(lines.messageAt(line), index)
    }
  }
  assert.equal(lines.indexOf(2), lines.start(2))
  assert.equal(lines.length, lines.start(5))
})

test('updates of the last seconds are counted by client and resource', () => {
  const store = new Store(() => {})
  const now = 1_000_000
  const update = (connection: number, uri: string, time: number) =>
    store.push({
      connection,
      direction: 'in',
      framing: 'port',
      raw: JSON.stringify({ method: 'notifications/resources/updated', params: { uri } }),
      time,
    })
  update(1, 'a://', now - 60_000) // too long ago
  update(1, 'a://', now - 1500)
  update(2, 'a://', now - 900)
  update(1, 'a://', now - 100)
  update(1, 'a://', now)
  const counts = recentUpdates(store, now)
  assert.deepEqual([...counts.keys()].sort(), ['1 a://', '2 a://'])
  assert.deepEqual(counts.get('1 a://')?.slice(-2), [1, 2])
  assert.deepEqual(counts.get('2 a://')?.slice(-2), [0, 1])
})
