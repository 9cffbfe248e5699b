/** A tab that tests share is reset for each of them. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inBrowsers, shareTab } from './browsers.ts'
import { viewport } from './launch.ts'
import { kept, type Served, serve } from './serve.ts'

let served: Served
before(async () => {
  served = await serve({
    directories: {},
    files: {
      '/': '<!doctype html><title>site</title><link rel="icon" href="data:,">', // no request for /favicon.ico
      '/sw.js': '',
    },
    headers: kept,
  })
})
after(() => served.close())
shareTab(() => served.origin)

/** What the page has of an earlier visit. */
const left = (page: Page) =>
  page.evaluate(async () => ({
    local: localStorage.length,
    session: sessionStorage.length,
    databases: (await indexedDB.databases()).length,
    caches: (await caches.keys()).length,
    workers: (await navigator.serviceWorker.getRegistrations()).length,
    cookie: document.cookie,
    hash: location.hash,
    size: [innerWidth, innerHeight],
    reduced: matchMedia('(prefers-reduced-motion: reduce)').matches,
    name: Reflect.get(window, 'added') ?? '',
  }))

const nothing = {
  local: 0,
  session: 0,
  databases: 0,
  caches: 0,
  workers: 0,
  cookie: '',
  hash: '',
  size: [viewport.width, viewport.height],
  reduced: true, // as the harness starts browsers
  name: '',
}

const first = new Map<string, Page>()
const hearing = new Map<string, readonly string[]>()

for (const turn of ['one', 'another'] as const) {
  inBrowsers(
    `${turn} test stores, resizes and opens, and finds nothing of the last one`,
    async ({ open, context, name }) => {
      const page = await open(`${served.origin}/`)
      assert.deepEqual(await left(page), nothing)
      assert.deepEqual((await context.pages()).length, 1)
      if (turn === 'one') first.set(name, page)
      else assert.ok(page === first.get(name), 'it is the same tab')
      const heard: string[] = []
      page.on('console', (message) => heard.push(message.text()))
      await page.setViewport({ width: 300, height: 400 })
      await page.evaluate(async () => {
        localStorage.a = sessionStorage.a = 'kept'
        // biome-ignore lint/suspicious/noDocumentCookie: the types have no cookieStore
        document.cookie = 'a=kept'
        location.hash = 'kept'
        await caches.open('kept')
        await navigator.serviceWorker.register('/sw.js')
        await new Promise((resolve, reject) => {
          const opening = indexedDB.open('kept')
          opening.onsuccess = resolve
          opening.onerror = reject
        })
      })
      await open(`${served.origin}/`)
      await page.evaluate((turn) => console.log(turn), turn)
      assert.deepEqual(heard, [turn])
      if (turn === 'one') hearing.set(name, heard)
      else assert.deepEqual(hearing.get(name), ['one'], 'its listeners are gone')
    },
  )
}

inBrowsers('what a tab keeps for good ends with its test', async ({ open }) => {
  const page = await open('about:blank')
  await page.evaluateOnNewDocument(() => Object.assign(window, { added: 'kept' }))
  await page.goto(`${served.origin}/`)
  assert.equal((await left(page)).name, 'kept')
})

inBrowsers('the test after it has another tab', async ({ open }) => {
  assert.deepEqual(await left(await open(`${served.origin}/`)), nothing)
})

inBrowsers(
  'a test with a context of its own shares nothing',
  async ({ context, open }) => {
    const page = await open(`${served.origin}/`)
    assert.deepEqual(await left(page), nothing)
    assert.equal((await context.pages()).length, 1)
  },
  { fresh: true },
)
