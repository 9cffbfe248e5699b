import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const playground = join(import.meta.dirname, '../../../playground')
const read = (name: string) => readFileSync(join(playground, name), 'utf8')

/** Ids of icons.svg, in its order. */
const drawn = [...read('icons.svg').matchAll(/<symbol id="([\w-]+)"/g)].map(([, id]) => id)

test('each name of an icon is drawn once, and each drawing has a name', () => {
  const type = /type IconName =([\s\S]*?)\n\n/.exec(read('base/icon.tsx'))?.[1] ?? ''
  const names = [...type.matchAll(/'([\w-]+)'/g)].map(([, name]) => name)
  assert.ok(names.length > 20, 'the type is found')
  assert.deepEqual(names, drawn)
  assert.deepEqual(drawn, [...new Set(drawn)].sort())
})

test('no text glyph is an icon: fonts may lack it', () => {
  const glyph = /[\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2b00-\u2bff\u00d7]/u
  const files = readdirSync(playground, { recursive: true, encoding: 'utf8' })
  const found = files
    .filter((name) => name.endsWith('.tsx'))
    .flatMap((name) =>
      read(name)
        .replaceAll(/\/\*[\s\S]*?\*\/|\/\/ .*/g, '')
        .split('\n')
        .filter((line) => glyph.test(line))
        .map((line) => `${name}: ${line.trim()}`),
    )
  assert.deepEqual(found, [])
})
