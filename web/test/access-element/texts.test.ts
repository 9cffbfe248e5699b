/** The texts of the elements use the glossary's terms, and the punctuation and forms of their language. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fill, languageFor, type Texts, texts } from '../../src/access-element/texts.ts'
import { flat, problems, punctuation } from '../playground/locale/terms.ts'

const english = flat(texts.en)
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()

for (const language of ['de', 'ja', 'zh-Hans'] as const) {
  test(`${language}: the same texts as in English, with the terms of the glossary`, () => {
    const own = flat(texts[language] as Texts)
    assert.deepEqual([...own.keys()], [...english.keys()])
    assert.deepEqual([...problems(language, english, own), ...punctuation(language, own)], [])
    for (const [path, text] of own)
      assert.deepEqual(placeholders(text), placeholders(english.get(path) ?? ''), path)
  })
}

test('a tag gets the best language', () => {
  const tags = ['de-AT', 'DE', 'ja', 'zh', 'zh-CN', 'zh-Hans-SG', 'zh-TW', 'fr', '']
  assert.deepEqual(tags.map(languageFor), [
    'de',
    'de',
    'ja',
    'zh-Hans',
    'zh-Hans',
    'zh-Hans',
    'en',
    'en',
    'en',
  ])
})

test('values are not filled again', () => {
  assert.equal(fill('{a} and {b}', { a: '{b}', b: '1' }), '{b} and 1')
  assert.equal(fill('{toString} {a}', { a: '1' }), '{toString} 1')
})
