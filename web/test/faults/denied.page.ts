// The browser denies all storage: a page joins with a link and serves. Its key is gone after a reload.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { denyStorage } from '../harness/denied.ts'
import { type Setting, setting } from './kit.ts'

let at: Setting
before(
  async () => {
    at = await setting()
  },
  { timeout: 300_000 },
)
after(() => at?.close())

/** Opens pages whose window is denied its storage. */
const denied = (browser: TestBrowser): TestBrowser => ({
  ...browser,
  async open(url) {
    const page = await browser.open('about:blank')
    await page.evaluateOnNewDocument(denyStorage)
    await page.goto(url)
    return page
  },
})

inBrowsers(
  'a page without storage joins with a link, and needs another one after a reload',
  async (browser) => {
    const { page, name } = await at.open(denied(browser), '?worker=false') // the storage of a Worker cannot be denied so
    assert.match(name, /^app/)
    assert.deepEqual(await page.evaluate('errors'), [])
    await page.reload()
    await page.waitForFunction(() =>
      /not invited by the gateway.*run pagemcp pair/.test(document.title),
    )
    assert.equal(await page.evaluate('mcp.state.engine'), 'running')
  },
)
