/** Which messages only read: a read-only view sends no others, and a message of a link needs no confirmation. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answersPing, readsOnly } from '../../../playground/connections/consent.ts'

test('a message only reads if its method does', () => {
  const message = (method: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, method })
  for (const method of [
    'server/discover',
    'initialize',
    'notifications/initialized',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'subscriptions/listen',
    'prompts/get',
    'completion/complete',
    'skills/list',
    'skills/get',
    'tasks/get',
  ]) {
    assert.ok(readsOnly(message(method)), method)
  }
  const others = ['tools/call', 'resources/read ', 'logging/setLevel', 'tasks/cancel', 1, undefined]
  for (const method of others) assert.ok(!readsOnly(message(method)), String(method))
  const answer = (result: object) => JSON.stringify({ jsonrpc: '2.0', id: 1, result })
  assert.ok(!readsOnly(answer({})) && answersPing(answer({})))
  assert.ok(!answersPing(answer({ action: 'accept' })))
  const texts = ['', 'null', '{', '[]', `[${message('resources/list')}]`]
  for (const text of texts) assert.ok(!readsOnly(text), text)
})
