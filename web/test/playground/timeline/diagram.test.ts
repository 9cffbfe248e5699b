import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Direction } from '../../../playground/messages/entry.ts'
import { Bars } from '../../../playground/timeline/bars.ts'
import {
  boxesOf,
  columnsOf,
  endsOf,
  fit,
  headOf,
  inTwoLines,
  labelLines,
  listed,
  tailOf,
} from '../../../playground/timeline/diagram.ts'
import { diagramSvg } from '../../../playground/timeline/diagram-svg.ts'
import { mermaid } from '../../../playground/timeline/mermaid.ts'
import { newStore, push, rowsOf } from '../stored.ts'

const name = (connection: number) =>
  connection === 0
    ? { letter: '', title: 'world' }
    : { letter: ' AB'[connection] as string, title: 'Demo; #1' }

/** Two clients of one server: a read, an event with its update, a failure, a cancel, and what is broken. */
function traffic() {
  const store = newStore()
  const say = (connection: number, direction: Direction, raw: object | string) =>
    push(store, direction, raw, { connection, time: 0 })
  say(1, 'out', { id: 1, method: 'resources/read', params: { uri: 'notes://today' } })
  say(2, 'out', { id: 'x', method: 'subscriptions/listen' })
  say(1, 'in', { id: 1, result: {} })
  say(0, 'world', 'write notes://today <b>')
  say(2, 'in', { method: 'notifications/resources/updated', params: { uri: 'notes://today' } })
  say(1, 'out', { id: 2, method: 'tools/call', params: { name: 'nothing' } })
  say(1, 'in', { id: 2, error: { code: -32602, message: 'no' } })
  say(2, 'out', { method: 'notifications/cancelled', params: { requestId: 'x' } })
  say(1, 'in', '{"broken"')
  say(2, 'world', 'closed: gone')
  return store
}

test('clients stand left of what they speak with, and the world last', () => {
  const columns = columnsOf([2, 0, 1], name, 'Client')
  assert.deepEqual(
    columns.map(({ kind, title }) => `${kind} ${title}`),
    ['client Client A', 'client Client B', 'server Demo; #1', 'world world'],
  )
  const store = traffic()
  assert.deepEqual(
    rowsOf(store).map((row) => endsOf(store, row, columns).join('→')),
    ['0→2', '1→2', '2→0', '3→3', '2→1', '0→2', '2→0', '1→2', '2→0', '1→2'],
  )
})

test('a client has the revision that it speaks, on its column and in the exported file', () => {
  const columns = columnsOf([1, 2], name, 'Client', (connection) => `r${connection}`)
  assert.deepEqual(
    columns.map(({ kind, revision }) => [kind, revision]),
    [
      ['client', 'r1'],
      ['client', 'r2'],
      ['server', undefined],
    ],
  )
  const store = newStore()
  const params = { protocolVersion: '2025-11-25' }
  push(store, 'out', { jsonrpc: '2.0', id: 1, method: 'initialize', params })
  assert.match(
    diagramSvg(store, new Bars(store), [0], name, () => 'x'),
    />2025-11-25<\/text>/,
  )
})

test('a text in the exported file covers the lifelines behind it', () => {
  const store = traffic()
  const svg = diagramSvg(store, new Bars(store), rowsOf(store), name, () => 'label')
  const under = [
    ...svg.matchAll(
      /<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"[^>]*fill="#fff"\/><text x="([\d.]+)"/g,
    ),
  ]
  assert.equal(under.length, 8) // all but the two events, which are boxes
  for (const [, x, , width, middle] of under) {
    assert.equal(Math.round(Number(x) + Number(width) / 2), Math.round(Number(middle)))
    assert.ok(Number(width) >= 'label'.length * 7)
  }
})

test('bars go from a request to its answer, its cancel or the end of its connection', () => {
  const store = traffic()
  const bars = new Bars(store)
  const found = [...bars.between(0, 9)].map(({ from, to, depth, side }) => [from, to, depth, side])
  assert.deepEqual(found, [
    [0, 2, 0, 'server'],
    [1, 7, 0, 'server'],
    [5, 6, 0, 'server'],
  ])
  assert.deepEqual([...bars.between(8, 9)], [])
})

test('what is open at the same time stands side by side', () => {
  const store = newStore()
  const bars = new Bars(store)
  for (const id of [1, 2, 3]) push(store, 'out', { id, method: 'ping' })
  push(store, 'in', { id: 2, result: {} })
  push(store, 'out', { id: 4, method: 'ping' })
  push(store, 'in', { id: 7, method: 'ping' })
  const all = [...bars.between(0, 99)]
  assert.deepEqual(
    all.map(({ depth, side }) => [depth, side]),
    [
      [0, 'server'],
      [1, 'server'],
      [2, 'server'],
      [1, 'server'],
      [0, 'client'],
    ],
  )
})

test('a bar is drawn only as far as it is seen', () => {
  const store = traffic()
  const bars = new Bars(store)
  const columns = columnsOf([1, 2], name, 'Client')
  const measures = { width: 300, step: 100, bar: 10 }
  const boxes = boxesOf(bars, listed(rowsOf(store)), 3, 5, columns, measures)
  assert.deepEqual(boxes, [{ x: 245, y: 272, width: 10, height: 300, open: false }])
})

test('the same traffic is the same Mermaid text', () => {
  const store = traffic()
  assert.equal(
    mermaid(store, rowsOf(store), name),
    `sequenceDiagram
  actor P0 as Client A
  actor P1 as Client B
  participant P2 as Demo#59; #35;1
  participant P3 as world
  P0->>+P2: resources/read notes://today (1)
  P1->>P2: subscriptions/listen ("x")
  P2-->>-P0: result (1)
  Note over P3: write notes://today #60;b#62;
  P2-)P1: notifications/resources/updated notes://today
  P0->>+P2: tools/call nothing (2)
  P2--x-P0: error -32602 (2)
  P1-)P2: notifications/cancelled "x"
  P2-xP0: {"broken"
  Note over P1,P2: closed: gone
`,
  )
})

test('an SVG file holds text as text, and every message', () => {
  const store = traffic()
  const bars = new Bars(store)
  const svg = diagramSvg(store, bars, rowsOf(store), name, (row) => store.raw(row))
  assert.equal(svg.match(/<path /g)?.length, 8)
  assert.match(svg, /write notes:..today &#60;b&#62;/)
  assert.doesNotMatch(svg, /<b>|NaN|undefined|<script/)
})

test('a text is cut where its room ends', () => {
  assert.equal(fit('notes://today', 100, 10), 'notes://t…')
  assert.equal(fit('notes', 100, 10), 'notes')
  assert.equal(fit('今日今日今日', 100, 10), '今日今日…')
})

for (const [text, room, expected] of [
  ['notifications/resources/updated', 31, 'notifications/resources/updated'],
  ['notifications/resources/updated', 20, '/resources/updated'],
  ['notifications/resources/updated', 12, '/updated'],
  ['notifications/resources/updated', 6, 'dated'],
  ['resources/read notes://today #3', 22, 'read notes://today #3'],
  ['server/discover #1 ok 906 ms', 21, 'iscover #1 ok 906 ms'],
  ['resources/read notes://today #3', 14, 'es://today #3'],
  ['tools/call long_name_of_a_tool #4 ok', 20, 'ame_of_a_tool #4 ok'],
  ['今日今日今日', 10, '今日今日'],
  ['today', 1, 'y'],
] as const) {
  test(`of ${text} the end is kept, in a room of ${room}`, () => {
    assert.equal(tailOf(text, room * 10, 10), expected)
  })
}

test('an event that is too wide keeps its beginning', () => {
  const event = 'write notes://today "milk, bread"'
  assert.equal(headOf(event, 120, 10), 'write notes')
  assert.equal(headOf(event, 400, 10), event)
  const { lines, isCut } = labelLines(event, 120, 10, headOf)
  assert.ok(isCut && lines.length <= 2 && event.startsWith(lines.join('')), lines.join('|'))
})

test('a label that is too wide for its lines loses its head', () => {
  const label = 'resources/templates/list #3 error -32602 12 ms'
  assert.deepEqual(labelLines(label, 500, 10), { lines: [label], isCut: false })
  assert.deepEqual(labelLines(label, 280, 10), {
    lines: ['resources/templates/list #3 ', 'error -32602 12 ms'],
    isCut: false,
  })
  for (const room of [60, 100, 150, 200]) {
    const { lines, isCut } = labelLines(label, room, 10)
    assert.ok(isCut && lines.length <= 2 && lines.every((line) => line.trim().length <= room / 10))
    assert.ok(label.endsWith(lines.join('')), 'the visible text is a part of the name')
  }
})

test('a text that is too wide is broken once, at the last place that fits', () => {
  const updated = 'notifications/resources/updated'
  assert.deepEqual(inTwoLines(updated, 180, 10), ['notifications/', 'resources/updated'])
  assert.deepEqual(inTwoLines(updated, 240, 10), ['notifications/resources/', 'updated'])
  assert.deepEqual(inTwoLines(updated, 310, 10), [updated])
  assert.deepEqual(inTwoLines('write notes://today', 150, 10), ['write ', 'notes://today'])
  assert.deepEqual(inTwoLines('write notes://today/12', 150, 10), ['write notes://', 'today/12'])
  assert.deepEqual(inTwoLines('ok tools/call #2', 150, 10), ['ok tools/call ', '#2'])
  assert.deepEqual(inTwoLines('unbreakable', 50, 10), ['unbreakable'])
})
