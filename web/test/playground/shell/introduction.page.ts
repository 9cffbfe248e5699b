/** The introduction: once per profile, without the focus, and again by a command. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import {
  callsToAct,
  openPlayground,
  type Playground,
  press,
  readQuickly,
  rows,
  saw,
  servePlayground,
} from '../harness.ts'
import { chord } from '../keys.ts'

let playground: Playground
before(async () => {
  playground = await servePlayground()
})
after(() => playground?.close())

const tabs = (page: Page) =>
  page.$$eval('.compose-tabs button[aria-current]', (all) => all.map((one) => one.textContent))

const updated = (page: Page) =>
  saw(page, '[data-pane=timeline] [role=row]', 'notifications/resources/updated')

inBrowsers(
  'reloads show the introduction once, and leave one draft',
  async ({ open }) => {
    const page = await openPlayground(open, playground, '?lang=en')
    await page.waitForSelector('.hint')
    assert.deepEqual(await tabs(page), ['notes://today'])
    for (let i = 0; i < 2; i++) {
      await page.reload()
      await page.waitForSelector('html[data-ready]')
      await updated(page) // the demo changes without it, too
      assert.equal(await page.$('.hint'), null)
      assert.deepEqual(await tabs(page), ['notes://today'])
    }
    await chord(page, 'Control', 'k')
    await page.waitForSelector('dialog.palette input')
    await page.keyboard.type('Replay the intro')
    await saw(page, 'dialog.palette [aria-selected=true]', 'Replay the introduction')
    await page.keyboard.press('Enter')
    await page.waitForSelector('.hint')
    assert.deepEqual(await tabs(page), ['notes://today'])
  },
  { moving: true },
)

inBrowsers(
  'the introduction waits for an assistant that is started before it',
  async ({ open }) => {
    const page = await open('about:blank')
    // In the page, as soon as there is the button. The engine starts after that: the introduction begins a second later.
    await page.evaluateOnNewDocument(() => {
      const { prototype } = Worker
      const post = prototype.postMessage
      const clicked = new Promise<void>((resolve) => {
        addEventListener('click', () => resolve(), { once: true })
      })
      prototype.postMessage = function (...all: unknown[]) {
        clicked.then(() => post.apply(this, all as Parameters<typeof post>))
      }
      new MutationObserver((_, observer) => {
        const button = document.querySelector<HTMLElement>('[data-command=assistant]')
        if (button === null) return
        observer.disconnect()
        button.click()
      }).observe(document, { childList: true, subtree: true })
    })
    await page.goto(`${playground.url}?lang=en`)
    await saw(page, '.chat', 'This page offers') // read and answered, later than the introduction would begin
    await readQuickly(page)
    await saw(page, '.chat', 'milk, bread, lemons')
    const all = await rows(page)
    assert.equal(all.filter((one) => one.includes('note today: "milk, bread"')).length, 0)
    assert.equal(await page.$('.hint'), null)
    await press(page, '.chat > footer button:last-child', '')
    await page.waitForSelector('.hint')
    await press(page, '#pane-timeline [role=row]', 'resources/read')
    await page.waitForSelector('[data-bench=open]')
    assert.deepEqual(await callsToAct(page), ['hint', 'Send'], 'the hint speaks of Send')
    await press(page, '[data-command=lessons]', '')
    await page.waitForSelector('[data-lesson=assistant]')
    await press(page, '[data-lesson=assistant]', '')
    await saw(page, '.chat', 'This page offers')
    const calls = await callsToAct(page) // Next, or Next lesson once the chat, which is read quickly, is over
    assert.equal(calls.length, 1, calls.join())
    assert.match(calls[0] ?? '', /^Next/)
  },
  { moving: true },
)

inBrowsers(
  'the introduction takes neither focus, pane nor text',
  async ({ open }) => {
    const page = await open('about:blank')
    await page.setViewport({ width: 390, height: 844 })
    await page.goto(`${playground.url}?lang=en`)
    await page.waitForSelector('.switcher button')
    await page.$$eval('.switcher button', (all) => (all.at(-1) as HTMLElement | undefined)?.click())
    await page.waitForSelector('#tl-filter')
    await page.focus('#tl-filter')
    await page.keyboard.type('-x')
    await page.waitForSelector('.hint')
    assert.equal(await page.evaluate(() => document.activeElement?.id), 'tl-filter')
    assert.equal(await page.$eval('main', (main) => main.dataset.shown), 'timeline')
    assert.ok((await rows(page)).length > 0)
  },
  { moving: true },
)
