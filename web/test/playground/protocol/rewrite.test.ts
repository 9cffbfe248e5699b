/** The version switch: the same message in another revision, with what changed. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { messageProblems } from '../../../playground/protocol/message.ts'
import { pretty } from '../../../playground/protocol/pretty.ts'
import { type Revision, request, revisions } from '../../../playground/protocol/revisions.ts'
import { rewrite } from '../../../playground/protocol/rewrite.ts'

const classic: Revision = '2025-11-25'
const modern: Revision = '2026-07-28'

const keys = ({ notes }: ReturnType<typeof rewrite>) =>
  notes.map(({ key }) => key.replace('explain.change.', ''))

test('a request gets its envelope in 2026-07-28, and loses it on the way back', () => {
  const old = request(classic, 5, 'resources/read', { uri: 'notes://today' })
  const there = rewrite(JSON.stringify(old), classic, modern)
  assert.deepEqual(keys(there), ['envelope'])
  const message = JSON.parse(there.text)
  assert.deepEqual(messageProblems(message, modern), [])
  const back = rewrite(there.text, modern, classic)
  assert.deepEqual(keys(back), ['noEnvelope'])
  assert.deepEqual(JSON.parse(back.text), old)
})

test('initialize becomes server/discover with who asked, and comes back', () => {
  const clientInfo = { name: 'me', version: '2' }
  const params = { protocolVersion: classic, capabilities: { roots: {} }, clientInfo }
  const old = { jsonrpc: '2.0', id: 0, method: 'initialize', params }
  const there = rewrite(JSON.stringify(old), classic, modern)
  const message = JSON.parse(there.text)
  assert.equal(message.method, 'server/discover')
  assert.deepEqual(message.params._meta['io.modelcontextprotocol/clientInfo'], clientInfo)
  assert.deepEqual(message.params._meta['io.modelcontextprotocol/clientCapabilities'], {
    roots: {},
  })
  assert.deepEqual(messageProblems(message, modern), [])
  assert.deepEqual(JSON.parse(rewrite(there.text, modern, classic).text), old)
})

test('subscribing becomes listening with a filter, and comes back one URI at a time', () => {
  const old = request(classic, 1, 'resources/subscribe', { uri: 'notes://today' })
  const there = rewrite(JSON.stringify(old), classic, modern)
  assert.deepEqual(keys(there), ['listen', 'envelope'])
  const message = JSON.parse(there.text)
  assert.deepEqual(message.params.notifications, { resourceSubscriptions: ['notes://today'] })
  assert.deepEqual(messageProblems(message, modern), [])
  message.params.notifications.resourceSubscriptions.push('notes://wish')
  message.params.notifications.toolsListChanged = true
  const back = rewrite(JSON.stringify(message), modern, classic)
  assert.deepEqual(keys(back), ['noEnvelope', 'subscribe', 'onlyFirst', 'unasked'])
  assert.deepEqual(JSON.parse(back.text), old)
})

test('what 2026-07-28 took out stays, and is named', () => {
  for (const [method, key] of [
    ['ping', 'ping'],
    ['logging/setLevel', 'setLevel'],
    ['resources/unsubscribe', 'unsubscribe'],
    ['sampling/createMessage', 'inside'],
    ['tasks/list', 'removed'],
  ]) {
    const there = rewrite(
      JSON.stringify(request(classic, 1, method as string, {})),
      classic,
      modern,
    )
    assert.equal(keys(there)[0], key)
    assert.equal(JSON.parse(there.text).method, method)
  }
  const initialized = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  assert.deepEqual(rewrite(initialized, classic, modern), {
    text: initialized,
    notes: [{ key: 'explain.change.initialized' }],
  })
})

test('what nobody has heard of, answers, and what is no JSON stay as they are', () => {
  for (const text of ['{"jsonrpc":"2.0","id":1,"result":{}}', '[1]', '7', '{"jsonrpc":', '']) {
    assert.equal(rewrite(text, classic, modern).text, text)
    assert.equal(rewrite(text, classic, modern).notes.length, 1)
  }
})

test('there and back again is what it was, for all that both have', () => {
  for (const method of ['resources/list', 'prompts/get', 'tools/call', 'completion/complete']) {
    for (const from of revisions) {
      for (const to of revisions) {
        const text = pretty(request(from, 1, method, { name: 'x' }))
        assert.equal(
          JSON.parse(rewrite(rewrite(text, from, to).text, to, from).text).method,
          method,
        )
        if (from === to) assert.equal(rewrite(text, from, to).text, text)
      }
    }
  }
})

test('pretty JSON is the same JSON, with what is short on one line', () => {
  const value = {
    jsonrpc: '2.0',
    id: 1,
    params: { _meta: { a: {}, b: [] }, list: ['x'.repeat(70), 2] },
  }
  assert.deepEqual(JSON.parse(pretty(value)), value)
  assert.equal(pretty({ a: { b: 1 } }), '{\n  "a": { "b": 1 }\n}')
})
