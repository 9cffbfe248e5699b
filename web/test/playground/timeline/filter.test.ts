import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Entry } from '../../../playground/messages/entry.ts'
import { parseFilter } from '../../../playground/timeline/filter.ts'
import { newStore, push, rowsOf } from '../stored.ts'

/** A read that is answered after 80 ms, one that fails, one that waits, an update, a broken text and an event. */
function traffic() {
  const store = newStore()
  const say = (direction: Entry['direction'], message: unknown, time: number, connection = 1) =>
    push(store, direction, message, { connection, time })
  const read = (id: unknown, uri: string) => ({
    jsonrpc: '2.0',
    id,
    method: 'resources/read',
    params: { uri },
  })
  say('out', read(1, 'notes://today'), 0) // 0
  say('in', { jsonrpc: '2.0', id: 1, result: { contents: [{ text: 'Milk, bread' }] } }, 80) // 1
  say('out', read('3', 'tab://x'), 100, 2) // 2
  say('in', { jsonrpc: '2.0', id: '3', error: { code: -32602, message: 'no' } }, 110, 2) // 3
  say('out', { jsonrpc: '2.0', id: 4, method: 'prompts/list' }, 120) // 4
  say('in', { jsonrpc: '2.0', method: 'notifications/x', params: { uri: 'notes://a' } }, 130) // 5
  say('in', '{"jsonrpc":', 140) // 6
  say('world', 'write notes://today', 150, 0) // 7
  return store
}

const connectionOf = (letter: string) => ({ a: 1, b: 2 })[letter.toLowerCase()]

function passing(filter: string): number[] {
  const store = traffic()
  const passes = parseFilter(filter).compile(store, connectionOf) ?? (() => true)
  return rowsOf(store).filter(passes)
}

const all = [0, 1, 2, 3, 4, 5, 6, 7]

for (const [filter, rows] of [
  ['', all],
  ['   ', all],
  ['method:resources/*', [0, 1, 2, 3]],
  ['method:RESOURCES/read', [0, 1, 2, 3]],
  ['method:list', [4]],
  ['method:resources', [0, 1, 2, 3]],
  ['method:*list', [4]],
  ['uri:notes*', [0, 1, 5]],
  ['uri:"notes://today"', [0, 1]],
  ['dir:in', [1, 3, 5, 6]],
  ['dir:in,world', [1, 3, 5, 6, 7]],
  ['DIR:Out', [0, 2, 4]],
  ['client:b', [2, 3]],
  ['client:A,world', [0, 1, 4, 5, 6, 7]],
  ['client:Z', []],
  ['kind:error', [3]],
  ['kind:request,result', [0, 1, 2, 4]],
  ['id:3', [2, 3]],
  ['id:1', [0, 1]],
  ['status:ok', [0, 1]],
  ['status:error', [2, 3]],
  ['status:waiting', [4]],
  ['status:broken', [6]],
  ['code:-32602', [3]],
  ['>50ms', [0, 1]],
  ['<50ms', [2, 3]],
  ['ms>9', [0, 1, 2, 3]],
  ['>0.05s', [0, 1]],
  ['at:..50ms', [0, 1]],
  ['at:105', [2, 3]],
  ['at:0.12s..135ms', [4, 5]],
  ['AT:145..', [4, 7]],
  ['-at:..110', [4, 5, 6, 7]],
  ['at:', all],
  ['size<20', [6, 7]],
  ['size>1k', []],
  ['framing:port dir:world', []],
  ['milk', [1]],
  ['"milk, bread"', [1]],
  ['"milk,  bread"', []],
  ['notes://today', [0, 1, 7]],
  ['-method:resources/* -dir:world', [4, 5, 6]],
  ['-"milk, bread" method:resources/read', [0, 2, 3]],
  ['--x', all],
  ['(.*', []],
  ['method:', all],
] as const) {
  test(`the filter ${filter || 'of nothing'} lets ${rows.length} rows through`, () => {
    assert.deepEqual(passing(filter), rows)
    assert.deepEqual(parseFilter(filter).problems, [])
  })
}

for (const [filter, problem] of [
  ['methd:x', { from: 0, to: 7, key: 'timeline.filterKey' }],
  ['a dir:up', { from: 2, to: 8, key: 'timeline.filterChoice' }],
  ['code:x dir:in', { from: 0, to: 6, key: 'timeline.filterNumber' }],
  ['at:1s.. at:1m', { from: 8, to: 13, key: 'timeline.filterNumber' }],
  ['at:..', { from: 0, to: 5, key: 'timeline.filterNumber' }],
  ['>5parsec', { from: 0, to: 8, key: 'timeline.filterNumber' }],
  ['dir:in "milk', { from: 7, to: 12, key: 'timeline.filterQuote' }],
] as const) {
  test(`what is wrong with ${filter} is told with its place`, () => {
    const [{ params: _, ...found } = {}, ...others] = parseFilter(filter).problems
    assert.deepEqual(found, problem)
    assert.deepEqual(others, [])
  })
}

test('a filter of any characters is read to its end', () => {
  const characters = '-"<>:* =()[]\\ab1'
  let seed = 7
  const next = (n: number) => {
    seed = (seed * 48271) % 2147483647
    return seed % n
  }
  const store = traffic()
  for (let i = 0; i < 3000; i++) {
    const text = Array.from({ length: next(14) }, () => characters[next(characters.length)]).join(
      '',
    )
    const filter = parseFilter(text)
    filter.compile(store, connectionOf)?.(0)
    for (const { from, to } of filter.problems) {
      assert.ok(0 <= from && from <= to && to <= text.length, text)
    }
  }
})
