import assert from 'node:assert/strict'
import { test } from 'node:test'
import { announcementOf } from '../../../playground/timeline/announcements.ts'
import { newStore, push } from '../stored.ts'

function said(...messages: readonly object[]) {
  const store = newStore()
  for (const message of messages) push(store, 'out' in message ? 'out' : 'in', message)
  return announcementOf(store, 0, store.length)
}

const ask = { out: true, id: 1, method: 'resources/read', params: { uri: 'notes://today' } }
const update = (uri: string) => ({ method: 'notifications/resources/updated', params: { uri } })

test('updates of one resource are counted and named', () => {
  assert.deepEqual(said(update('notes://today'), update('notes://today')), {
    key: 'timeline.spokenUpdates',
    params: { count: 2, uri: 'notes://today' },
  })
})

test('updates of several resources are counted only', () => {
  assert.deepEqual(said(update('a://'), update('b://')), {
    key: 'timeline.spokenMessages',
    params: { count: 2 },
  })
})

test('a single answer is named by its method, whatever else came', () => {
  assert.deepEqual(said(ask, { id: 1, result: {} }, update('a://')), {
    key: 'timeline.spokenResponse',
    params: { method: 'resources/read' },
  })
  assert.deepEqual(said(ask, { id: 1, error: { code: -32602, message: '' } }), {
    key: 'timeline.spokenError',
    params: { method: 'resources/read', code: '-32602' },
  })
})

test('errors among many messages are counted', () => {
  const error = { id: 9, error: { code: 1, message: '' } }
  assert.deepEqual(said(error, error, update('a://')), {
    key: 'timeline.spokenErrors',
    params: { count: 3, errors: 2 },
  })
})

test('what is sent is not told', () => {
  assert.equal(said(ask), undefined)
})
