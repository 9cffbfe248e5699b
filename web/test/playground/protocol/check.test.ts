/** Conformance hints: what is wrong with a message, and what only the messages around it show. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Validator } from '@cfworker/json-schema'
import type { Direction } from '../../../playground/messages/entry.ts'
import { Checker } from '../../../playground/protocol/check.ts'
import { messageProblems } from '../../../playground/protocol/message.ts'
import { request } from '../../../playground/protocol/revisions.ts'
import { schemaOf } from '../../../playground/protocol/schema.ts'
import { problemsOf } from '../../../playground/protocol/validate.ts'
import { newStore, push } from '../stored.ts'

const modern = '2026-07-28'
const classic = '2025-11-25'

/** A store without frames, and a function that pushes a message and returns its row. */
function conversation() {
  const store = newStore()
  return {
    store,
    push: (direction: Direction, message: unknown, connection = 1) =>
      push(store, direction, message, { connection }),
  }
}

/** All at once. */
function hintsOf(checker: Checker, row: number) {
  const steps = checker.hints(row)
  for (;;) {
    const { done, value } = steps.next()
    if (done) return value
  }
}

const rules = (checker: Checker, row: number) =>
  hintsOf(checker, row).map(({ rule, at }) => rule + at)

const list = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  resources: [],
}

test('a proper exchange has no hints', () => {
  const { store, push } = conversation()
  const checker = new Checker(store, () => modern)
  const asked = push('out', request(modern, 1, 'resources/list'))
  const told = push('in', { jsonrpc: '2.0', id: 1, result: list })
  assert.deepEqual([hintsOf(checker, asked), hintsOf(checker, told)], [[], []])
})

test('a long list is checked in steps, which find the same', () => {
  const { store, push } = conversation()
  const checker = new Checker(store, () => modern)
  const resources = Array.from({ length: 3500 }, (_, i) =>
    i === 3499 ? { uri: 'a:b' } : { uri: `a:${i}`, name: 'a' },
  )
  push('out', request(modern, 1, 'resources/list'))
  const row = push('in', { jsonrpc: '2.0', id: 1, result: { ...list, resources } })
  const steps = checker.hints(row)
  let count = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) count++
  assert.equal(count, 3)
  assert.equal(step.value[0]?.sentence.params?.member, 'result.resources[3499].name')
  assert.deepEqual(hintsOf(new Checker(store, () => modern), row), step.value)
})

test('a result of 2026-07-28 without resultType, ttlMs and cacheScope is named for each', () => {
  const { store, push } = conversation()
  const checker = new Checker(store, () => modern)
  push('out', request(modern, 1, 'resources/list'))
  const row = push('in', { jsonrpc: '2.0', id: 1, result: { resources: [{ uri: 'a:b' }] } })
  const members = hintsOf(checker, row).map(({ sentence }) => sentence.params?.member)
  assert.deepEqual(members.sort(), [
    'result.cacheScope',
    'result.resources[0].name',
    'result.resultType',
    'result.ttlMs',
  ])
})

test('the same answer is right in an older revision, which the handshake tells', () => {
  const { store, push } = conversation()
  const checker = new Checker(store, () => modern)
  const params = {
    protocolVersion: classic,
    capabilities: {},
    clientInfo: { name: 'a', version: '1' },
  }
  push('out', request(classic, 0, 'initialize', params))
  const serverInfo = { name: 'b', version: '1' }
  const greeted = { protocolVersion: classic, capabilities: {}, serverInfo }
  push('in', { jsonrpc: '2.0', id: 0, result: greeted })
  push('out', request(classic, 1, 'resources/list'))
  const row = push('in', { jsonrpc: '2.0', id: 1, result: { resources: [] } })
  assert.deepEqual(hintsOf(checker, row), [])
  assert.equal(checker.revisionAt(row), classic)
  assert.equal(checker.revisionAt(push('out', request(modern, 1, 'x'), 2)), modern)
})

test('an answer that nobody asked for, and an id that is used twice', () => {
  const { store, push } = conversation()
  const checker = new Checker(store, () => modern)
  assert.deepEqual(
    rules(checker, push('in', { jsonrpc: '2.0', id: 9, result: { resultType: 'x' } })),
    ['unknownId/id'],
  )
  push('out', request(modern, 1, 'resources/list'))
  assert.deepEqual(rules(checker, push('out', request(modern, 1, 'prompts/list'))), [
    'duplicateId/id',
  ])
  assert.deepEqual(rules(checker, push('out', request(modern, '1', 'prompts/list'))), [])
})

test('an answer after its cancel, and an error without an id, which is allowed', () => {
  const { store, push } = conversation()
  const checker = new Checker(store, () => modern)
  push('out', request(modern, 1, 'resources/list'))
  push('out', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  assert.deepEqual(rules(checker, push('in', { jsonrpc: '2.0', id: 1, result: list })), [
    'afterCancel',
  ])
  const error = { code: -32700, message: 'Parse error' }
  assert.deepEqual(rules(checker, push('in', { jsonrpc: '2.0', error })), [])
})

test('a notification without a subscription, in both eras', () => {
  const { store, push } = conversation()
  const checker = new Checker(store, (connection) => (connection === 1 ? modern : classic))
  const updated = (id: unknown) => ({
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'a:b', _meta: { 'io.modelcontextprotocol/subscriptionId': id } },
  })
  assert.deepEqual(rules(checker, push('in', updated(1))), ['unsubscribed'])
  push('out', request(modern, 1, 'subscriptions/listen', { notifications: {} }))
  assert.deepEqual(rules(checker, push('in', updated(1))), [])
  assert.deepEqual(rules(checker, push('in', updated('1'))), ['unsubscribed'])
  push('out', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
  assert.deepEqual(rules(checker, push('in', updated(1))), ['unsubscribed'])

  const plain = {
    jsonrpc: '2.0',
    method: 'notifications/resources/updated',
    params: { uri: 'a:b' },
  }
  assert.deepEqual(rules(checker, push('in', plain, 2)), ['unsubscribed'])
  push('out', request(classic, 1, 'resources/subscribe', { uri: 'a:b' }), 2)
  assert.deepEqual(rules(checker, push('in', plain, 2)), [])
  push('out', request(classic, 2, 'resources/unsubscribe', { uri: 'a:b' }), 2)
  assert.deepEqual(rules(checker, push('in', plain, 2)), ['unsubscribed'])
})

test('codes belong to revisions', () => {
  const failed = (code: number) => ({ jsonrpc: '2.0', id: 1, error: { code, message: 'x' } })
  const said = (code: number, revision: typeof modern | typeof classic | '2025-06-18') =>
    messageProblems(failed(code), revision).length
  assert.deepEqual([said(-32002, classic), said(-32002, modern)], [0, 1])
  assert.deepEqual([said(-32042, classic), said(-32042, '2025-06-18')], [0, 1])
  assert.deepEqual([said(-32022, modern), said(-32020, classic)], [0, 1])
  assert.deepEqual([said(-32602, modern), said(7, modern), said(-32050, modern)], [0, 0, 1])
})

test('what is broken is told as such, and clearing the store begins anew', () => {
  const { store, push } = conversation()
  const checker = new Checker(store, () => modern)
  assert.deepEqual(rules(checker, push('out', '{"jsonrpc":')), ['json'])
  assert.deepEqual(rules(checker, push('in', '[]')), ['schema'])
  assert.deepEqual(rules(checker, push('out', { id: 1.5, method: 'resources/list' })), [
    'schema/jsonrpc',
    'schema/id',
    'schema',
  ])
  store.clear()
  push('out', request(modern, 1, 'resources/list'))
  const row = push('in', { jsonrpc: '2.0', id: 1, result: list })
  assert.deepEqual(rules(checker, row), [])
})

test('our validator and @cfworker/json-schema agree', () => {
  const good = request(modern, 1, 'sampling/createMessage', {
    maxTokens: 5,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  }).params as object
  const cases: [string, 'params' | 'result', unknown][] = [
    ['sampling/createMessage', 'params', good],
    ['sampling/createMessage', 'params', { ...good, messages: [{ role: 'nobody', content: 1 }] }],
    ['tools/list', 'result', { ...list, tools: [{ name: 'x', inputSchema: { type: 'array' } }] }],
    ['tools/list', 'result', { ...list, tools: [{ name: 'x', inputSchema: { type: 'object' } }] }],
    ['resources/list', 'result', { ...list, ttlMs: -1 }],
    ['resources/list', 'result', { ...list, cacheScope: 'all' }],
    [
      'completion/complete',
      'result',
      { resultType: 'x', completion: { values: Array(101).fill('') } },
    ],
    [
      'prompts/get',
      'result',
      { resultType: 'x', messages: [{ role: 'user', content: { type: 'text' } }] },
    ],
    ['resources/read', 'result', null],
  ]
  for (const [method, part, value] of cases) {
    const schema = schemaOf(modern, method, part)
    assert.ok(schema)
    const { valid } = new Validator(schema as object, '2020-12').validate(value as object)
    assert.equal(
      problemsOf(value, schema).length === 0,
      valid,
      `${method} ${JSON.stringify(value)}`,
    )
  }
})
