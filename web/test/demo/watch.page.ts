/** From a demo to the playground that observes it: at once by a click, never by a link alone. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { useGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { saw } from '../playground/harness.ts'
import { readText } from './reading.ts'

const gateway = useGateway()

/** Clicks the demo's link, and returns the playground that it opens. */
async function follow(page: Page, { context }: TestBrowser): Promise<Page> {
  const opened = new Promise<Page>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the link opened no tab')), 20_000)
    context.once('targetcreated', async (target) => {
      clearTimeout(timer)
      const tab = await target.page()
      if (tab) resolve(tab)
    })
  })
  await page.click('.watch')
  return await opened
}

inBrowsers('the link of a demo leads to the playground that observes it', async (browser) => {
  const { pages } = await gateway().fresh()
  const page = await browser.open(`${pages.notes?.replace('#', '?lang=en#')}`)
  const name = await joined(page)
  const tab = await follow(page, browser)
  await saw(tab, '.clients', `${name}, monitor`)
  assert.match(await readText(gateway(), `${name}+idb:///notes-app/notes/n.2`), /Chickpeas/)
  await saw(tab, '[data-pane=timeline]', 'resources/read')
  await saw(tab, '.connections-uses li', 'idb:///notes-app/notes/n.2')
})

inBrowsers('a link alone connects to nothing', async ({ open }) => {
  const { start } = await gateway().fresh()
  await (await open(start)).waitForSelector('#state[data-is=paired]')
  const tab = await open(`${gateway().web}playground/?watch=notes&lang=en`)
  await tab.waitForSelector('html[data-ready]')
  await tab.waitForSelector('[data-watch=notes]')
  const sockets = () =>
    tab.evaluate(() =>
      performance.getEntriesByType('resource').filter(({ name }) => /config\.json$/.test(name)),
    )
  assert.deepEqual(await sockets(), [], 'the address of the gateway was looked up')
  assert.doesNotMatch(await tab.$eval('.clients', (one) => one.textContent), /monitor/)
  await tab.click('[data-watch=notes]')
  await saw(tab, '.clients', 'notes, monitor')
})
