/** The texts of all languages use the glossary's terms, one per concept, and the punctuation of their language. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import '../../harness/texts.ts'
import { parseScenario } from '../../../playground/lessons/scenario.ts'
import { glossary } from '../../../playground/locale/glossary.ts'
import { flat, problems, punctuation, type Texts } from './terms.ts'

const translated = ['de', 'ja', 'zh-Hans'] as const

/** The texts of a language, as the bundle has them. */
const textsOf = async (language: string) => {
  const { texts } = await import(`../../../playground/locale/${language}.ts`)
  return flat(texts)
}

const catalogues = {
  en: await textsOf('en'),
  de: await textsOf('de'),
  ja: await textsOf('ja'),
  'zh-Hans': await textsOf('zh-Hans'),
}

test('English texts have none of the rejected synonyms', () => {
  assert.deepEqual(problems('en', catalogues.en, catalogues.en), [])
})

for (const language of translated) {
  test(`${language}: texts use the terms of the glossary`, () => {
    assert.deepEqual(problems(language, catalogues.en, catalogues[language]), [])
  })

  test(`${language}: texts have the punctuation and the forms of the language`, () => {
    assert.deepEqual(punctuation(language, catalogues[language]), [])
  })
}

/** Captions and notes of all scenarios that come with the playground. */
function captions(language: string): Texts {
  const directory = join(import.meta.dirname, '../../../playground/lessons/scenarios')
  return new Map(
    readdirSync(directory).flatMap((file) => {
      const scenario = parseScenario(file, readFileSync(join(directory, file), 'utf8'))
      return [
        ...(scenario.captions.get(language) ?? []),
        ...(scenario.notes.get(language) ?? []),
      ].map(([key, text]) => [`${file} ${key}`, text] as const)
    }),
  )
}

test('English captions of lessons have none of the rejected synonyms', () => {
  assert.deepEqual(problems('en', new Map(), captions('en')), [])
})

for (const language of translated) {
  test(`${language}: captions of lessons use the terms of the glossary, and the punctuation of the language`, () => {
    const texts = captions(language)
    assert.ok(texts.size > 100, `${texts.size} captions`)
    assert.deepEqual(
      [...problems(language, captions('en'), texts), ...punctuation(language, texts)],
      [],
    )
  })
}

/** The ends of polite sentences. */
const polite = /(?:です|でした|ます|ました|ません|ませんでした|でしょうか|ください)$/

const impolite = (text: string) =>
  text.split(/。|：`[^`]*`(?:。|$)/).filter((one) => one !== '' && !polite.test(one))

test('ja: sentences of captions are polite', () => {
  const found = [...captions('ja')].flatMap(([key, text]) =>
    key.endsWith(' title') ? [] : impolite(text).map((sentence) => `${key}: ${sentence}`),
  )
  assert.deepEqual(found, [])
  assert.deepEqual(impolite('読みます。二つの番号。'), ['二つの番号'])
})

test('every language has the keys and the placeholders of English', () => {
  const placeholders = (text = '') => [...new Set(text.match(/\{\w+\}/g))].sort().join()
  for (const language of translated) {
    const texts = catalogues[language]
    assert.deepEqual([...texts.keys()].sort(), [...catalogues.en.keys()].sort())
    for (const [path, text] of texts) {
      assert.equal(placeholders(text), placeholders(catalogues.en.get(path)), `${language} ${path}`)
    }
  }
})

test('the glossary has one term per concept, in no other concept', () => {
  for (const language of ['en', ...translated] as const) {
    const terms = Object.values(glossary).map((concept) => concept.terms[language][0])
    const twice = terms.filter((term, i) => terms.indexOf(term) !== i)
    assert.deepEqual(twice, [], language)
  }
})

// Each line is a catalogue of one text that the checks must reject.
const wrong: readonly (readonly [language: string, english: string, text: string, what: RegExp])[] =
  [
    [
      'de',
      'Connect to the playground',
      'Mit der Spielwiese verbinden',
      /playground is “Playground”/,
    ],
    ['de', 'the handshake', 'der Handschlag', /“Handschlag” is rejected/],
    ['de', 'Import', 'Einlesen', /import is “Importieren”/],
    ['de', 'Press Send', 'Drücken Sie auf Senden', /no Sie/],
    ['de', 'Your page', 'Deine Seite', /no du/],
    ['de', 'Press Send.', 'Jetzt drücken: Drücke auf „Senden“.', /no du/],
    ['de', 'Look at the form', 'Schau das Formular an', /no du/],
    ['de', 'Read it again', 'Alles ändern. Lies es noch einmal', /no du/],
    ['de', 'Enter it and press Send', 'Die Zahl eintragen und drücke auf „Senden“', /no du/],
    ['de', 'Ask for it', 'Frage nach der Liste', /no du/],
    ['de', 'Press “Send”', 'Auf „Senden” drücken', /quotation marks/],
    ['de', 'the cursor', 'der Zeiger', /“Zeiger” is rejected/],
    ['ja', 'Inspect shows the rest.', '残りは「調べる」にあります。', /inspect is “詳細”/],
    ['ja', 'No response yet.', 'まだ答えはありません。', /response is “レスポンス”/],
    ['ja', 'Error: {reason}', 'エラー: {reason}', /full-width/],
    ['ja', 'Error', 'エラー (HTTP)', /full-width/],
    ['ja', 'HTTP: the error', 'HTTP: エラー', /full-width/],
    ['ja', 'the handshake', '握手', /“握手” is rejected/],
    ['zh-Hans', 'a note', '笔记', /“笔记” is rejected/],
    ['zh-Hans', 'playground', 'Playground', /“Playground” is rejected/],
    ['zh-Hans', 'Clear the filter', '清除过滤器', /filter is “筛选”/],
    ['zh-Hans', 'Subscribe', '关注', /subscribe is “订阅”/],
    ['zh-Hans', 'the revision', '修订版', /revision is “版本”/],
    ['zh-Hans', 'Message: {what}', '消息:{what}', /full-width/],
    ['zh-Hans', 'Waiting …', '正在等待……', /ellipsis/],
    ['en', 'Answer', 'Answer', /“answer” is rejected/],
  ]

test('a wrong term, a rejected synonym, a form of address and half-width punctuation are found', () => {
  for (const [language, english, text, what] of wrong) {
    const texts = new Map([['key', text]])
    const found = [
      ...problems(language, new Map([['key', english]]), texts),
      ...punctuation(language, texts),
    ]
    assert.match(found.join('\n'), what, text)
  }
})
