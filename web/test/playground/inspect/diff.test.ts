import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffJson, maxDifferences } from '../../../playground/inspect/diff-json.ts'
import { diffLists, diffTexts, placesOf } from '../../../playground/inspect/diff-text.ts'

/** Numbers that look random and are the same each time. */
function dice(seed: number) {
  let state = seed
  return (n: number) => {
    state = (state * 48271) % 2147483647
    return state % n
  }
}

test('lists that have nothing in common are told as replaced, however long they are', () => {
  const a = Array.from({ length: 5000 }, (_, i) => i)
  const b = a.map((i) => -1 - i)
  assert.deepEqual(
    diffLists(a, b).map(({ removed, value }) => [removed, value.length]),
    [
      [true, 5000],
      [false, 5000],
    ],
  )
})

test('texts: words of lines that changed', () => {
  const pieces = diffTexts('Buy\nmilk, bread\nSleep\n', 'Buy\nmilk, two pears\nSleep\n')
  assert.deepEqual(pieces, [
    { kind: 'same', text: 'Buy\n' },
    { kind: 'same', text: 'milk, ' },
    { kind: 'removed', text: 'bread' },
    { kind: 'added', text: 'two pears' },
    { kind: 'same', text: '\n' },
    { kind: 'same', text: 'Sleep\n' },
  ])
  assert.equal(placesOf(pieces), 1)
})

test('texts: in scripts without spaces a character is a word', () => {
  const changed = diffTexts('今日は牛乳', '今日はパン').filter(({ kind }) => kind !== 'same')
  assert.deepEqual(changed, [
    { kind: 'removed', text: '牛乳' },
    { kind: 'added', text: 'パン' },
  ])
})

test('texts: both can be read from the pieces', () => {
  const roll = dice(5)
  const text = () =>
    Array.from({ length: roll(30) }, () => ['a', 'b ', '\n', 'milk', ' ', '今'][roll(6)]).join('')
  for (let round = 0; round < 300; round++) {
    const [before, after] = [text(), text()]
    const pieces = diffTexts(before, after)
    const without = (kind: string) =>
      pieces.map((piece) => (piece.kind === kind ? '' : piece.text)).join('')
    assert.deepEqual([without('added'), without('removed')], [before, after])
  }
})

test('JSON: paths of what was added, removed and changed', () => {
  const before = { a: 1, b: { 'x/y': true, '~': 0 }, c: [1, 2], gone: null }
  const after = { a: 2, b: { 'x/y': false, '~': 0 }, c: [1, 2, 3], new: {} }
  assert.deepEqual(diffJson(before, after), [
    { path: '/a', kind: 'changed', before: 1, after: 2 },
    { path: '/b/x~1y', kind: 'changed', before: true, after: false },
    { path: '/c/2', kind: 'added', after: 3 },
    { path: '/new', kind: 'added', after: {} },
    { path: '/gone', kind: 'removed', before: null },
  ])
  assert.deepEqual(diffJson(before, structuredClone(before)), [])
})

test('JSON: a resource that moved and changed is told by its change', () => {
  const before = [{ uri: 'a://' }, { uri: 'b://', title: 'B' }]
  const after = [{ uri: 'new://' }, { uri: 'a://' }, { uri: 'b://', title: 'Bee' }]
  assert.deepEqual(diffJson(before, after), [
    { path: '/0', kind: 'added', after: { uri: 'new://' } },
    { path: '/2/title', kind: 'changed', before: 'B', after: 'Bee' },
  ])
})

test('JSON: values are compared, and numbers are not texts', () => {
  assert.deepEqual(diffJson([1], ['1']), [{ path: '/0', kind: 'changed', before: 1, after: '1' }])
  assert.deepEqual(diffJson({}, []), [{ path: '', kind: 'changed', before: {}, after: [] }])
})

test('JSON: no more is told than anybody reads', () => {
  const many = Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [i, i]))
  assert.equal(diffJson({}, many).length, maxDifferences)
})

test('JSON: values of any depth are compared', () => {
  const deep = (leaf: number) => JSON.parse(`${'['.repeat(5000)}${leaf}${']'.repeat(5000)}`)
  assert.ok(diffJson(deep(1), deep(2)).length <= 1)
  assert.deepEqual(diffJson({ a: deep(1), b: 1 }, { a: deep(1), b: 2 }).at(-1)?.path, '/b')
})
