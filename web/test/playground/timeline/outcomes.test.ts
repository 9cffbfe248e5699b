/** Outcomes of messages: results that are no success, and requests that get no response. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../playground/messages/store.ts'
import { explainRow } from '../../../playground/protocol/explain.ts'
import { announcementOf } from '../../../playground/timeline/announcements.ts'
import { Bars } from '../../../playground/timeline/bars.ts'
import { diagramSvg } from '../../../playground/timeline/diagram-svg.ts'
import { parseFilter } from '../../../playground/timeline/filter.ts'
import { line, outcome, targetText } from '../../../playground/timeline/format.ts'
import { mermaid } from '../../../playground/timeline/mermaid.ts'
import { statusOf } from '../../../playground/timeline/status.ts'
import { newStore, push, rowsOf } from '../stored.ts'

const call = (id: number) => ({ id, method: 'tools/call', params: { name: 'book' } })
const toolError = { content: [{ type: 'text', text: 'no seat' }], isError: true }
const needsInput = { resultType: 'input_required', inputRequests: {} }

function storeOf(...messages: readonly (object | string)[]) {
  const store = newStore()
  for (const message of messages) {
    const event = typeof message === 'string'
    const out = !event && ('method' in message || 'out' in message) && !('in' in message)
    if (event) push(store, 'world', message)
    else push(store, out ? 'out' : 'in', { jsonrpc: '2.0', ...message })
  }
  return store
}

const statuses = (store: Store) => rowsOf(store).map((row) => statusOf(store, row))

const passing = (store: Store, filter: string) => {
  const { compile, problems } = parseFilter(filter)
  assert.deepEqual(problems, [])
  const test = compile(store, () => undefined)
  return rowsOf(store).filter((row) => test?.(row))
}

const results = () =>
  storeOf(call(1), { id: 1, result: toolError }, call(2), { id: 2, result: needsInput }, call(3), {
    id: 3,
    result: { content: [] },
  })

test('a tool error and a request for input are states of their own, of request and response', () => {
  const store = results()
  assert.deepEqual(statuses(store), ['failed', 'failed', 'input', 'input', 'ok', 'ok'])
  assert.deepEqual(passing(store, 'status:ok'), [4, 5])
  assert.deepEqual(passing(store, 'status:failed'), [0, 1])
  assert.deepEqual(passing(store, 'status:input'), [2, 3])
  assert.deepEqual(
    [1, 3, 5].map((row) => outcome(store, row)),
    ['tool error', 'input needed', 'ok'],
  )
})

test('only the members that the protocol names change the outcome', () => {
  const store = storeOf(
    call(1),
    { id: 1, result: { content: [], isError: 'yes', structuredContent: { isError: true } } },
    { id: 2, method: 'resources/read', params: {} },
    { id: 2, result: { contents: [{ text: '"isError": true, "input_required"' }] } },
  )
  assert.deepEqual(statuses(store), ['ok', 'ok', 'ok', 'ok'])
})

test('diagrams and announcements name these outcomes', () => {
  const store = results()
  const name = () => ({ letter: 'A', title: 'Shop' })
  const rows = [0, 1, 2, 3, 4, 5]
  const text = mermaid(store, rows, name)
  assert.match(text, /--x-P0: tool error \(1\)/)
  assert.match(text, /-->>-P0: input needed \(2\)/)
  assert.match(text, /-->>-P0: result \(3\)/)
  const bars = new Bars(store)
  const svg = diagramSvg(store, bars, rows, name, (row) => line(store, row))
  assert.match(svg, /fill="#b3261e">tools.call #1 tool error/)
  assert.match(svg, /fill="#8a5a00">tools.call #2 input needed/)
  assert.deepEqual(announcementOf(store, 0, 2), {
    key: 'timeline.spokenFailed',
    params: { method: 'tools/call' },
  })
  assert.deepEqual(announcementOf(store, 2, 4), {
    key: 'timeline.spokenInput',
    params: { method: 'tools/call' },
  })
  assert.deepEqual(announcementOf(store, 0, 6), {
    key: 'timeline.spokenErrors',
    params: { count: 3, errors: 1 },
  })
})

test('the explanation of such a result does not say success', () => {
  const store = results()
  const first = (row: number) => explainRow(store, row, '2026-07-28').sentences[0]?.key
  assert.equal(first(1), 'explain.failed')
  assert.equal(first(3), 'explain.input')
  assert.equal(first(5), 'explain.result')
})

test('a closed connection ends its waiting requests, also those of the server', () => {
  const store = storeOf(
    call(1),
    { in: true, id: 1, method: 'roots/list' },
    { id: 2, method: 'ping' },
    { id: 2, result: {} },
    'closed: the network is gone',
  )
  assert.deepEqual(statuses(store), ['unanswered', 'unanswered', 'ok', 'ok', ''])
  assert.equal(outcome(store, 0), 'no response')
  assert.equal(explainRow(store, 0, '2026-07-28').sentences.at(-1)?.key, 'explain.unanswered')
  // the next connection of the same client begins anew: an equal id is another request
  push(store, 'in', { id: 1, result: {} })
  assert.equal(store.partner(0), -1)
})

test('other connections keep waiting when one closes, and a reconnect ends requests too', () => {
  const store = storeOf(call(1))
  push(store, 'out', call(1), { connection: 2 })
  push(store, 'world', 'closed', { connection: 12 })
  assert.deepEqual(statuses(store), ['waiting', 'waiting', ''])
  push(store, 'world', 'reconnects')
  assert.deepEqual(statuses(store), ['unanswered', 'waiting', '', ''])
})

test('a cancelled request does not wait, and a late response still counts', () => {
  const store = storeOf(call(7), {
    method: 'notifications/cancelled',
    params: { requestId: 7, reason: 'enough' },
  })
  assert.equal(statusOf(store, 0), 'cancelled')
  push(store, 'in', { id: 7, result: {} })
  assert.equal(statusOf(store, 0), 'ok')
})

test('an error without an id, or with null, is the verdict on the oldest message that cannot have one', () => {
  const store = storeOf({ id: { a: 1 }, method: 'ping' }, call(4))
  const say = (direction: 'in' | 'out', raw: string, connection = 1) =>
    push(store, direction, raw, { connection })
  const cut = say('out', '{"jsonrpc":"2.0","id":5,"meth')
  say('out', '[{"jsonrpc":"2.0","id":6,"method":"ping"}]')
  const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid"}}'
  const elsewhere = say('in', refused, 2)
  const first = say('in', refused)
  const second = say('in', '{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}')
  assert.deepEqual([store.partner(0), store.partner(cut)], [first, second])
  assert.deepEqual([store.partner(first), store.partner(second)], [0, cut])
  assert.equal(statusOf(store, 0), 'error')
  assert.equal(statusOf(store, 1), 'waiting', 'a valid request has its own response')
  assert.equal(store.partner(elsewhere), -1)
  const sentences = explainRow(store, second, '2026-07-28').sentences.map(({ key }) => key)
  assert.equal(sentences[0], 'explain.verdict')
  store.clear()
  say('in', refused)
  assert.equal(store.partner(0), -1)
})

test('a malformed message that gets no response does not take that to the next one', () => {
  const store = storeOf()
  const say = (direction: 'in' | 'out', raw: string) =>
    push(store, direction, raw, { framing: 'http' })
  const cut = '{"jsonrpc":"2.0","id":5,"meth'
  say('out', cut)
  store.end(1, '', cut) // HTTP status 400 without a body
  const odd = '{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}'
  const row = say('out', odd)
  const refused = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid"}}'
  const response = say('in', refused)
  store.end(1, '{"a":1}', odd) // its status is 400, too
  assert.deepEqual([store.partner(row), store.partner(response)], [response, row])
  assert.equal(statusOf(store, row), 'error')
})

test('progress is shown with its total and its text', () => {
  const note = (params: unknown) => ({ in: true, method: 'notifications/progress', params })
  const store = storeOf(
    note({ progressToken: 1, progress: 3, total: 5, message: 'cutting' }),
    note({ progressToken: 1, progress: 3 }),
    note({ progressToken: 1, progress: '<b>', total: {} }),
    note(null),
    call(1),
  )
  assert.deepEqual(
    [0, 1, 2, 3, 4].map((row) => targetText(store, row)),
    ['3/5 cutting', '3', '', '', 'book'],
  )
  assert.match(line(store, 0), /3\/5 cutting/)
})

test('a request that was cancelled or ended has no open bar, on time axis and diagram', () => {
  const store = storeOf(
    call(1),
    { method: 'notifications/cancelled', params: { requestId: 1 } },
    call(2),
    call(3),
    'failed: the server has stopped',
  )
  store.end(1, '2')
  assert.deepEqual(
    [0, 2, 3].map((row) => store.times(row).to === Number.POSITIVE_INFINITY),
    [false, false, true],
  )
  assert.deepEqual(
    [0, 2, 3].map((row) => store.ended(row)),
    [1, 4, -1],
  )
  const bars = new Bars(store)
  assert.deepEqual(
    [...bars.between(0, 9)].map(({ from, to }) => [from, to]),
    [
      [0, 1],
      [2, 4],
      [3, Number.POSITIVE_INFINITY],
    ],
  )
})
