/** Rows of this tab come back after a reload, marked as earlier, and for this tab only. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, press, saw, sharePlayground } from '../harness.ts'
import { chord } from '../keys.ts'

const playground = sharePlayground()

/** Reloads, and waits until the server has answered again. */
async function reload(page: Page) {
  await page.reload()
  await page.waitForSelector('html[data-ready]')
}

/** Filters the timeline: without a filter, new rows scroll others out of view. */
async function filter(page: Page, text: string) {
  await page.click('#tl-filter', { count: 3 })
  await page.keyboard.type(text)
}

const count = (page: Page, selector: string) => page.$$eval(selector, (all) => all.length)

/** Reads a resource that is in no other row. */
async function readTrip(page: Page) {
  await page.waitForSelector('#explore-templates')
  await (await page.waitForSelector('#explore-templates'))?.click()
  await press(page, 'summary', 'notes://{id}')
  await page.waitForSelector('.form-item details[open] input')
  await page.type('.form-item details[open] input', 'trip')
  await press(page, '.form-item details[open] button', 'Read')
  await saw(page, '#pane-inspect', 'Tram at 9:40')
}

inBrowsers('a reload keeps the rows, as earlier ones that can be sent again', async ({ open }) => {
  const page = await openPlayground(open, playground)
  await readTrip(page)
  await reload(page)
  await filter(page, 'reloaded')
  await saw(page, '.tl-row.tl-is-world', 'page reloaded: the rows above are earlier ones')
  await filter(page, 'client:A0')
  await saw(page, '.tl-row.tl-earlier .tl-target', 'notes://trip')
  await page.waitForFunction(() => !document.querySelector('.tl-row[data-row]:not(.tl-earlier)'))
  assert.equal(await count(page, '.tl-status-waiting'), 0, 'no earlier row waits')

  // An earlier row has no live connection: nothing can be cancelled, and the current client sends it again.
  await press(page, '.tl-row.tl-is-request', 'notes://trip')
  await saw(page, '.in-head', 'resources/read')
  assert.equal(await page.$('[data-command=cancel]'), null)
  await press(page, '.in-acts button', 'Send again')
  await saw(page, '#pane-inspect', 'Tram at 9:40')
  await filter(page, 'client:A uri:notes://trip')
  await saw(page, '.tl-row:not(.tl-earlier) .tl-target', 'notes://trip')

  await reload(page)
  await filter(page, 'client:A0')
  await page.waitForSelector('.tl-row.tl-earlier')
})

inBrowsers('Clear removes them, and other tabs do not have them', async ({ open }) => {
  const page = await openPlayground(open, playground)
  await readTrip(page)
  await reload(page)
  await page.waitForFunction(() => document.querySelector('.tl-earlier'))
  const other = await openPlayground(open, playground)
  assert.equal(await count(other, '.tl-earlier'), 0)
  await page.bringToFront()
  await chord(page, 'Control', 'k')
  await page.waitForSelector('dialog.palette input')
  await page.keyboard.type('Clear timeline')
  await saw(page, 'dialog.palette [aria-selected=true]', 'Clear timeline')
  await page.keyboard.press('Enter')
  await page.waitForFunction(() => !document.querySelector('.tl-row[data-row]'))
  await reload(page)
  await filter(page, 'reloaded')
  await page.waitForFunction(() => !document.querySelector('.tl-row[data-row]'))
})
