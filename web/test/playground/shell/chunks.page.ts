/** A part of the playground that does not load: what else works, and how it is loaded again. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, type Playground, press, saw, servePlayground } from '../harness.ts'

let playground: Playground
before(async () => {
  playground = await servePlayground()
})
after(() => playground?.close())

/** Files whose path fits `broken.now` do not load. */
async function breakable(page: Page, broken: { now?: RegExp }): Promise<Page> {
  await page.setRequestInterception(true)
  page.on('request', (request) => {
    if (broken.now?.test(request.url())) request.abort('connectionreset')
    else request.continue()
  })
  return page
}

/** Presses `?` until it is heard: the part that listens to keys is not ordered with the rest. */
const pressHelp = (page: Page) =>
  page.waitForFunction(
    () => {
      dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
      return document.querySelector('dialog.keys') !== null
    },
    { polling: 200 },
  )

const dialogSays = (page: Page, text: string) => saw(page, 'dialog', text)

inBrowsers('a language that does not load leaves English, in every part', async (browser) => {
  const broken: { now?: RegExp } = { now: /\/playground\.de-/ }
  const page = await openPlayground(
    async (url) => {
      const page = await breakable(await browser.context.newPage(), broken)
      await page.goto(url)
      return page
    },
    playground,
    '?quiet&lang=de',
  )
  assert.equal(await page.evaluate(() => document.documentElement.lang), 'en')
  await pressHelp(page)
  await dialogSays(page, 'Keyboard')
  await page.keyboard.press('Escape')
  broken.now = undefined
  if (browser.name === 'firefox') return // it keeps modules that did not load, until the page is loaded again
  await press(page, '[popovertarget=looks]', '')
  await page.select('#looks select:has([lang=de])', 'de')
  await page.waitForSelector('html[lang=de]')
})

inBrowsers('a part that does not load says so, and can be loaded again', async (browser) => {
  const broken: { now?: RegExp } = {}
  const page = await openPlayground(browser.open, playground)
  await breakable(page, broken)
  broken.now = /chunks\/connect-parts-/
  await press(page, '.bar [data-command=connect]', '')
  await page.waitForSelector('dialog [role=alert]')
  await page.keyboard.press('Escape')
  await press(page, '.bar [data-command=palette]', '')
  await page.waitForSelector('dialog.palette input') // another part
  await page.keyboard.press('Escape')
  broken.now = undefined
  if (browser.name === 'firefox') return
  broken.now = /chunks\/connect-parts-/
  await press(page, '.bar [data-command=connect]', '')
  await page.waitForSelector('dialog [role=alert]')
  broken.now = undefined
  await press(page, 'dialog [role=alert] button', 'Try again')
  await dialogSays(page, 'Connect to a server')
})
