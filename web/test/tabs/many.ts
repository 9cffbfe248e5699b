/** As many tabs as one likes: twelve in the tests, fifty in the soak. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import type { TestBrowser } from '../harness/browsers.ts'
import { openTab } from './serving.ts'

/** The title stays with the document: a page that was loaded anew has another one. */
export const mark = (page: Page, title: string) =>
  page.evaluate((title) => {
    document.title = title
  }, title)

/** Opens tabs; all know all, of a change, and after half of them are closed. */
export async function knowEachOther(
  browser: TestBrowser,
  site: { url: (path?: string) => string },
  count: number,
): Promise<void> {
  const first = await openTab(browser, site.url('/a?0'))
  const pages = [first]
  for (let i = 1; i < count; i++) pages.push(await browser.open(site.url(`/a?${i}`)))
  const all = Array<string>(count).fill('a')
  const tabs = await first.evaluate((all) => tabKit.untilTitles(...all), all)
  assert.equal(new Set(tabs.map(({ id }) => id)).size, count)
  await Promise.all(pages.map((page) => page.evaluate((all) => tabKit.untilTitles(...all), all)))

  const last = pages[count - 1] as Page
  await mark(last, 'last')
  const titles = [...all.slice(1), 'last']
  await Promise.all(
    pages.map((page) => page.evaluate((titles) => tabKit.untilTitles(...titles), titles)),
  )
  // A text is asked of one tab, and a listing costs the others nothing.
  const id = await last.evaluate(async () => (await tabKit.own()).id)
  assert.equal(
    typeof (await first.evaluate((id) => tabKit.read(`tab:///${id}/text`), id)),
    'string',
  )
  const left = Math.ceil(count / 2)
  for (const page of pages.splice(left)) await page.close()
  await first.evaluate((all) => tabKit.untilTitles(...all), all.slice(0, left))
}
