/** The texts of the extension: complete in each language, with the terms of the glossary and the forms of the language. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Texts, texts, uiLanguage } from '../../extension/popup.texts.ts'
import { texts as access } from '../../src/access-element/texts.ts'
import { flat, problems, punctuation, type Texts as Strings } from '../playground/locale/terms.ts'

const translated = ['de', 'ja', 'zh-Hans'] as const
const extension = join(import.meta.dirname, '../../extension')

/** Noon of today, so that times have no weekday. */
const noon = new Date().setHours(12, 34, 56, 0)

type Function = (...args: never[]) => string
type Samples = {
  [key in keyof Texts as Texts[key] extends Function ? key : never]: Texts[key] extends Function
    ? Parameters<Texts[key]>
    : never
}

/** What texts with values are called with. */
const samples: Samples = {
  sharingTabs: [4321],
  connectedAs: ['{name}'],
  failed: ['{error}'],
  until: [noon],
  howLong: ['{tab}'],
  notBy: [['{one}', '{other}']],
  pausedUntil: [noon],
  about: ['{action}', ['{one}', '{other}']],
  callsItself: ['{name}'],
  mayRead: [4321],
  readsToday: [4321],
  list: [['{one}', '{other}']],
  readAt: [noon],
  textOf: ['{tab}'],
  sites: [4321],
  icon: [4321],
}

/** All texts of a language; those with values with the samples, or with `values` instead. */
function stringsOf(language: keyof typeof texts, values: Partial<Samples> = {}): Strings {
  const all: Partial<Record<string, readonly unknown[]>> = { ...samples, ...values }
  return flat(
    Object.fromEntries(
      Object.entries(texts[language]).map(([key, text]) => [
        key,
        typeof text !== 'function'
          ? text
          : (text as (...args: unknown[]) => string)(...(all[key] ?? [])),
      ]),
    ),
  )
}

/** No and one of what is counted: other words than many. */
const counts = [0, 1].map(
  (count): Partial<Samples> => ({
    sharingTabs: [count],
    mayRead: [count],
    readsToday: [count],
    sites: [count],
    icon: [count],
  }),
)

const english = stringsOf('en')

test('English texts have none of the rejected synonyms', () => {
  assert.deepEqual(problems('en', english, english), [])
})

for (const language of translated) {
  test(`${language}: the same texts as in English, with the same values`, () => {
    const own = stringsOf(language)
    assert.deepEqual([...own.keys()], [...english.keys()])
    const values = (text = '') =>
      [...(text.match(/\{\w+\}|12:34(?::56)?|4[,.]321/g) ?? [])]
        .map((value) => value.replace('.', ','))
        .sort()
    for (const [key, text] of own) {
      if (key !== 'readAt') assert.deepEqual(values(text), values(english.get(key)), key)
    }
    assert.equal(own.get('readAt'), '12:34:56')
  })

  test(`${language}: texts use the terms of the glossary, and the forms of the language`, () => {
    for (const values of [{}, ...counts]) {
      const own = stringsOf(language, values)
      const source = stringsOf('en', values)
      assert.deepEqual([...problems(language, source, own), ...punctuation(language, own)], [])
    }
  })

  test(`${language}: nothing is in English`, () => {
    const same = language === 'de' ? ['gateway', 'about', 'list', 'readAt'] : ['readAt']
    for (const values of [{}, ...counts]) {
      const source = stringsOf('en', values)
      for (const [key, text] of stringsOf(language, values)) {
        if (!same.includes(key)) assert.notEqual(text, source.get(key), key)
        if (language !== 'de') {
          assert.doesNotMatch(text.replace(/\{\w+\}|PageMCP/g, ''), /[a-z]/i, key)
        }
      }
    }
  })

  test(`${language}: what the access element of pages has, too, has the same words`, () => {
    const own = texts[language]
    const { stop, resume, assistant, asks } = access[language]
    assert.deepEqual([own.stop, own.resume, own.asksFirst], [stop, resume, asks])
    assert.ok(own.assistants.startsWith(assistant))
  })
}

test('one read and one tab are singular', () => {
  assert.equal(texts.en.mayRead(0), 'may read')
  assert.equal(texts.en.mayRead(1), 'may read · 1 read')
  assert.equal(texts.en.readsToday(2), '2 reads today')
  assert.equal(texts.en.icon(0), 'PageMCP: no tab is read')
  assert.equal(texts.en.icon(1), 'PageMCP: 1 tab may be read')
  assert.equal(texts.en.icon(2), 'PageMCP: 2 tabs may be read')
  assert.equal(texts.de.icon(1), 'PageMCP: 1 Tab darf gelesen werden')
  assert.equal(texts.de.icon(2), 'PageMCP: 2 Tabs dürfen gelesen werden')
})

test('a time of another day has its weekday', () => {
  const sunday = new Date(2023, 0, 1, 0, 0).getTime()
  assert.equal(texts.en.pausedUntil(sunday), 'Paused until Sun 00:00.')
  assert.equal(texts.de.pausedUntil(sunday), 'Pausiert bis So 00:00.')
  assert.equal(texts.ja.until(sunday), '日曜日 00:00 まで')
  assert.equal(texts['zh-Hans'].until(sunday), '至 周日 00:00')
})

test('the language is that of the browser’s menus, else the first of the browser', (t) => {
  const globals = globalThis as { chrome?: unknown }
  t.after(() => delete globals.chrome)
  const languages = { 'de-AT': 'de', ja: 'ja', 'zh-CN': 'zh-Hans', 'zh-TW': 'en', fr: 'en' }
  for (const [tag, language] of Object.entries(languages)) {
    globals.chrome = { i18n: { getUILanguage: () => tag } }
    assert.equal(uiLanguage(), language, tag)
  }
  globals.chrome = {}
  t.mock.getter(navigator, 'language', () => 'ja-JP')
  assert.equal(uiLanguage(), 'ja')
})

test('popup.html has no words of its own', () => {
  const html = readFileSync(join(extension, 'popup.html'), 'utf8')
  const words = [...html.matchAll(/>([^<]*\p{L}[^<]*)</gu)].map(([, text = '']) => text.trim())
  assert.deepEqual([...new Set(words)], ['PageMCP'])
  const attributes = html.match(/\s(?:aria-label|title|alt|placeholder)="[^"]+"/g)
  assert.deepEqual(attributes, [' placeholder="http://127.0.0.1:8809/#pagemcp=…"'])
  const keys = [...html.matchAll(/data-(?:text|label)="([^"]*)"/g)].map(([, key = '']) => key)
  assert.ok(keys.length > 15, `${keys.length} texts`)
  const labels: Readonly<Record<string, unknown>> = { ...texts.en }
  for (const key of keys) assert.equal(typeof labels[key], 'string', key)
})

/** Lines of a script that show words of their own. */
const literal =
  /^.*(?:\.(?:textContent|ariaLabel|title|text|placeholder) = .*|make\('\w+', '[^']*', |new Option\()['"`]\p{L}{2}.*$/gmu

test('each text is used, and scripts have none of their own', () => {
  const html = readFileSync(join(extension, 'popup.html'), 'utf8')
  const scripts = ['popup.ts', 'popup-view.ts', 'background.ts']
    .map((file) => readFileSync(join(extension, file), 'utf8'))
    .join('\n')
  for (const key of Object.keys(texts.en)) {
    const isUsed =
      new RegExp(`data-(?:text|label)="${key}"`).test(html) ||
      new RegExp(`(?:\\btext|\\])\\.${key}\\b`).test(scripts)
    assert.ok(isUsed, key)
  }
  const [command, ...others] = scripts.match(literal) ?? []
  assert.match(command ?? '', /`pagemcp dev --allow-origin /)
  assert.deepEqual(others, [])
  for (const wrong of [
    "change.textContent = isStopped ? 'Allow' : text.stop",
    'own.ariaLabel = `Stop it`',
    "make('span', 'asks', 'asks first')",
    "new Option('Until restart', 'session')",
  ]) {
    assert.match(wrong, new RegExp(literal, 'mu'))
  }
})
