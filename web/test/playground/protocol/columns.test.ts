// One message in each revision, side by side: what is marked, and why it changes.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { columnsOf } from '../../../playground/protocol/columns.ts'
import { request } from '../../../playground/protocol/revisions.ts'

const textsOf = (column: ReturnType<typeof columnsOf>[number] | undefined, isChanged: boolean) =>
  (column?.lines ?? [])
    .filter((line) => line.isChanged === isChanged)
    .map(({ text }) => text.trim())

test('a subscription has one form in the older revisions, another in the newest, and the reason', () => {
  const text =
    '{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"notes://today"}}'
  const [older, newest, ...more] = columnsOf(text, '2025-11-25')
  assert.deepEqual(more, [])
  assert.deepEqual(older?.revisions, ['2025-06-18', '2025-11-25'])
  assert.deepEqual(newest?.revisions, ['2026-07-28'])
  assert.deepEqual(older?.notes, [])
  assert.deepEqual(
    newest?.notes.map(({ key }) => key),
    ['explain.change.listen', 'explain.change.envelope'],
  )
  assert.deepEqual(textsOf(older, true), [
    '"method": "resources/subscribe",',
    '"uri": "notes://today"',
  ])
  const marked = textsOf(newest, true)
  assert.ok(marked.includes('"method": "subscriptions/listen",'), marked.join('\n'))
  assert.ok(marked.includes('"io.modelcontextprotocol/protocolVersion": "2026-07-28",'))
  assert.deepEqual(textsOf(newest, false).slice(0, 3), ['{', '"jsonrpc": "2.0",', '"id": 1,'])
})

test('the handshake has three forms, whichever it is written in', () => {
  const text = JSON.stringify(request('2026-07-28', 1, 'server/discover'))
  const columns = columnsOf(text, '2026-07-28')
  assert.deepEqual(
    columns.map(({ message, revisions }) => `${revisions} ${message.method}`),
    ['2025-06-18 initialize', '2025-11-25 initialize', '2026-07-28 server/discover'],
  )
  assert.deepEqual(textsOf(columns[1], true), ['"protocolVersion": "2025-11-25",'])
  assert.equal(columns[1]?.notes[0]?.key, 'explain.change.version')
  assert.equal(columns[2]?.notes[0]?.key, 'explain.change.discover')
  // The text of the composer is the column of its own revision.
  assert.deepEqual(columns[2]?.message, JSON.parse(text))
})

test('a revision without the method says so, and is a column of its own', () => {
  const columns = columnsOf('{"jsonrpc":"2.0","id":1,"method":"tasks/list"}', '2025-11-25')
  assert.deepEqual(
    columns.map(({ revisions, notes }) => `${revisions} ${notes[0]?.key ?? ''}`),
    ['2025-06-18 explain.change.removed', '2025-11-25 ', '2026-07-28 explain.change.removed'],
  )
})

test('a notification that did not change has one column, and what is no request has none', () => {
  const text = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}'
  assert.equal(columnsOf(text, '2025-06-18').length, 1)
  for (const other of ['', '[]', 'null', '{"jsonrpc":"2.0","id":1,"result":{}}', '{"method":'])
    assert.deepEqual(columnsOf(other, '2026-07-28'), [])
})

test('lists and empty values are written as JSON that can be read again', () => {
  const message = {
    jsonrpc: '2.0',
    method: 'notifications/x',
    params: { a: [], b: {}, c: [1, { d: null }], e: '"\n' },
  }
  const [column] = columnsOf(JSON.stringify(message), '2025-11-25')
  assert.deepEqual(JSON.parse((column?.lines ?? []).map(({ text }) => text).join('\n')), message)
})
