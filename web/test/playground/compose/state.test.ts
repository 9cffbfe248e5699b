/** Tabs, history and form: what the composer keeps, without a browser. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signal } from '@preact/signals'
import { followRevision, takeBack } from '../../../playground/compose/follow-revision.ts'
import { type FormField, fieldsOf, setAt } from '../../../playground/compose/form-fields.ts'
import {
  addToHistory,
  history,
  recall,
  removeFromHistory,
  toggleKept,
} from '../../../playground/compose/history.ts'
import { frameFor } from '../../../playground/compose/samples.ts'
import { noServer, type ServerContext } from '../../../playground/compose/schema-at.ts'
import { jsonOf } from '../../../playground/compose/schema-fields.ts'
import { requiresConfirmation, send } from '../../../playground/compose/send.ts'
import {
  active,
  connect,
  disconnect,
  drafts,
  setRevision,
} from '../../../playground/connections/clients.ts'
import { titleOf } from '../../../playground/connections/drafts.ts'
import type { PendingRequest, Session } from '../../../playground/connections/session.ts'
import { serverOf } from '../stored.ts'

const modern = '2026-07-28'

const own = drafts.peek()
const { all, open: shown } = own

test('a draft opens beside the others, and the last one that closes begins anew', () => {
  const before = all.peek().length
  own.add('{"method":"ping"}')
  assert.equal(all.peek().length, before + 1)
  assert.equal(titleOf(shown.peek()), 'ping')
  own.replace('{"method":"prompts/list"}')
  assert.equal(shown.peek().text, '{"method":"prompts/list"}')
  for (const { id } of all.peek()) own.close(id)
  assert.equal(all.peek().length, 1)
  assert.equal(titleOf(shown.peek()), 'resources/list')
})

test('each client has its drafts: neither another client nor its revision changes them', async () => {
  const stop = followRevision()
  own.add('{"method":"ping"}')
  const first = connect(
    serverOf(() => {}),
    { handshake: false },
  )
  assert.equal(drafts.peek(), own, 'the first client has what was written before')
  const second = connect(
    serverOf(() => {}),
    { handshake: false },
  )
  assert.equal(titleOf(drafts.peek().open.peek()), 'resources/list')
  drafts.peek().add(frameFor(modern, 'tools/list', 1))
  void setRevision('2025-11-25')
  assert.doesNotMatch(drafts.peek().open.peek().text, /_meta/)
  active.value = first
  assert.equal(titleOf(drafts.peek().open.peek()), 'ping')
  assert.equal(drafts.peek().revision.peek(), modern)
  for (const session of [second, first]) disconnect(session)
  assert.equal(titleOf(drafts.peek().open.peek()), 'ping', 'the drafts outlive their client')
  own.close(shown.peek().id)
  stop()
})

test('a title that was a part of the text holds while it is, and any other one stays', () => {
  const read = '{"method":"resources/read","params":{"uri":"notes://today"}}'
  for (const [title, kept] of [
    ['notes://today', 'tools/call'],
    ['resources/read', 'tools/call'],
    ['Response to resources/read', 'Response to resources/read'],
    ['', 'tools/call'],
  ] as const) {
    own.add(read, { title })
    assert.equal(titleOf(shown.peek()), title || 'resources/read')
    own.replace('{"method":"tools/call","params":{"name":"count"}}')
    assert.equal(titleOf(shown.peek()), kept)
    own.close(shown.peek().id)
  }
})

test('another revision rewrites the open draft alone, says what changed, and can be taken back', () => {
  const stop = followRevision()
  own.add(frameFor(modern, 'resources/read', 1, { uri: 'a:b' }))
  const hidden = all.peek()[0]
  const { text: written } = shown.peek()
  void setRevision('2025-11-25')
  assert.doesNotMatch(shown.peek().text, /_meta/)
  assert.equal(all.peek()[0], hidden)
  assert.equal(own.rewritten.peek()?.before.text, written)
  assert.deepEqual(
    own.rewritten.peek()?.notes.map(({ key }) => key),
    ['explain.change.noEnvelope'],
  )
  takeBack()
  assert.deepEqual([shown.peek().text, shown.peek().revision], [written, modern])
  void setRevision(modern)
  assert.equal(shown.peek().text, written)
  stop()
})

test('what was sent is kept newest first, once, and can be forgotten', async () => {
  const sent = (text: string) => addToHistory({ text, to: 'demo', revision: modern })
  removeFromHistory() // of the tests before
  for (const text of ['1', '2', '3', '1']) sent(text)
  assert.deepEqual(
    history().map(({ text }) => text),
    ['1', '3', '2'],
  )
  assert.ok(new Set(history().map(({ id }) => id)).size === 3)
  removeFromHistory(history()[1]?.id)
  assert.deepEqual(
    history().map(({ text }) => text),
    ['1', '2'],
  )
  toggleKept(history()[1]?.id ?? 0)
  for (let i = 0; i < 301; i++) sent(`more ${i}`)
  assert.ok(
    history().some(({ text, kept }) => text === '2' && kept),
    'newer ones leave it',
  )
  sent('2')
  removeFromHistory()
  assert.deepEqual(
    history().map(({ text, kept }) => [text, kept]),
    [['2', true]],
  )
  toggleKept(history()[0]?.id ?? 0)
  removeFromHistory()
  assert.deepEqual(history(), [])
})

test('walking goes back to the draft, and what was edited is a new draft', async () => {
  removeFromHistory()
  for (const text of ['old', 'new']) addToHistory({ text, to: 'demo', revision: modern })
  own.add('draft')
  const step = (to: 1 | -1) => {
    recall(to)
    return shown.peek().text
  }
  assert.deepEqual([step(1), step(1), step(1)], ['new', 'old', 'old'])
  assert.deepEqual([step(-1), step(-1), step(-1)], ['new', 'draft', 'draft'])
  recall(1)
  own.replace('edited')
  assert.equal(step(-1), 'edited')
  assert.equal(step(1), 'new')
})

const server: ServerContext = {
  ...noServer(modern),
  resources: [{ uri: 'notes://today', name: 'Today' }],
  prompts: [{ name: 'plan', arguments: [{ name: 'day', required: true }] }],
  tools: [
    {
      name: 'add',
      inputSchema: {
        type: 'object',
        properties: {
          a: { type: 'integer' },
          deep: { type: 'object', properties: { b: { type: 'boolean' } } },
        },
        required: ['a'],
      },
    },
  ],
}

/** The field of a name, wherever it is. */
function find(fields: readonly FormField[] | undefined, name: string): FormField | undefined {
  for (const field of fields ?? []) {
    const found = field.name === name ? field : find(field.fields, name)
    if (found) return found
  }
  return undefined
}

test('the form has the fields of the schema, what is required first, with what the server has', () => {
  const fields = fieldsOf(frameFor(modern, 'resources/read', 1), server)
  assert.deepEqual(fields?.[0]?.name, 'uri')
  assert.deepEqual(fields?.[0]?.suggestions, ['notes://today'])
  assert.equal(find(fields, '_meta'), undefined)
  const listen = fieldsOf(frameFor(modern, 'subscriptions/listen', 1), server)
  assert.equal(find(listen, 'resourcesListChanged')?.choices[0]?.json, 'true')
  assert.equal(find(listen, 'resourceSubscriptions')?.kind, 'json')
})

test('arguments have the fields that the tool or the prompt wants', () => {
  const call = fieldsOf(frameFor(modern, 'tools/call', 1, { name: 'add' }), server)
  assert.equal(find(call, 'a')?.kind, 'number')
  assert.equal(find(call, 'a')?.required, true)
  assert.ok(find(call, 'deep'))
  const get = fieldsOf(frameFor(modern, 'prompts/get', 1, { name: 'plan' }), server)
  assert.equal(find(get, 'day')?.required, true)
})

test('the kind of a reference stays to be chosen after it was', () => {
  const text = frameFor(modern, 'completion/complete', 1)
  const type = find(fieldsOf(text, server), 'type')
  assert.deepEqual(
    type?.choices.map(({ title }) => title),
    ['ref/prompt', 'ref/resource'],
  )
  assert.equal(type?.kind, 'choice')
})

test('a field writes into the text, in its place if it is there', () => {
  const text = '{ "method" : "resources/read",\n "params": {"uri":"x"} }'
  const uri = find(fieldsOf(text, server), 'uri') as FormField
  assert.equal(
    setAt(text, uri.path, jsonOf(uri, 'a"b')),
    '{ "method" : "resources/read",\n "params": {"uri":"a\\"b"} }',
  )
  const call = frameFor(modern, 'tools/call', 1, { name: 'add' })
  const a = find(fieldsOf(call, server), 'a') as FormField
  const filled = setAt(call, a.path, jsonOf(a, '7'))
  assert.deepEqual(JSON.parse(filled).params.arguments, { a: 7 })
  assert.deepEqual(JSON.parse(setAt(filled, a.path, jsonOf(a, ''))).params.arguments, {})
  assert.equal(jsonOf(a, 'seven'), '"seven"') // wrong, and to be seen as wrong
})

test('there is no form for what is no JSON object', () => {
  for (const text of ['', '{', '[]', '7']) assert.equal(fieldsOf(text, server), undefined)
})

/** A session that only keeps what is sent on it. */
function recorder(kind: 'in-page' | 'http', asked: PendingRequest[] = []) {
  const sent: string[] = []
  let id = 40
  const session = {
    connection: { dialer: { kind, title: kind }, send: (text: string) => sent.push(text) - 1 },
    asked: signal(asked),
    revision: signal(modern),
    nextId: () => ++id,
  }
  return { sent, session: session as unknown as Session }
}

test('each sending has a fresh id, unless the tab keeps its own', () => {
  const { sent, session } = recorder('in-page')
  active.value = session
  own.add('{"jsonrpc":"2.0","id":1,"method":"ping"}')
  send()
  send()
  own.change({ pinned: true })
  send()
  assert.deepEqual(
    sent.map((text) => JSON.parse(text).id),
    [41, 42, 42],
  )
  active.value = undefined
  assert.equal(send(), undefined)
})

test('what came by a link asks before it leaves the page or does more than read, and only once', () => {
  const { sent, session } = recorder('in-page')
  const far = recorder('http').session
  const read = '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a:b"}}'
  assert.equal(requiresConfirmation(read, session), false)
  assert.equal(requiresConfirmation(read, far), true)
  for (const text of [
    '{"method":"tools/call"}',
    '{"id":1',
    '[]',
    '{"method":7}',
    '{"id":1,"result":{}}',
  ]) {
    assert.equal(requiresConfirmation(text, session), true, text)
  }
  active.value = session
  own.add('{"jsonrpc":"2.0","id":1,"method":"tools/call"}', { from: '' })
  assert.equal(send(), undefined)
  assert.equal(shown.peek().unsure, true)
  assert.deepEqual(sent, [])
  send({ confirmed: true })
  send()
  assert.equal(sent.length, 2)
  assert.equal(shown.peek().unsure, undefined)
  active.value = undefined
})

test('an answer that is written by hand ends the waiting of its question', () => {
  const request = { row: 0, method: 'roots/list', params: {} }
  const { session } = recorder('in-page', [
    { ...request, id: 7 },
    { ...request, id: '7' },
  ])
  active.value = session
  own.add('{"jsonrpc":"2.0","id":7,"result":{"roots":[]}}')
  send()
  assert.deepEqual(
    session.asked.peek().map(({ id }) => id),
    ['7'],
  )
  active.value = undefined
})
