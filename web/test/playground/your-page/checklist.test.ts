// Try your page, without a browser: the snippets are those of the documentation, and what a step or its absence means.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nextStep, stepOf, whyNotJoined } from '../../../playground/your-page/checklist.ts'
import { parseSnippets } from '../../../playground/your-page/snippets.ts'
import { readMarkdown } from '../../docs/markdown.ts'

const web = join(import.meta.dirname, '../../..')
const read = (name: string) => readFileSync(join(web, name), 'utf8')

test('each snippet is made of code blocks of the documentation, unchanged', () => {
  const blocks = ['docs/guide.md', 'docs/bundlers.md']
    .flatMap((name) => readMarkdown(read(name)).fences)
    .map(({ text }) => text.trimEnd())
  const snippets = parseSnippets(read('playground/your-page/snippets.txtar'))
  assert.deepEqual(
    snippets.map(({ framework }) => framework),
    ['HTML', 'Vite', 'Next.js', 'React', 'Vue', 'Svelte', 'Angular'],
  )
  for (const { framework, code } of snippets) {
    const rest = blocks.reduce((text, block) => text.replace(block, ''), code)
    assert.equal(rest.trim(), '', framework)
    assert.match(code, /connect\(\)/, `${framework} joins a gateway`)
    assert.match(code, /start\(/, `${framework} starts the engine`)
  }
})

test('messages to a client are the steps that they show', () => {
  for (const [text, step] of [
    [{ id: 1, result: { resources: [{}] } }, 'resource'],
    [{ id: 1, result: { resources: [] } }, undefined],
    [{ id: 1, result: { contents: [] } }, 'read'],
    [{ id: 1, error: {} }, undefined],
    [{ method: 'notifications/resources/updated' }, 'change'],
    [{ method: 'notifications/resources/list_changed' }, 'change'],
    [{ method: 'notifications/progress' }, undefined],
    ['{', undefined],
    ['null', undefined],
    ['[]', undefined],
  ] as const)
    assert.equal(stepOf(typeof text === 'string' ? text : JSON.stringify(text)), step)
  assert.equal(nextStep(new Set(['loaded', 'joined'])), 'resource')
})

test('why a page has not joined: an origin that is not allowed, or the page itself', () => {
  const why = (url: string, ...mayJoin: string[]) =>
    whyNotJoined(url, { pages: [], mayJoin, mayWatch: [], noToken: false, paused: 0 })
  const url = 'http://localhost:5173/a'
  const origin = 'http://localhost:5173'
  for (const other of ['http://localhost:5174', 'https://localhost:5173', 'http://127.0.0.1:5173'])
    assert.deepEqual(why(url, other), { says: 'yourPage.notAllowed', params: { origin, other } })
  assert.deepEqual(why(url).params, { origin, other: '–' })
  assert.equal(why(url, origin).says, 'yourPage.notJoined')
})
