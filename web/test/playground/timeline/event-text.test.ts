/** Events are recorded in English, and shown in the language of the user. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import '../../harness/texts.ts'
import { setLocale } from '../../../playground/base/i18n.ts'
import { eventText } from '../../../playground/timeline/event-text.ts'

const samples = [
  'note today: "milk, apples"',
  'note a: b: "two\nlines"',
  'write notes://today "milk"',
  'closed',
  'closed: gone: really',
]

for (const [language, expected] of [
  ['en', samples],
  [
    'de',
    [
      'Notiz today: "milk, apples"',
      'Notiz a: b: "two\nlines"',
      'notes://today geschrieben: "milk"',
      'geschlossen',
      'geschlossen: gone: really',
    ],
  ],
  [
    'ja',
    [
      'メモ today："milk, apples"',
      'メモ a：b: "two\nlines"',
      'notes://today に書き込み："milk"',
      '切断',
      '切断：gone: really',
    ],
  ],
] as const) {
  test(`${language}: an event is in the language, with the data as it was`, async () => {
    await setLocale(language)
    assert.deepEqual(samples.map(eventText), expected)
    assert.equal(eventText('what is unknown stays'), 'what is unknown stays')
  })
}

test('each event that the code records has a text in each language', async () => {
  const root = join(import.meta.dirname, '../../../playground')
  const recorded = (readdirSync(root, { recursive: true }) as string[])
    .filter((name) => /(?<!\.texts)\.tsx?$/.test(name))
    .flatMap((name) => [
      ...readFileSync(join(root, name), 'utf8').matchAll(
        /(?:recordEvent|\bnote)\([^`'")]*(`[^`]*`|'[^']*'|"[^"]*")(?: : (`[^`]*`|'[^']*'))?/g,
      ),
    ])
    .flatMap(([, one, other]) => [one, other].filter((text) => text !== undefined))
    .map((text) => text.slice(1, -1).replace(/\$\{[^}]*\}/g, '1'))
    .filter((text) => text !== '1 1 1') // of a scenario, whose words are its own
  assert.ok(recorded.length >= 20, `found ${recorded.join(' | ')}`)
  for (const language of ['de', 'ja', 'zh-Hans'] as const) {
    await setLocale(language)
    assert.deepEqual(
      recorded.filter((text) => eventText(text) === text),
      [],
      language,
    )
  }
  await setLocale('en')
})
