/** The demo's contents exist in every language of the playground. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { type Contents, english } from '../../../playground/demo/contents.ts'
import { locales } from '../../../playground/locale/languages.ts'

test('every language has all items, pages and titles, and none is English by mistake', () => {
  const source = readFileSync(new URL('../../../playground/demo/serve.ts', import.meta.url), 'utf8')
  const titles = [...source.matchAll(/titled\('([^']+)'\)/g)].map(([, title]) => title ?? '')
  assert.ok(titles.length > 10, String(titles.length))
  const file = new URL('../../../playground/demo/contents.json', import.meta.url)
  const contents: Record<string, Contents> = JSON.parse(readFileSync(file, 'utf8'))
  const en = english
  assert.deepEqual(['en', ...Object.keys(contents)].sort(), [...locales].sort())
  for (const [language, one] of Object.entries(contents)) {
    assert.equal(one.goods.length, en.goods.length, language)
    assert.equal(one.pages.length, en.pages.length, language)
    assert.deepEqual(Object.keys(one.titles).sort(), [...new Set(titles)].sort(), language)
    for (const text of [one.server, one.ideas, one.trip])
      assert.ok(![en.server, en.ideas, en.trip].includes(text))
    assert.equal(new Set([...one.goods, ...en.goods]).size, 2 * en.goods.length, language)
    for (const [title, text] of one.pages) {
      assert.ok(!en.pages.some(([other, words]) => other === title || words === text), title)
    }
  }
})
