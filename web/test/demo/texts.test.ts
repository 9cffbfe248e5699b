/**
 * The texts of the demos and of the start page use the glossary's terms, and the punctuation and forms of their
 * language; every language has the keys and the placeholders of English.
 */

import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { icons } from '../../demo/shared/icons.ts'
import { flat, problems, punctuation, type Texts } from '../playground/locale/terms.ts'

const demos = join(import.meta.dirname, '../../demo')
const translated = ['de', 'ja', 'zh-Hans'] as const

/** What a person writes or says, or an app does: it has no terms. */
const contents =
  /^(?:seeds?|article|things|scene|question|prompt\.(?:brief|standard|deep))(?:\.|$)|\.sample\./

/** The directories of catalogues, with the demos that they belong to. */
const catalogues = ['', ...readdirSync(demos)]
  .map((name) => [name || 'start', join(demos, name, 'texts')] as const)
  .filter(([, directory]) => existsSync(directory))

/** All texts of a language, by demo and key. */
async function textsOf(language: string): Promise<Texts> {
  const all = new Map<string, string>()
  for (const [demo, directory] of catalogues) {
    const { texts } = (await import(join(directory, `${language}.ts`))) as { texts: unknown }
    for (const [key, text] of flat(texts)) all.set(`${demo} ${key}`, text)
  }
  return all
}

const isContent = (path: string) => contents.test(path.split(' ')[1] ?? '')
const withoutContents = (texts: Texts): Texts =>
  new Map([...texts].filter(([path]) => !isContent(path)))

const english = await textsOf('en')

test('each demo has its texts', () => {
  const names = readdirSync(demos).filter((name) => existsSync(join(demos, name, 'main.ts')))
  const own = catalogues.map(([name]) => name)
  assert.deepEqual(
    names.filter((name) => !own.includes(name)),
    [],
  )
  assert.ok(english.size > 300, `${english.size} texts`)
})

test('English texts have none of the rejected synonyms', () => {
  assert.deepEqual(problems('en', withoutContents(english), withoutContents(english)), [])
})

for (const language of translated) {
  test(`${language}: texts use the terms of the glossary, and the forms of the language`, async () => {
    const texts = await textsOf(language)
    assert.deepEqual(
      [
        ...problems(language, withoutContents(english), withoutContents(texts)),
        ...punctuation(language, withoutContents(texts)),
      ],
      [],
    )
  })

  test(`${language}: every text is there, with its placeholders`, async () => {
    const texts = await textsOf(language)
    const placeholders = (text = '') => [...new Set(text.match(/\{\w+\}/g))].sort().join()
    // The world has translations of what its data says in another language.
    const keys = (all: Texts) =>
      [...all.keys()].filter((key) => !/^world t(?:hings|emplates)/.test(key))
    assert.deepEqual(keys(texts).sort(), keys(english).sort())
    for (const [path, text] of texts) {
      if (english.has(path)) {
        assert.equal(placeholders(text), placeholders(english.get(path)), `${language} ${path}`)
      }
    }
  })
}

test('icons are those of the playground', () => {
  const sprite = readFileSync(join(demos, '../playground/icons.svg'), 'utf8')
  for (const [name, path] of Object.entries(icons)) {
    const [first] = path.split(/(?<=Z)M/)
    assert.ok(sprite.includes(`<symbol id="${name}" viewBox="0 0 16 16"><path d="${first}"`), name)
  }
})
