/** The texts of the page of permission prompts use the glossary's terms, and the punctuation and forms of their language. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { flat, problems, punctuation } from '../playground/locale/terms.ts'

const { filled, languageOf, languages } = (await import(
  `${import.meta.dirname}/../../../server/internal/approvals/texts.js` // it has no types
)) as {
  filled(text: string, values: { [name: string]: string }): string
  languageOf(wanted: readonly string[]): string
  languages: { [language: string]: { [name: string]: string } }
}

const english = flat(languages.en)
const placeholders = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort()

for (const language of ['de', 'ja', 'zh-Hans']) {
  test(`${language}: the same texts as in English, with the terms of the glossary`, () => {
    const own = flat(languages[language])
    assert.deepEqual([...own.keys()], [...english.keys()])
    assert.deepEqual([...problems(language, english, own), ...punctuation(language, own)], [])
    for (const [path, text] of own) {
      assert.deepEqual(placeholders(text), placeholders(english.get(path) ?? ''), path)
    }
  })
}

test('English texts have none of the rejected synonyms', () => {
  assert.deepEqual(problems('en', english, english), [])
})

test('the language is the first of the browser that there is', () => {
  const tags = [['de-AT'], ['fr', 'JA'], ['zh'], ['zh-TW', 'zh-CN'], ['toString'], []]
  assert.deepEqual(tags.map(languageOf), ['de', 'ja', 'zh-Hans', 'zh-Hans', 'en', 'en'])
})

test('values are not filled again', () => {
  assert.equal(filled('{tool} {other}', { tool: '{other}' }), '{other} ')
})
