// URI templates are expanded as RFC 6570 has it: testdata/uritemplates.json, the same table that Go is held to.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { expand, type Variable } from '../../../playground/base/expand.ts'

interface Section {
  variables: Record<string, Variable>
  testcases: [string, string | string[] | false][]
}
const file = new URL('../../../../testdata/uritemplates.json', import.meta.url)
const sections: Record<string, Section> = JSON.parse(readFileSync(file, 'utf8'))

for (const [name, { variables, testcases }] of Object.entries(sections)) {
  test(name, () => {
    for (const [template, expected] of testcases) {
      if (expected === false) {
        assert.throws(() => expand(template, variables), TypeError, template)
      } else {
        assert.ok([expected].flat().includes(expand(template, variables)), template)
      }
    }
  })
}

test('text is UTF-8, whole characters are cut, and numbers and booleans are text', () => {
  assert.equal(expand('a:{x}', { x: 'é€😀' }), 'a:%C3%A9%E2%82%AC%F0%9F%98%80')
  assert.equal(expand('a:{x:1}', { x: '😀b' }), 'a:%F0%9F%98%80')
  assert.equal(expand('a:{x}', { x: '\ud800' }), 'a:%EF%BF%BD')
  assert.equal(expand('a:{+x}', { x: 'ü/%41%' }), 'a:%C3%BC/%41%25')
  assert.equal(expand("a:ü'{x}", { x: "'" }), "a:%C3%BC'%27")
  assert.equal(expand('a:{x,y}', { x: 1, y: false }), 'a:1,false')
  assert.equal(expand('a:{x}{?x}', {}), 'a:')
})

test('a dot stands within a name', () => {
  assert.equal(expand('a:{x.y}{.x.y*}', { 'x.y': 'z' }), 'a:z.z')
})

test('names are own properties, whatever they are called', () => {
  assert.equal(expand('a:{constructor}{__proto__}', {}), 'a:')
})

test('what is no template is refused', () => {
  for (const template of [
    'a:{',
    'a:}',
    'a:{}',
    'a:{x y}',
    'a:{!x}',
    'a:{x:0}',
    'a:{x*:1}',
    'a:{x.}',
    'a:{.}',
    'a:{x..y}',
    'a:{..x}',
    'a:{%4}',
  ]) {
    assert.throws(() => expand(template, { x: 'y' }), TypeError, template)
  }
  assert.throws(() => expand('a:{x:3}', { x: ['a'] }), TypeError)
})
