// The hooks of pagemcp/react with React itself, and with an engine: in StrictMode, too, where React runs
// effects twice.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { bundled } from '../harness/bundled.ts'
import type { Served } from '../harness/serve.ts'
import type { kit as Kit } from './page.tsx'

declare const kit: typeof Kit

let served: Served
before(async () => {
  const files = { '/react.js': await bundled('react/page.tsx', 'development') }
  served = await servePages({ '/page.html': `import '/react.js'` }, undefined, files)
})
after(() => served?.close())

async function openPage({ open }: TestBrowser) {
  const page = await open(`${served.origin}/page.html`)
  await page.waitForFunction('window.ready')
  return page
}

for (const strict of [false, true]) {
  const mode = strict ? 'StrictMode' : 'no StrictMode'
  inBrowsers(
    `${mode}: everything is served while it is mounted, by the functions of the last render`,
    async (browser) => {
      const page = await openPage(browser)
      const got = await page.evaluate((strict) => kit.lifecycle(strict), strict)
      const answers = (version: string) => [
        `tool ${version}`,
        `prompt ${version}`,
        `prompt ${version}`,
        `7 ${version}`,
        `id ${version}`,
        `function ${version}`,
        `value ${version}`,
      ]
      assert.deepEqual(got.first, answers('1'))
      assert.deepEqual(got.second, answers('2'))
      assert.ok(got.isSame, 'something was registered again')
      const lists = got.announced.filter((method) => method.includes('list_changed'))
      assert.deepEqual(lists, [])
      assert.deepEqual([got.left, got.now], [[], 0])
    },
  )

  inBrowsers(
    `${mode}: of two components with one name the later one is served, until it is gone`,
    async (browser) => {
      const page = await openPage(browser)
      const { shown, left } = await page.evaluate((strict) => kit.duplicates(strict), strict)
      // The third: the first component has another description, so it was registered again.
      assert.deepEqual(shown, [
        ['a', 'a'],
        ['b', 'b'],
        ['b', 'a2'],
        ['a2', 'a2'],
      ])
      assert.deepEqual(left, [])
    },
  )
}

inBrowsers(
  'another description is registered anew, and another engine gets all',
  async (browser) => {
    const page = await openPage(browser)
    assert.deepEqual(await page.evaluate(() => kit.changes()), [
      [],
      ['a'],
      'gone',
      'b',
      ['x'],
      ['y'],
      [],
    ])
  },
)
