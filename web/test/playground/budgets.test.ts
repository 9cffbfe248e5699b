/** What the playground weighs, of the files that `pagemcp build` makes: gzip, as web hosts send them. */

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

test('what is loaded first is at most 40 KB of JavaScript', () => {
  const first = loadedWith('main.js')
  const size = sizeOf(first)
  console.log(`first load: ${inKb(size)}`)
  assert.ok(size <= 40 * KB, inKb(size))
})

test('all CSS is at most 12 KB', () => {
  const size = files.get('style.css')?.size ?? Number.NaN
  console.log(`CSS: ${inKb(size)}`)
  assert.ok(size <= 12 * KB, inKb(size))
})

test('the editor is at most 130 KB, and not among what is loaded first', () => {
  const first = loadedWith('main.js')
  const [editor, ...others] = [...files.keys()].filter((name) => /chunks\/editor-/.test(name))
  assert.ok(editor !== undefined && others.length === 0, 'there is one chunk of the editor')
  assert.ok(!first.has(editor))
  const size = sizeOf([...loadedWith(editor)].filter((name) => !first.has(name)))
  console.log(`editor: ${inKb(size)}`)
  assert.ok(size <= 130 * KB, inKb(size))
})

/** What this page never loads: files for other ways to use the package, and for pages of others. */
const never = [
  'element.js', // is in the page around an embedded playground
  'caches-reader.js', // of sources that the demo does not serve
  'opfs-reader.js',
  'markdown.js',
  'validate.js', // beside the Worker, which does not load it: chunks/validate is the page's
]

test('all JavaScript that a page can ever load is at most 220 KB, with its largest language', () => {
  const all = [...files.keys()].filter(
    // Go's support file is within the Worker; the chunk is for engines in the window.
    (name) => name.endsWith('.js') && !never.includes(name) && !/chunks\/wasm_exec-/.test(name),
  )
  const languages = all.filter((name) => /chunks\/(de|ja|zh-Hans)-/.test(name))
  assert.equal(languages.length, 3)
  const largest = languages.sort((a, b) => sizeOf([b]) - sizeOf([a]))[0] as string
  const loaded = all.filter((name) => !languages.includes(name) || name === largest)
  const size = sizeOf(loaded)
  const table = loaded.sort((a, b) => sizeOf([b]) - sizeOf([a])).slice(0, 12)
  console.log(
    `all: ${inKb(size)}; ${table.map((one) => `${one} ${inKb(sizeOf([one]))}`).join(', ')}`,
  )
  assert.ok(size <= 220 * KB, inKb(size))
})

test('a language is at most 10 KB', () => {
  for (const name of files.keys()) {
    if (!/chunks\/(de|ja|zh-Hans)-/.test(name)) continue
    const { size } = files.get(name) as { size: number }
    console.log(`${name}: ${inKb(size)}`)
    assert.ok(size <= 10 * KB, `${name}: ${inKb(size)}`)
  }
})
