/** The format of scenarios: what is read, what is refused. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readArchive } from '../../../playground/lessons/archive.ts'
import { lessonIds, showIds } from '../../../playground/lessons/library.ts'
import { type Bindings, difference, substitute } from '../../../playground/lessons/pattern.ts'
import { captionOf, parseScenario, stepsIn } from '../../../playground/lessons/scenario.ts'

const root = new URL('../../../../', import.meta.url)
const own = new URL('web/playground/lessons/scenarios/', root)
const transcripts = new URL('testdata/transcripts/', root)
const texts = [own, transcripts].flatMap((folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.txtar'))
    .map((name) => [name.replace('.txtar', ''), readFileSync(new URL(name, folder), 'utf8')]),
) as [string, string][]

const languages = ['en', 'de', 'ja', 'zh-Hans']

test('an archive has a comment and files', () => {
  assert.deepEqual(readArchive('What it is.\n-- a b --\nx\n-- empty --\n'), {
    comment: 'What it is.\n',
    files: new Map([
      ['a b', 'x\n'],
      ['empty', ''],
    ]),
  })
  assert.deepEqual(readArchive('-- a --\r\nx\r\n-- a --\ny').files.get('a'), 'x\ny\n')
})

test('every scenario and every transcript of the engine is read', () => {
  assert.ok(texts.length > 90, `${texts.length} files`)
  for (const [id, text] of texts) {
    if (id === 'malformed-utf8') continue // bytes that no JavaScript string can hold
    const scenario = parseScenario(id, text)
    assert.ok(scenario.steps.length > 0, id)
  }
})

test('every step of ours says something in each language, and nothing is said in vain', () => {
  for (const id of [...lessonIds, ...showIds]) {
    const scenario = parseScenario(id, readFileSync(new URL(`${id}.txtar`, own), 'utf8'))
    const keys = new Set(['title', 'about', ...scenario.steps.map(({ caption }) => caption)])
    assert.deepEqual([...scenario.captions.keys()], languages, id)
    for (const [language, captions] of scenario.captions) {
      assert.deepEqual(new Set(captions.keys()), keys, `${id}, ${language}`)
      for (const [key, text] of captions) {
        const codes = text.split('`').filter((_, i) => i % 2 === 1)
        const english = captionOf(scenario, key, 'en').split('`')
        assert.deepEqual(
          codes,
          english.filter((_, i) => i % 2 === 1),
          `${id}, ${language}, ${key}`,
        )
      }
    }
  }
})

test('lines of a revision are there in no other', () => {
  const scenario = parseScenario(
    'x',
    `-- options.json --
{"revisions":["2025-11-25","2026-07-28"]}
-- transcript --
= a
@ 2025-11-25
-> {"id":1}
= b
@ *
-> {"id":2}
`,
  )
  const seen = (revision: '2025-11-25' | '2026-07-28') =>
    stepsIn(scenario, revision).map(({ caption, lines }) => [caption, lines.length])
  assert.deepEqual(seen('2025-11-25'), [
    ['a', 1],
    ['b', 1],
  ])
  assert.deepEqual(seen('2026-07-28'), [['a', 0]])
})

test('what is wrong is named', () => {
  const wrong: [string, RegExp][] = [
    ['', /no file "transcript"/],
    ['-- options.json --\n{"revisions":["1999-01-01"]}\n-- transcript --\n', /revisions/],
    ['-- options.json --\n[]\n-- transcript --\n', /options.json is not an object/],
    ['-- resources.json --\n{"a":\n-- transcript --\n', /resources.json: /],
    ['-- transcript --\n= a\nhello\n', /transcript, line 2: a line begins with/],
    ['-- transcript --\n<- {"a":\n', /transcript, line 1: /],
    ['-- transcript --\n->q {}\n', /quoted string/],
    ['-- transcript --\n= a\n~ {}\n', /"~" stands right after/],
    ['-- transcript --\n? a\n<- {}\n', /nothing to send/],
    ['-- transcript --\n? a\n-> {"a":"$any"}\n', /"~" does not fit/],
    ['-- transcript --\n= a\n-> {}\n* uri\n', /"\*" stands right after/],
    ['-- transcript --\n: server hello\n', /after ":" comes user or assistant/],
    ['-- transcript --\n: user\n', /after ":" comes user or assistant/],
    ['-- transcript --\n@ 1999-01-01\n', /not known/],
    ['-- transcript --\n-- captions.en --\nnot a caption\n', /captions.en: not a caption/],
  ]
  for (const [text, message] of wrong) assert.throws(() => parseScenario('x', text), message, text)
})

test('a pattern asks for what it has, and remembers what it named', () => {
  const memory: Bindings = new Map()
  const differs = (want: unknown, got: unknown) => difference(want, got, memory)?.path
  assert.equal(differs({ a: 1 }, { a: 1, b: 2 }), undefined)
  assert.equal(differs({ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } }), 'a.b[1].c')
  assert.equal(differs({ a: 1 }, {}), 'a')
  assert.equal(differs([1], [1, 2]), '')
  assert.equal(differs({}, []), '')
  assert.equal(differs({ toString: 1 }, {}), 'toString')
  assert.equal(differs({ a: '$any' }, { a: null }), undefined)
  assert.equal(differs({ a: '$any' }, {}), 'a')
  assert.equal(differs({ a: '$x', b: 1 }, { a: 'no', b: 2 }), 'b')
  assert.equal(differs({ a: '$x', b: '$x' }, { a: 'one', b: 'one' }), undefined)
  assert.equal(differs({ a: '$x' }, { a: 'two' }), 'a')
  assert.deepEqual(substitute({ a: ['$x', '$y'] }, memory), { a: ['one', '$y'] })
})
