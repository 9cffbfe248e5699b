import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '../../../playground/messages/store.ts'
import { parseFilter } from '../../../playground/timeline/filter.ts'
import { FilteredRows } from '../../../playground/timeline/filtered-rows.ts'
import { newStore, push } from '../stored.ts'

function storeOf(rows: number): Store {
  const store = newStore()
  for (let row = 0; row < rows; row++) add(store, row)
  return store
}

const add = (store: Store, row: number) =>
  push(
    store,
    'in',
    `{"jsonrpc":"2.0","method":"notifications/${row % 3 ? 'odd' : 'third'}","params":{"uri":"x://${row}"}}`,
  )

const rowsOf = (shown: FilteredRows) => Array.from({ length: shown.length }, (_, i) => shown.row(i))

const compile = (text: string, store: Store) => parseFilter(text).compile(store, () => undefined)

test('without a filter all rows are shown', () => {
  const store = storeOf(10)
  const shown = new FilteredRows(store)
  assert.equal(shown.advance(store.length), true)
  assert.deepEqual([shown.length, shown.hidden, shown.row(7), shown.indexOf(7)], [10, 0, 7, 7])
})

test('only new rows are looked at', () => {
  const store = storeOf(9)
  const shown = new FilteredRows(store)
  const asked: number[] = []
  shown.begin((row) => {
    asked.push(row)
    return row % 3 === 0
  })
  shown.advance(store.length)
  assert.deepEqual(rowsOf(shown), [0, 3, 6])
  asked.length = 0
  add(store, 9)
  shown.advance(store.length)
  assert.deepEqual(asked, [9])
  assert.deepEqual(rowsOf(shown), [0, 3, 6, 9])
  assert.equal(shown.hidden, 6)
})

test('a place is found for rows that are hidden, too', () => {
  const store = storeOf(9)
  const shown = new FilteredRows(store)
  shown.begin(compile('method:*third', store))
  shown.advance(store.length)
  assert.deepEqual([shown.indexOf(3), shown.indexOf(4), shown.indexOf(100)], [1, 2, 3])
  assert.deepEqual([shown.has(3), shown.has(4)], [true, false])
})

test('a long look stops after a slice and goes on where it was', () => {
  const store = storeOf(5000)
  let now = 0
  const shown = new FilteredRows(store, () => (now += 5))
  shown.begin(compile('method:*third', store))
  assert.equal(shown.advance(store.length), false)
  assert.equal(shown.scanned, 4096)
  while (!shown.advance(store.length));
  assert.equal(shown.length, Math.ceil(5000 / 3))
})

test('a request is tested again when its answer comes', () => {
  const store = newStore()
  const shown = new FilteredRows(store)
  const filter = parseFilter('status:waiting')
  shown.begin(
    filter.compile(store, () => undefined),
    filter.looksAtAnswers,
  )
  for (const id of [1, 2, 3]) push(store, 'out', { id, method: 'ping' })
  shown.advance(store.length)
  assert.deepEqual(rowsOf(shown), [0, 1, 2])
  push(store, 'in', { id: 2, result: {} })
  shown.advance(store.length)
  assert.deepEqual(rowsOf(shown), [0, 2])

  const answered = parseFilter('status:ok')
  shown.begin(
    answered.compile(store, () => undefined),
    answered.looksAtAnswers,
  )
  shown.advance(store.length)
  push(store, 'in', { id: 1, result: {} })
  shown.advance(store.length)
  assert.deepEqual(rowsOf(shown), [0, 1, 3, 4])
})

test('after all rows were taken out it begins again', () => {
  const store = storeOf(9)
  const shown = new FilteredRows(store)
  shown.advance(store.length)
  store.clear()
  shown.advance(store.length)
  assert.equal(shown.length, 0)
})
