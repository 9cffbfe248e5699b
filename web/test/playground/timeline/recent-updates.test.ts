import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showControlCharacters } from '../../../playground/base/control-characters.ts'
import { Store } from '../../../playground/messages/store.ts'
import { recentUpdates } from '../../../playground/timeline/recent-updates.ts'

test('control characters are seen and do nothing', () => {
  assert.equal(
    showControlCharacters('a\nb\t\u001b[31m\u007f\u0085\u202e'),
    'a␊b␉␛[31m␡\\u0085\\u202e',
  )
  assert.equal(showControlCharacters('{"text":"今日"}'), '{"text":"今日"}')
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
