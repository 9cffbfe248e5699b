/** The browser denies all storage: the playground works, and keeps nothing beyond the page. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { denyStorage } from '../../harness/denied.ts'
import { openPlayground, press, saw, sharePlayground } from '../harness.ts'

const playground = sharePlayground()

const theme = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme)

inBrowsers(
  'without storage a message is sent, and settings last as long as the page',
  async (browser) => {
    const page = await browser.open('about:blank')
    await page.evaluateOnNewDocument(denyStorage)
    const open = (url: string) => page.goto(url).then(() => page)
    await openPlayground(open, playground, '?lang=en') // with the introduction and the service worker
    await saw(page, '[data-pane=timeline] [role=row]', 'notifications/resources/updated')
    await press(page, '#pane-timeline [role=row]', 'resources/read')
    await press(page, '[data-command=send]', '')
    await saw(page, '[data-pane=inspect]', 'resources/read')
    const before = await theme(page)
    await page.$eval('#looks select', (select) => {
      ;(select as HTMLSelectElement).value = 'dark'
      select.dispatchEvent(new Event('change', { bubbles: true }))
    })
    await page.waitForSelector('html[data-theme=dark]')
    await openPlayground(open, playground)
    assert.equal(await theme(page), before)
    await saw(page, '[data-pane=timeline] [role=row]', 'server/discover')
  },
  { moving: true },
)
