/** Rows of this tab come back after a reload, marked as earlier, bounded, and for this tab only. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { excess, maxLength, maxRows } from '../../../playground/timeline/earlier.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, press, saw, sharePlayground } from '../harness.ts'
import { chord } from '../keys.ts'

const playground = sharePlayground()

test('the oldest blocks beyond the limits are removed, and never the newest', () => {
  const block = (rows: number, length: number) => ({ rows, length })
  assert.equal(excess([]), 0)
  assert.equal(excess([block(maxRows, maxLength)]), 0)
  assert.equal(excess([block(1, 1), block(maxRows, 1)]), 1)
  assert.equal(excess([block(1, maxLength), block(1, 1), block(1, 1)]), 1)
  assert.equal(excess([block(1, 1), block(1, maxLength), block(1, 1)]), 2)
  assert.equal(excess([block(1, 1), block(2 * maxRows, 2 * maxLength)]), 1)
})

/** Waits until the stored rows say `text`. It makes no database: that of the page would miss its store. */
const stored = (page: Page, text: string) =>
  page.waitForFunction(
    async (text, name) => {
      if (!(await indexedDB.databases()).some((one) => one.name === name)) return false
      const opening = indexedDB.open(name)
      const db = await new Promise<IDBDatabase>((resolve) => {
        opening.onsuccess = () => resolve(opening.result)
      })
      const all = db.transaction('rows').objectStore('rows').getAll()
      await new Promise((resolve) => {
        all.onsuccess = resolve
      })
      db.close()
      return JSON.stringify(all.result).includes(text)
    },
    {},
    text,
    'pagemcp-playground-timeline',
  )

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
  await stored(page, 'server/discover') // rows are kept since then
  await readTrip(page)
  await page.reload() // at once: what is not in the database yet comes, too
  await page.waitForSelector('html[data-ready]')
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

inBrowsers(
  'Clear removes them, other tabs and a duplicate do not have them',
  async ({ open, context }) => {
    const page = await openPlayground(open, playground)
    await stored(page, 'server/discover')
    await readTrip(page)
    await stored(page, 'notes://trip')
    const other = await openPlayground(open, playground)
    assert.equal(await count(other, '.tl-earlier'), 0)

    // A duplicate has a copy of the session storage.
    const key = 'pagemcp.playground.timeline'
    const id = await page.evaluate((key) => sessionStorage.getItem(key), key)
    const duplicate = await context.newPage()
    await duplicate.evaluateOnNewDocument(
      (key, id) => sessionStorage.setItem(key, id ?? ''),
      key,
      id,
    )
    await duplicate.goto(`${playground.url}?quiet&lang=en`)
    await duplicate.waitForSelector('html[data-ready]')
    assert.equal(await count(duplicate, '.tl-earlier'), 0)
    assert.notEqual(await duplicate.evaluate((key) => sessionStorage.getItem(key), key), id)

    // Nothing is removed before the reload, as if it came at once.
    await page.evaluate(() => {
      const { prototype } = IDBObjectStore
      const real = prototype.delete
      prototype.delete = function (range) {
        const request = real.call(this, range)
        this.transaction.abort()
        return request
      }
    })
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
  },
)
