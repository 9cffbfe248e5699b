import assert from 'node:assert/strict'
import { test } from 'node:test'
import { latenciesOf } from '../../../playground/inspect/latencies.ts'
import { newStore, push } from '../stored.ts'

test('latencies of a method are of its answers alone, on all connections', () => {
  const store = newStore()
  const answer = (id: number, method: string, ms: number, error = false) => {
    const connection = 1 + (id % 2)
    push(store, 'out', { id, method }, { connection, time: 1000 })
    const end = error ? { error: { code: 1, message: '' } } : { result: {} }
    push(store, 'in', { id, ...end }, { connection, time: 1000 + ms })
  }
  for (let i = 1; i <= 19; i++) answer(i, 'a/b', i * 10)
  assert.equal(latenciesOf(store, 'a/b'), undefined, '19 are too few for percentiles')
  for (let i = 20; i <= 100; i++) answer(i, 'a/b', i * 10, i % 10 === 0)
  answer(101, 'c/d', 99_999)
  push(store, 'out', { id: 102, method: 'a/b' }, { time: 1000 })
  assert.deepEqual(latenciesOf(store, 'a/b'), { count: 100, p50: 500, p95: 950 })
  assert.equal(latenciesOf(store, 'no/such'), undefined)
})
