/** The tab that tests of the playground share shows it to each of them as on a first visit. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { openPlayground, press, saw, sharePlayground } from './harness.ts'

const playground = sharePlayground()

/** What a user sees, without times and sizes, and what is stored. */
const state = async (page: Page) => {
  await saw(page, '[data-pane=timeline] [role=row]', 'resources/templates/list')
  await page.waitForFunction(() => !document.querySelector('.loading, [aria-busy=true]'))
  // The last one is opened when everything is drawn.
  await page.waitForFunction(async () => (await indexedDB.databases()).length === 3)
  return page.evaluate(async () => ({
    hash: location.hash,
    clients: [...document.querySelectorAll('.clients [aria-pressed]')].map(
      (one) => one.textContent,
    ),
    tabs: [...document.querySelectorAll('.compose-tabs button[aria-current]')].map(
      (one) => one.textContent,
    ),
    pressed: [...document.querySelectorAll('[aria-pressed=true], [aria-selected=true]')].map(
      (one) => one.getAttribute('aria-label') ?? one.textContent,
    ),
    panes: [...document.querySelectorAll('[data-pane]')].map((one) => one.className),
    theme: document.documentElement.dataset.theme,
    stored: Object.keys(localStorage).sort(),
    session: Object.keys(sessionStorage).sort(),
    databases: (await indexedDB.databases()).map(({ name }) => name).sort(),
  }))
}

const first = new Map<string, Awaited<ReturnType<typeof state>>>()

inBrowsers(
  'a first visit is noted, in a context of its own',
  async ({ open, name }) => {
    first.set(name, await state(await openPlayground(open, playground)))
  },
  { fresh: true },
)

inBrowsers(
  'a visit that leaves settings, messages, clients and lessons',
  async ({ open, name }) => {
    const page = await openPlayground(open, playground)
    assert.deepEqual(await state(page), first.get(name))
    await press(page, '.clients button', 'connect', 'data-command')
    await page.waitForSelector('dialog input[name=connections-kind]')
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.querySelector('dialog') === null)
    await press(page, '[data-command=send]', '')
    await saw(page, '[data-pane=inspect]', 'notes://today')
    await press(page, '[data-pane=timeline] button', 'Sequence')
    await press(page, '.bar [data-command=lessons]', '')
    await press(page, '[data-lesson=hello]', '')
    await page.waitForSelector('.coach')
    await page.$eval('#looks select', (select) => {
      ;(select as HTMLSelectElement).value = 'dark'
      select.dispatchEvent(new Event('change', { bubbles: true }))
    })
    await page.waitForSelector('html[data-theme=dark]')
    await page.evaluate(() => {
      location.hash = 'left'
    })
  },
)

inBrowsers('the next visit is a first one', async ({ open, name }) => {
  assert.deepEqual(await state(await openPlayground(open, playground)), first.get(name))
})
