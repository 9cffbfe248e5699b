import assert from 'node:assert/strict'
import { test } from 'node:test'
import { showControlCharacters } from '../../../playground/base/control-characters.ts'
import { recentCounts } from '../../../playground/timeline/recent-counts.ts'
import { newStore, push } from '../stored.ts'

test('control characters are seen and do nothing', () => {
  assert.equal(
    showControlCharacters('a\nb\t\u001b[31m\u007f\u0085\u202e'),
    'a␊b␉␛[31m␡\\u0085\\u202e',
  )
  assert.equal(showControlCharacters('{"text":"今日"}'), '{"text":"今日"}')
})

test('rows of the last seconds are counted by key', () => {
  const store = newStore()
  const now = 1_000_000
  for (const [connection, age] of [
    [1, 60_000], // too long ago
    [1, 1500],
    [2, 900],
    [1, 100],
    [1, 0],
  ] as const)
    push(store, 'in', {}, { connection, time: now - age })
  const keyOf = (row: number) => (store.connection(row) === 1 ? 'one' : undefined)
  const counts = recentCounts(store, now, keyOf)
  assert.deepEqual([...counts.keys()], ['one'])
  assert.deepEqual(counts.get('one')?.slice(-2), [1, 2])
})
