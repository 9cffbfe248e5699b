import assert from 'node:assert/strict'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { alike, inFirefox, platforms, repeats } from './platforms.ts'

const tests = join(import.meta.dirname, '..')
// @types/node of Node 20 does not know it; tests run in Node 24.
const { globSync } = fs as unknown as { globSync(pattern: string): string[] }

test('Firefox runs what depends on the browser, and everything in test-all', () => {
  const file = (name: string) => join(tests, name)
  assert.deepEqual(platforms(file('idb/ranges.test.ts'), false), ['chromium', 'firefox'])
  assert.deepEqual(platforms(file('demo/board.test.ts'), false), ['chromium'])
  assert.deepEqual(platforms(file('attack/consent.test.ts'), false), ['chromium'])
  assert.deepEqual(platforms(file('demo/board.test.ts'), true), ['chromium', 'firefox'])
})

test('each entry is a test file, or a directory of them, that opens browsers', () => {
  for (const start of [...Object.keys(inFirefox), ...Object.keys(alike)]) {
    const files = globSync(join(tests, start.endsWith('/') ? `${start}**/*.ts` : start))
    const opens = files.some((name) =>
      /browsers\.ts|platforms\.ts/.test(fs.readFileSync(name, 'utf8')),
    )
    assert.ok(opens, start)
  }
})

test('what make test leaves to test-all is there', () => {
  for (const file of Object.keys(repeats)) assert.ok(fs.existsSync(join(tests, file)), file)
})
