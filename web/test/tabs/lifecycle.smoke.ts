/** What becomes of tabs: the back/forward cache, and a crash. */
import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { isBack } from '../harness/waits.ts'
import { known, openTab, servePage } from './serving.ts'

const site = servePage()

/** The title stays with the document: a page that was loaded anew has another one. */
const mark = (page: Page, title: string) =>
  page.evaluate((title) => {
    document.title = title
  }, title)

/** Why the browser did not take a page back from the cache, as far as it says. */
const reasons = (page: Page) =>
  page.evaluate(() => {
    type Navigation = { notRestoredReasons?: { reasons?: { reason: string }[] } }
    const [entry] = performance.getEntriesByType('navigation') as unknown as Navigation[]
    return entry?.notRestoredReasons?.reasons?.map(({ reason }) => reason) ?? []
  })

for (const there of ['/plain', '/c']) {
  const kind = there === '/c' ? 'another page of the app' : 'a page that takes no part'
  inBrowsers(`a tab goes into the back/forward cache behind ${kind}`, async (browser) => {
    const a = await openTab(browser, site.url('/a'))
    const b = await openTab(browser, site.url('/b'))
    await mark(a, 'first')
    const id = await a.evaluate(async () => (await tabKit.own()).id)
    await b.evaluate(() => tabKit.untilTitles('b', 'first'))

    await a.goto(site.url(there))
    const rest = there === '/c' ? ['b', 'c'] : ['b']
    await b.evaluate((rest) => tabKit.untilTitles(...rest), rest)
    // All that a tab does must leave the cached one alone: tell, ask, come and go.
    await mark(b, 'b2')
    const c = await openTab(browser, site.url('/text'))
    await c.evaluate(async () => {
      for (const { id } of (await tabKit.all()).tabs) await tabKit.read(`tab:///${id}/text`)
    })
    await c.close()
    const left = there === '/c' ? ['b2', 'c'] : ['b2']
    await b.evaluate((left) => tabKit.untilTitles(...left), left)

    await a.goBack()
    await known(a)
    await isBack(a, () => tabKit.returned.persisted)
    const { persisted } = await a.evaluate(() => tabKit.returned)
    if (browser.name === 'chromium') assert.equal(persisted, true, String(await reasons(a)))
    const title = persisted ? 'first' : 'a'
    await b.evaluate((title) => tabKit.untilTitles('b2', title), title)
    const tabs = await a.evaluate((title) => tabKit.untilTitles('b2', title), title)
    assert.equal(tabs.find((tab) => tab.this)?.id, id, 'the same tab')
    // It is a tab like others again: heard, and told.
    await mark(a, 'back')
    await b.evaluate(() => tabKit.untilTitles('b2', 'back'))
    await mark(b, 'b3')
    await a.evaluate(() => tabKit.untilTitles('b3', 'back'))
  })
}

inBrowsers('a cached document of the app and its locks are left alone', async (browser) => {
  const a = await browser.open(site.url('/plain'))
  await a.evaluate(async () => {
    addEventListener('pageshow', ({ persisted }) => Object.assign(window, { persisted }))
    await new Promise<void>((held) => {
      void navigator.locks.request('of the app', () => {
        held()
        return new Promise<never>(() => {})
      })
    })
  })
  await a.goto(site.url('/b'))
  await known(a)
  const other = await openTab(browser, site.url('/c'))
  await other.evaluate(() => tabKit.untilTitles('b', 'c'))
  await a.goBack()
  await isBack(a, () => 'persisted' in window)
  const persisted = await a.evaluate(() => (window as { persisted?: boolean }).persisted)
  if (browser.name === 'chromium') assert.equal(persisted, true, String(await reasons(a)))
  await other.evaluate(() => tabKit.untilTitles('c'))
})

inBrowsers('a tab that goes without a word is gone, as after a crash', async (browser) => {
  const a = await openTab(browser, site.url('/a'))
  const b = await openTab(browser, site.url('/b'))
  const id = await b.evaluate(async () => (await tabKit.own()).id)
  await a.evaluate(() => tabKit.untilTitles('a', 'b'))
  await a.evaluate(() => tabKit.forget())
  if (browser.name === 'chromium') {
    void b.goto('chrome://crash').catch(() => {}) // there is nobody left to answer
  } else {
    await b.evaluate(() => {
      BroadcastChannel.prototype.postMessage = () => {} // here a test cannot crash a tab alone
    })
    await b.close()
  }
  await a.evaluate(() => tabKit.untilTitles('a'))
  const told = await a.evaluate((id) => tabKit.until('list', 'tab:///', `tab:///${id}`), id)
  assert.ok(told.includes(`tab:///${id}/text`))
})
