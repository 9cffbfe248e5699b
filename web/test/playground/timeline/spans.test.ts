import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Store } from '../../../playground/messages/store.ts'
import { axisOf, marksOf, spanOf } from '../../../playground/timeline/spans.ts'

/** A store with the messages at these times: positive ids are requests, negative ones the responses to them. */
function storeOf(...messages: readonly (readonly [id: number, time: number])[]): Store {
  const store = new Store((run) => run())
  for (const [id, time] of messages) {
    const [direction, rest] =
      id > 0 ? (['out', { method: 'ping' }] as const) : (['in', { result: {} }] as const)
    const raw = JSON.stringify({ jsonrpc: '2.0', id: Math.abs(id), ...rest })
    store.push({ connection: 1, direction, framing: 'port', raw, time })
  }
  return store
}

test('the axis covers the visible rows, at least a millisecond', () => {
  const store = storeOf([1, 1000], [2, 1100], [-1, 1400])
  assert.deepEqual(axisOf(store, [0, 1, 2]), { from: 1000, to: 1400 })
  assert.deepEqual(axisOf(store, [1]), { from: 1100, to: 1101 })
  assert.deepEqual(axisOf(store, []), { from: 0, to: 1 })
})

test('a request spans the time to its response, and goes on if that is not visible', () => {
  const store = storeOf([1, 1000], [2, 1100], [-1, 1400], [3, 1500], [-2, 3000])
  const axis = { from: 1000, to: 2000 }
  assert.deepEqual(spanOf(store, 0, axis), { at: 0, length: 0.4, open: false })
  assert.deepEqual(spanOf(store, 1, axis), { at: 0.1, length: 0.9, open: true })
  assert.deepEqual(spanOf(store, 2, axis), { at: 0.4, length: 0, open: false })
  assert.deepEqual(spanOf(store, 3, axis), { at: 0.5, length: 0.5, open: true }, 'no response yet')
})

test('a response that made a task spans the life of the task, until its final state', () => {
  const store = new Store((run) => run())
  const add = (time: number, message: object, direction: 'in' | 'out' = 'in') =>
    store.push({ connection: 1, direction, framing: 'port', raw: JSON.stringify(message), time })
  const working = { taskId: 'a', status: 'working' }
  add(1000, { id: 1, method: 'tools/call', params: { name: 'x' } }, 'out')
  const made = add(1100, { id: 1, result: { resultType: 'task', ...working } })
  const other = add(1150, { id: 1, result: { resultType: 'task', taskId: 'b', status: 'working' } })
  add(1200, { method: 'notifications/tasks', params: working })
  add(1300, { id: 2, method: 'tasks/get', params: { taskId: 'a' } }, 'out')
  const end = add(1600, {
    id: 2,
    result: { resultType: 'complete', taskId: 'a', status: 'failed' },
  })
  add(1900, { method: 'notifications/tasks', params: { taskId: 'a', status: 'completed' } })
  const axis = { from: 1000, to: 2000 }
  assert.deepEqual(spanOf(store, made, axis), { at: 0.1, length: 0.5, open: false })
  assert.deepEqual(spanOf(store, other, axis), { at: 0.15, length: 0.85, open: true })
  assert.deepEqual(spanOf(store, end, axis), { at: 0.6, length: 0, open: false })
  assert.deepEqual([store.state(made), store.target(end)], ['task', 'a'])
  assert.equal(store.taskEnd(made), end)
  store.clear()
  assert.equal(store.taskEnd(made), undefined)
})

test('marks are at 1, 2 or 5 times a power of ten, and few', () => {
  for (const [length, most, expected] of [
    [1, 6, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [400, 6, [0, 100, 200, 300, 400]],
    [999, 4, [0, 500]],
    [60_000, 6, [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]],
  ] as const) {
    const marks = marksOf({ from: 5, to: 5 + length }, most)
    assert.deepEqual(
      marks.map((one) => Number(one.toFixed(6))),
      expected,
    )
  }
})
