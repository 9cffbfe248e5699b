/** The import graph of all TypeScript of the product, types included: no cycles. */

import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const root = join(import.meta.dirname, '..')
const rooms = ['src', 'playground', 'demo', 'docs', 'extension']
// @types/node of Node 20 does not know it; tests run in Node 24.
const { globSync } = fs as unknown as {
  globSync(patterns: readonly string[], options: { cwd: string }): string[]
}

/** Relative imports of each module: statements, `import()` and `import type`, by path below web/. */
function imports(): Map<string, string[]> {
  const files = globSync(
    rooms.map((room) => `${room}/**/*.{ts,tsx}`),
    { cwd: root },
  )
  return new Map(
    files.map((file) => {
      const text = fs.readFileSync(join(root, file), 'utf8')
      const found = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+\.tsx?)'/g)]
      return [file, found.map(([, path = '']) => relative(root, join(root, dirname(file), path)))]
    }),
  )
}

/** Each cycle once, as the modules on it. */
function cycles(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const found: string[][] = []
  const state = new Map<string, 'open' | 'done'>()
  const path: string[] = []
  const visit = (file: string) => {
    if (state.get(file) === 'done') return
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file])
      return
    }
    state.set(file, 'open')
    path.push(file)
    for (const next of graph.get(file) ?? []) visit(next)
    path.pop()
    state.set(file, 'done')
  }
  for (const file of graph.keys()) visit(file)
  return found
}

test('modules import each other in no cycle', () => {
  const graph = imports()
  assert.ok(graph.get('src/start.ts')?.includes('src/thread.ts'))
  assert.deepEqual(cycles(graph), [])
})

test('the package imports none of its users', () => {
  const wrong = [...imports()].flatMap(([file, all]) =>
    file.startsWith('src/') ? all.filter((path) => !path.startsWith('src/')) : [],
  )
  assert.deepEqual(wrong, [])
})
