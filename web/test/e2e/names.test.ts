/** A page's name at the gateway: it is free once the tab is closed, and stays while the tab reloads. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { type Gateway, post, startGateway } from './gateway.ts'
import { joined } from './notes.ts'

/**
 * Firefox has no `pageswap`: how long others wait there for a page that may be reloading goes by the time that its start
 * took (closed-pages.ts), whatever a busy machine makes of it. So the page's clock says that the start was quick, for
 * tests of tabs that are closed, or slow, for tests of a reload.
 */
function seemsToStart(quickly: boolean) {
  const now = performance.now.bind(performance)
  performance.now = quickly ? () => now() / 10 : () => now() + 3000 // ms
}

/**
 * Makes a test with a gateway of its own: names of other tests would be free, too.
 *
 * @param quickly - whether its tabs seem to start quickly
 */
function withGateway(
  behaviour: string,
  quickly: boolean,
  story: (of: {
    browser: TestBrowser
    gateway: Gateway
    /** Opens a demo in another tab. */
    openTab(): Promise<Page>
    /** The first tab, which has joined as `trip`. */
    first: Page
  }) => Promise<void>,
) {
  inBrowsers(behaviour, async (browser) => {
    const gateway = await startGateway()
    try {
      const open = async (url: string) => {
        const tab = await browser.open('about:blank')
        await tab.evaluateOnNewDocument(seemsToStart, quickly)
        await tab.goto(url)
        return tab
      }
      const first = await open(gateway.pages.trip ?? '')
      assert.equal(await joined(first), 'trip')
      const openTab = () => open(`${gateway.web}demo/trip/`)
      await story({ browser, gateway, openTab, first })
    } finally {
      await gateway.close()
    }
  })
}

withGateway('a demo that is closed and opened again keeps its name', true, async (of) => {
  let page = of.first
  for (let i = 0; i < 3; i++) {
    await page.close()
    page = await of.openTab()
    assert.equal(await joined(page), 'trip')
    const answer = await post(of.gateway, 'resources/read', { uri: 'trip://plan' }, 'trip')
    assert.match(answer, /Lisbon/)
  }
})

withGateway('two tabs that are closed and opened at once share their names', true, async (of) => {
  const second = await of.openTab()
  assert.equal(await joined(second), 'trip-2')
  const tabs = await Promise.all(
    [of.first, second].map(async (tab) => {
      await tab.close()
      return of.openTab()
    }),
  )
  assert.deepEqual((await Promise.all(tabs.map(joined))).sort(), ['trip', 'trip-2'])
})

inBrowsers(
  'a tab that ended without a word, with its browser, leaves its name to the next one',
  async (browser) => {
    const gateway = await startGateway()
    try {
      const first = await browser.open(gateway.pages.trip ?? '')
      assert.equal(await joined(first), 'trip')
      // It has been open for long.
      await first.evaluate(() => {
        for (const key of Object.keys(localStorage)) {
          if (key.startsWith('pagemcp.page.')) localStorage[key] = Date.now() - 60_000
        }
      })
      const ended = new Promise<void>((resolve) => first.once('error', () => resolve()))
      const session = await first.createCDPSession()
      session.send('Page.crash').catch(() => {}) // never answered
      await ended
      const next = await browser.open(`${gateway.web}demo/trip/`)
      assert.equal(await joined(next), 'trip')
    } finally {
      await gateway.close()
    }
  },
  { only: ['chromium'] },
)

withGateway(
  'a tab that reloads keeps its name while others open',
  false,
  async ({ first, openTab }) => {
    for (const reload of [() => first.reload(), () => first.evaluate(() => location.reload())]) {
      await first.evaluate(() => document.querySelector('#state')?.removeAttribute('data-is'))
      const [other] = await Promise.all([openTab(), reload()])
      assert.equal(await joined(first), 'trip')
      // It stays open: the next one would wait until a tab that seems to start slowly counts as closed, some 10 s.
      assert.match(await joined(other), /^trip-\d$/)
    }
  },
)

withGateway('a tab that was left and returned to has a name of its own', true, async (of) => {
  const { first } = of
  await first.goto(`${of.gateway.web}icon.svg`)
  const other = await of.openTab()
  const name = await joined(other)
  await first.goBack()
  await first.waitForSelector('#state[data-is="joined"]')
  assert.notEqual(await joined(first), name)
  assert.equal(await joined(other), name)
  // Firefox keeps no page with a socket in its back/forward cache: there the other tab may have the name by now.
  if (of.browser.name === 'chromium') assert.equal(await joined(first), 'trip')
})
