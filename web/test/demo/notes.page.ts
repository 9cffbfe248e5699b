import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { serveDemos } from '../harness/build.ts'
import type { Served } from '../harness/serve.ts'

let served: Served
before(async () => {
  served = await serveDemos()
})
after(() => served?.close())

const notesPage = () => `${served.origin}/demo/notes/`

/** How often to look: by time, for a tab in the background has no frames. */
const polling = 100

/** Waits until the list has these titles. */
async function untilListed(page: Page, ...wanted: string[]) {
  await page.waitForFunction(
    (text) =>
      Array.from(
        document.querySelectorAll('#notes [role=option] strong'),
        (one) => one.textContent,
      ).join('|') === text,
    { polling },
    wanted.join('|'),
  )
}

const untilFocused = (page: Page, selector: string) =>
  page.waitForFunction((wanted) => document.activeElement?.matches(wanted), { polling }, selector)

/** What the app has in its database, by title. */
const stored = (page: Page) =>
  page.evaluate(async () => {
    const open = indexedDB.open('notes-app')
    await new Promise((resolve) => {
      open.onsuccess = resolve
    })
    const all = open.result.transaction('notes').objectStore('notes').getAll()
    await new Promise((resolve) => {
      all.onsuccess = resolve
    })
    open.result.close()
    return Object.fromEntries(all.result.map(({ title, text }) => [title, text]))
  })

inBrowsers('a note is added, edited and kept, by keyboard alone', async ({ open }) => {
  const page = await open(notesPage())
  await untilListed(page, 'Welcome', 'Shopping', 'Trip to Lisbon')
  await page.focus('#notes [tabindex="0"]')
  await page.keyboard.press('n')
  await untilFocused(page, '#title')
  await page.keyboard.type('Birthday')
  await page.keyboard.press('Enter')
  await untilFocused(page, '#text')
  await page.keyboard.type('cake')
  await untilListed(page, 'Birthday', 'Welcome', 'Shopping', 'Trip to Lisbon')
  await page.keyboard.press('Escape')
  await untilFocused(page, '[role=option][aria-selected=true]')
  await page.keyboard.press('Enter')
  await untilFocused(page, '#text')
  await page.keyboard.press('End')
  await page.keyboard.type(' and candles')
  await page.keyboard.press('Escape')
  await untilFocused(page, '[role=option]')
  assert.equal((await stored(page)).Birthday, 'cake and candles')
  await page.reload()
  await untilListed(page, 'Birthday', 'Welcome', 'Shopping', 'Trip to Lisbon')
})
