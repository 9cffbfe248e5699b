import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Store } from '../../../playground/messages/store.ts'
import { folded } from '../../../playground/timeline/exchanges.ts'
import { Related } from '../../../playground/timeline/related.ts'
import { axisOf, density, phasesOf, spanOf, ticksOf } from '../../../playground/timeline/spans.ts'

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
  const span = (row: number) => spanOf(store.times(row), axis)
  assert.deepEqual(span(0), { at: 0, length: 0.4, open: false })
  assert.deepEqual(span(1), { at: 0.1, length: 0.9, open: true })
  assert.deepEqual(span(2), span(0), 'a response has the times of its exchange')
  assert.deepEqual(span(3), { at: 0.5, length: 0.5, open: true }, 'no response yet')
})

test('the axis covers the responses of the visible requests, too', () => {
  const store = storeOf([1, 1000], [2, 1100], [-1, 1400], [-2, 3000])
  assert.deepEqual(axisOf(store, [0]), { from: 1000, to: 1400 })
  assert.deepEqual(axisOf(store, [0, 1]), { from: 1000, to: 3000 })
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
  const task = (row: number) => phasesOf(store, row).find(({ is }) => is === 'task')
  const span = (row: number) => spanOf(task(row) as NonNullable<ReturnType<typeof task>>, axis)
  assert.deepEqual(span(made), { at: 0.1, length: 0.5, open: false })
  assert.deepEqual(span(other), { at: 0.15, length: 0.85, open: true })
  assert.equal(task(end), undefined)
  assert.deepEqual([store.state(made), store.target(end)], ['task', 'a'])
  assert.equal(store.taskEnd(made), end)
  store.clear()
  assert.equal(store.taskEnd(made), undefined)
})

test('the phases of an exchange are those that were measured', () => {
  const store = new Store((run) => run())
  const add = (time: number, message: object, direction: 'in' | 'out' = 'in') =>
    store.push({ connection: 1, direction, framing: 'port', raw: JSON.stringify(message), time })
  const progress = (progressToken: unknown) => ({
    method: 'notifications/progress',
    params: { progressToken, progress: 1 },
  })
  const _meta = { progressToken: 'p' }
  const call = add(1000, { id: 1, method: 'tools/call', params: { name: 'x', _meta } }, 'out')
  add(1010, progress('other'))
  const first = add(1100, progress('p'))
  add(1200, progress('p'))
  const made = add(1300, { id: 1, result: { resultType: 'task', taskId: 'a', status: 'working' } })
  const plain = add(1400, { id: 2, method: 'ping' }, 'out')
  const pong = add(1500, { id: 2, result: {} })
  const note = add(1550, {
    method: 'notifications/tasks',
    params: { taskId: 'a', status: 'completed' },
  })
  const listen = add(1600, { id: 3, method: 'subscriptions/listen' }, 'out')
  const about = { 'io.modelcontextprotocol/subscriptionId': 3 }
  const update = add(1700, { method: 'notifications/x', params: { _meta: about } })
  const related = new Related(store)
  const phases = (row: number) =>
    phasesOf(store, row, related.first(row)).map(({ is, from, to }) => `${is} ${from} ${to}`)
  assert.deepEqual(
    [call, plain, listen].map((row) => related.first(row)),
    [first, -1, update],
  )
  const expected = ['wait 1000 1100', 'stream 1100 1300', 'task 1300 1550']
  assert.deepEqual(phases(call), expected)
  assert.deepEqual(phases(made), expected, 'of the response, too, whose request the filter hides')
  assert.deepEqual(phases(plain), ['wait 1400 1500'])
  assert.deepEqual(phases(pong), ['wait 1400 1500'])
  assert.deepEqual(phases(note), [], 'a moment')
  assert.deepEqual(phases(listen), ['wait 1600 1700', 'stream 1700 Infinity'])
})

test('a response is part of the row of its request, unless the filter hides that', () => {
  const store = storeOf([1, 0], [2, 1], [-1, 2], [-2, 3], [3, 4])
  const rows = (test?: (row: number) => boolean) => [0, 1, 2, 3, 4].filter(folded(store, test))
  assert.deepEqual(rows(), [0, 1, 4])
  assert.deepEqual(
    rows((row) => row !== 0),
    [1, 2, 4],
  )
  assert.deepEqual(
    rows((row) => row < 3),
    [0, 1],
  )
})

test('ticks are at 1, 2 or 5 times a power of ten since the first message, and few', () => {
  for (const [from, length, most, step, at] of [
    [0, 1, 6, 0.2, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [0, 400, 6, 100, [0, 100, 200, 300, 400]],
    [0, 999, 4, 500, [0, 500]],
    [130, 200, 6, 50, [150, 200, 250, 300]],
    [0, 60_000, 6, 10_000, [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]],
  ] as const) {
    const ticks = ticksOf({ from: 5 + from, to: 5 + from + length }, 5, most)
    assert.deepEqual(
      ticks.at.map((one) => Number(one.toFixed(6))),
      at,
    )
    assert.equal(ticks.step, step)
  }
})

test('the overview counts the messages of each part of the time', () => {
  assert.deepEqual(density(storeOf([1, 0], [2, 1], [3, 9], [4, 10]), 5), [2, 0, 0, 0, 2])
  assert.deepEqual(density(storeOf([1, 7]), 2), [0, 1])
  assert.deepEqual(density(storeOf(), 2), [0, 0])
})
