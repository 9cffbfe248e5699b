/** A page's name at the gateway: it is free once the tab is closed. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'
import { type Gateway, startGateway } from './gateway.ts'
import { joined } from './notes.ts'

/**
 * Makes a test with a gateway of its own: names of other tests would be free, too.
 */
function withGateway(
  behaviour: string,
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
      const first = await browser.open(gateway.pages.trip ?? '')
      assert.equal(await joined(first), 'trip')
      const openTab = () => browser.open(`${gateway.web}demo/trip/`)
      await story({ browser, gateway, openTab, first })
    } finally {
      await gateway.close()
    }
  })
}

withGateway('a demo that is closed and opened again keeps its name', async (of) => {
  let page = of.first
  for (let i = 0; i < 3; i++) {
    await page.close()
    page = await of.openTab()
    assert.equal(await joined(page), 'trip')
    const answer = await post(of.gateway, 'resources/read', { uri: 'trip://plan' }, 'trip')
    assert.match(answer, /Lisbon/)
  }
})

withGateway('a tab that was left and returned to has a name of its own', async (of) => {
  const { first } = of
  await first.goto(`${of.gateway.web}icon.svg`)
  const other = await of.openTab()
  const name = await joined(other)
  await first.goBack()
  await first.waitForSelector('#state[data-is="joined"]')
  assert.notEqual(await joined(first), name)
  assert.equal(await joined(other), name)
})
