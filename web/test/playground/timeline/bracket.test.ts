/** Which rows the brackets of the list join. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bracketOf } from '../../../playground/timeline/bracket.ts'
import { listed } from '../../../playground/timeline/diagram.ts'
import { newStore, push } from '../stored.ts'

/** Requests and responses by their ids: `3` is a request, `-3` its response. */
function brackets(order: readonly number[], focused = -1, rows = order.map((_, row) => row)) {
  const store = newStore()
  for (const id of order)
    if (id > 0) push(store, 'out', { id, method: 'tools/list' })
    else push(store, 'in', id < 0 ? { id: -id, result: {} } : { method: 'x' })
  const list = listed(rows)
  return rows.map((_, index) => bracketOf(store, list, index, focused))
}

test('a bracket joins a request and the response right below it', () => {
  assert.deepEqual(brackets([1, -1, 2, -2]), ['top', 'end', 'top', 'end'])
})

test('rows of different pairs are not joined, in whatever order they come', () => {
  assert.deepEqual(brackets([3, 4, 5, -3, -4, -5]), ['far', 'far', 'far', 'far', 'far', 'far'])
  assert.deepEqual(brackets([4, 5, -5, -4]), ['far', 'top', 'end', 'far'])
  assert.deepEqual(brackets([1, 0, 2]), ['', '', ''])
})

test('the focused pair is joined through all rows between', () => {
  const lit = ['top lit', 'mid lit', 'mid lit', 'end lit', 'far', 'far']
  assert.deepEqual(brackets([3, 4, 5, -3, -4, -5], 0), lit)
  assert.deepEqual(brackets([3, 4, 5, -3, -4, -5], 3), lit)
})

test('rows that the filter hides join nothing', () => {
  assert.deepEqual(brackets([3, 4, -4, -3], -1, [0, 3]), ['top', 'end'])
  assert.deepEqual(brackets([3, 4, -4, -3], -1, [0, 2]), ['far', 'far'])
  assert.deepEqual(brackets([3, 4, -4, -3], 0, [0, 1]), ['top lit', 'mid lit'])
})
