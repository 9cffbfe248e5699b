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
const polling = 100 // ms

/** Titles in the list, from the top. */
const titles = (page: Page) =>
  page.$$eval('#notes [role=option] strong', (all) => all.map((one) => one.textContent))

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

inBrowsers('the first start has friendly notes, the newest chosen', async ({ open }) => {
  const page = await open(notesPage())
  await untilListed(page, 'Welcome', 'Shopping', 'Trip to Lisbon')
  assert.equal(await page.$eval('[aria-selected=true] strong', (one) => one.textContent), 'Welcome')
  assert.match(
    await page.$eval('#text', (one) => (one as HTMLTextAreaElement).value),
    /live in this browser/,
  )
  assert.equal(
    await page.$eval('#uri-text', (one) => one.textContent),
    'idb:///notes-app/notes/n.3',
  )
})

inBrowsers('“Saved” is said once all that was typed is stored', async ({ open }) => {
  const page = await open(`${notesPage()}?lang=en`)
  await untilListed(page, 'Welcome', 'Shopping', 'Trip to Lisbon')
  await page.evaluate(() => {
    const text = document.querySelector('#text') as HTMLTextAreaElement
    const type = (value: string) => {
      text.value = value
      text.dispatchEvent(new InputEvent('input', { bubbles: true }))
    }
    const { put } = IDBObjectStore.prototype
    const typing: typeof put = function (this: IDBObjectStore, ...args) {
      IDBObjectStore.prototype.put = put
      type('first and second') // while the first is being stored
      return put.apply(this, args)
    }
    IDBObjectStore.prototype.put = typing
    type('first')
  })
  await page.waitForFunction(() => document.getElementById('saved')?.textContent === 'Saved')
  assert.equal((await stored(page)).Welcome, 'first and second')
})

inBrowsers('the first notes are in the language of the first start', async ({ open }) => {
  const page = await open(`${notesPage()}?lang=de`)
  await untilListed(page, 'Willkommen', 'Einkaufen', 'Reise nach Lissabon')
  assert.match((await stored(page)).Einkaufen, /Zitronen/)
  await page.goto(`${notesPage()}?lang=en`)
  await untilListed(page, 'Willkommen', 'Einkaufen', 'Reise nach Lissabon')
  assert.equal(await page.$eval('h1', (one) => one.textContent), 'Notes')
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

inBrowsers('what was typed last is not lost by leaving at once', async ({ open }) => {
  const page = await open(notesPage())
  await untilListed(page, 'Welcome', 'Shopping', 'Trip to Lisbon')
  await page.focus('#title')
  await page.keyboard.press('End')
  await page.keyboard.type('!')
  await page.goto(`${served.origin}/`)
  await page.goto(notesPage())
  await untilListed(page, 'Welcome!', 'Shopping', 'Trip to Lisbon')
})

inBrowsers('a note is deleted and brought back, by keyboard alone', async ({ open }) => {
  const page = await open(notesPage())
  await untilListed(page, 'Welcome', 'Shopping', 'Trip to Lisbon')
  await page.focus('#notes [tabindex="0"]')
  await page.keyboard.press('ArrowDown')
  await untilFocused(page, '#note-2')
  await page.keyboard.press('Delete')
  await untilListed(page, 'Welcome', 'Trip to Lisbon')
  assert.deepEqual(Object.keys(await stored(page)).sort(), ['Trip to Lisbon', 'Welcome'])
  assert.match(await page.$eval('#toast', (one) => one.textContent), /Deleted “Shopping”/)
  await page.focus('#undo')
  await page.keyboard.press('Enter')
  await untilListed(page, 'Welcome', 'Shopping', 'Trip to Lisbon')
  await untilFocused(page, '#note-2')
})

inBrowsers('the search finds words in titles and texts', async ({ open }) => {
  const page = await open(notesPage())
  await untilListed(page, 'Welcome', 'Shopping', 'Trip to Lisbon')
  await page.focus('#notes [tabindex="0"]')
  await page.keyboard.press('/')
  await untilFocused(page, '#search')
  await page.keyboard.type('FRIDAY lisbon')
  await untilListed(page, 'Trip to Lisbon')
  assert.equal(await page.$eval('#count', (one) => one.textContent), '1 of 3 found')
  await page.keyboard.type(' nowhere')
  await untilListed(page)
  assert.match(
    await page.$eval('#empty', (one) => one.textContent),
    /No note has “FRIDAY lisbon nowhere” in it/,
  )
  await page.$eval('#search', (one) => {
    ;(one as HTMLInputElement).value = ''
    one.dispatchEvent(new Event('input'))
  })
  await page.keyboard.press('ArrowDown')
  await untilFocused(page, '[role=option]')
  assert.deepEqual(await titles(page), ['Welcome', 'Shopping', 'Trip to Lisbon'])
})

inBrowsers('a second tab of the app sees what the first writes', async ({ open }) => {
  const first = await open(notesPage())
  await untilListed(first, 'Welcome', 'Shopping', 'Trip to Lisbon')
  const second = await open(notesPage())
  await untilListed(second, 'Welcome', 'Shopping', 'Trip to Lisbon')
  await second.focus('#title')
  await second.keyboard.press('Home')
  await second.keyboard.type('Very ')
  await untilListed(first, 'Very Welcome', 'Shopping', 'Trip to Lisbon')
})

inBrowsers('a phone shows the list or the note', async ({ open }) => {
  const page = await open(notesPage())
  await page.setViewport({ width: 360, height: 740 })
  await untilListed(page, 'Welcome', 'Shopping', 'Trip to Lisbon')
  await page.waitForSelector('#state[data-is=unpaired]') // its advice moves what is below
  const visible = () =>
    page.evaluate(() =>
      ['#notes', '#editor', '#reads-title'].filter((one) =>
        document.querySelector<HTMLElement>(one)?.checkVisibility(),
      ),
    )
  assert.deepEqual(await visible(), ['#notes', '#reads-title'])
  await page.click('#note-2')
  await untilFocused(page, '#text')
  assert.deepEqual(await visible(), ['#editor'])
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
  await page.click('#back')
  await untilFocused(page, '#note-2')
  assert.deepEqual(await visible(), ['#notes', '#reads-title'])
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true)
})
