// The snippets of the gateway's room are those of the documentation.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseSnippets } from '../../../playground/connections/snippets.ts'
import { readMarkdown } from '../../docs/markdown.ts'

const web = join(import.meta.dirname, '../../..')
const read = (name: string) => readFileSync(join(web, name), 'utf8')

test('each snippet is made of code blocks of the documentation, unchanged', () => {
  const blocks = ['docs/guide.md']
    .flatMap((name) => readMarkdown(read(name)).fences)
    .map(({ text }) => text.trimEnd())
  const snippets = parseSnippets(read('playground/connections/snippets.txtar'))
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
