// Vite 5 finds `new URL('./engine.wasm', import.meta.url)` with the help of js-tokens 8, which ends a regular expression
// at a slash inside a character class. What follows may then count as a text, and the app is built without engine.wasm.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'oldest-typescript'
import { packageDirectory } from './drive.ts'

test('classes in regular expressions of index.js have no slash that Vite 5 misunderstands', () => {
  const expressions = regularExpressions(readFileSync(join(packageDirectory, 'index.js'), 'utf8'))
  assert.ok(expressions.length >= 20, `found ${expressions.length} regular expressions`)
  assert.deepEqual(expressions.filter(hasBareSlash), [], 'write \\/ within [ ], too')
})

test('a bare slash is found within a class only', () => {
  const texts = ['/a[^/]/', '/[\\]/]/', '/[^\\/]/', '/a\\/b/', '/\\[\\//']
  assert.deepEqual(texts.filter(hasBareSlash), ['/a[^/]/', '/[\\]/]/'])
})

function regularExpressions(code: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text)
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('index.js', code, ts.ScriptTarget.Latest))
  return found
}

/** Whether a class of the expression has a slash without a backslash. */
function hasBareSlash(expression: string): boolean {
  const body = expression.slice(1, expression.lastIndexOf('/'))
  const classes = /\\.|\[(?<members>(?:\\.|[^\]\\])*)\]/gs
  return [...body.matchAll(classes)].some(({ groups }) =>
    groups?.members?.replaceAll(/\\./gs, '').includes('/'),
  )
}
