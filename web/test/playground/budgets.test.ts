/**
 * What the playground loads first, of the files that `pagemcp build` makes: gzip, as web hosts send them. The budget is 5 %
 * more than it weighs; those of the package are in server/bundle/budgets_test.go.
 */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type Playground, servePlayground } from './harness.ts'

const KB = 1000 // bytes

let playground: Playground
let files: Map<string, { code: string; size: number }>

before(async () => {
  playground = await servePlayground()
  const directory = join(playground.directory, 'playground')
  const names = readdirSync(directory, { recursive: true }) as string[]
  files = new Map(
    names
      .filter((name) => /\.(js|css)$/.test(name))
      .map((name) => {
        const code = readFileSync(join(directory, name))
        return [name, { code: code.toString(), size: gzipSync(code, { level: 9 }).length }]
      }),
  )
})
after(() => playground?.close())

/** A module and all that it imports statically, by their paths. */
function loadedWith(name: string, found = new Set<string>()): Set<string> {
  if (found.has(name)) return found
  found.add(name)
  const code = files.get(name)?.code
  assert.ok(code !== undefined, `there is ${name}`)
  for (const [, path = ''] of code.matchAll(/(?:from|import)"(\.[^"]+\.js)"/g)) {
    loadedWith(join(name, '..', path), found)
  }
  return found
}

const sizeOf = (names: Iterable<string>) =>
  [...names].reduce((sum, name) => sum + (files.get(name)?.size ?? 0), 0)

const inKb = (size: number) => `${(size / KB).toFixed(1)} KB`

test('what is loaded first is at most 36 KB of JavaScript, in two files that the page requests at once', () => {
  const first = loadedWith('main.js')
  const size = sizeOf(first)
  console.log(`first load: ${inKb(size)}`)
  assert.ok(size <= 36 * KB, inKb(size))
  assert.equal(first.size, 2, [...first].join())
  const page = readFileSync(join(playground.directory, 'playground', 'index.html'), 'utf8')
  for (const name of first) assert.match(page, new RegExp(`(href|src)="${name}"`), name)
})
