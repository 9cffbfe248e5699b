/** JSON that is being written: where things are, whether or not it is complete. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { plainValue } from '../../../playground/compose/schema-at.ts'
import { jsonTree, nodeAt, placeAt, replaceAt } from '../../../playground/protocol/json.ts'

/** A text with `|` where the caret is. */
function caret(marked: string) {
  const offset = marked.indexOf('|')
  const source = marked.replace('|', '')
  const place = placeAt(source, jsonTree(source).root, offset)
  const on = place.node && source.slice(place.node.from, place.node.to)
  return `${place.key ? 'key in ' : ''}/${place.path.join('/')}${on === undefined ? '' : ` on ${on}`}`
}

test('what is JSON is read as JSON.parse does', () => {
  for (const value of [{ a: [1, -2.5e3, 'x"\\', null, { b: true }], '': {} }, [], 'é\u2028', 7]) {
    for (const source of [JSON.stringify(value), JSON.stringify(value, null, 2)]) {
      const { root, errorAt } = jsonTree(source)
      assert.equal(errorAt, undefined)
      assert.deepEqual(plainValue(root, source), value)
    }
  }
})

test('what is no JSON is found to be none, as JSON.parse finds', () => {
  const texts = ['', '{', '{"a"', '{"a":', '{"a":1', '{"a":1,}', '[1,]', '[1 2]', '{"a" 1}', '01']
  for (const text of [...texts, '"\n"', '{} x', "{'a':1}", 'nul', '{"a":1 "b":2}', '"\\x"']) {
    assert.throws(() => JSON.parse(text), text)
    assert.notEqual(jsonTree(text).errorAt, undefined, text)
  }
})

test('random damage never throws, and is never taken for JSON', () => {
  const whole = '{"jsonrpc":"2.0","id":1,"params":{"_meta":{"a/b":[1,true,"x"]},"uri":"a:b"}}'
  let seed = 1
  const random = (below: number) => {
    seed = (seed * 48271) % 2147483647
    return seed % below
  }
  for (let i = 0; i < 2000; i++) {
    const at = random(whole.length)
    const text = whole.slice(0, at) + '{}[]",:1t '[random(10)] + whole.slice(at + random(4))
    let good = true
    try {
      JSON.parse(text)
    } catch {
      good = false
    }
    assert.equal(jsonTree(text).errorAt === undefined, good, text)
    for (let offset = 0; offset <= text.length; offset += 7) {
      placeAt(text, jsonTree(text).root, offset)
    }
  }
  assert.ok(jsonTree('['.repeat(100_000)).errorAt)
})

test('the place of the caret', () => {
  assert.equal(caret('{|}'), 'key in /')
  assert.equal(caret('{ "a|": 1 }'), 'key in / on "a"')
  assert.equal(caret('{ "a": | }'), '/a')
  assert.equal(caret('{ "a": "x|" }'), '/a on "x"')
  assert.equal(caret('{ "a": "x", | }'), 'key in /')
  assert.equal(caret('{ "a": { "b": [1, |] } }'), '/a/b/1')
  assert.equal(caret('{ "a": { "b": [1|] } }'), '/a/b/0 on 1')
  assert.equal(caret('{ "a": { | } }'), 'key in /a')
  assert.equal(caret('{ "a": { "b": 1, "c|'), 'key in /a on "c')
  assert.equal(caret('{ "a": "x|'), '/a on "x')
  assert.equal(caret('|'), '/')
})

test('one value is replaced, and every other character stays', () => {
  const source = '{ "id" : 1 ,\n "a": {"b":[ 2 ]} }'
  assert.equal(replaceAt(source, ['a', 'b', 0], '"x"'), '{ "id" : 1 ,\n "a": {"b":[ "x" ]} }')
  assert.equal(replaceAt(source, ['nothing'], '1'), undefined)
  assert.equal(nodeAt(jsonTree('{"a":1,"a":2}').root, ['a'])?.from, 11) // the last one counts
})
