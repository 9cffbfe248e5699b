// The browser cannot open the database of keys for a while, as when it is busy: a page stays invited.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers } from '../harness/browsers.ts'
import { away, joinedAs, type Setting, setting } from './kit.ts'

let at: Setting
before(
  async () => {
    at = await setting()
  },
  { timeout: 300_000 },
)
after(() => at?.close())

/** The next opens of the database fail: more than are tried in a row. */
const failing = `
{
  let left = 5
  const { open } = IDBFactory.prototype
  IDBFactory.prototype.open = function (...args) {
    if (args[0] === 'pagemcp' && left-- > 0) throw new DOMException('Internal error', 'UnknownError')
    return open.apply(this, args)
  }
}`

inBrowsers('a page joins again while its keys cannot be read', async (browser) => {
  const { page, name } = await at.open(browser, '?worker=false')
  await page.evaluate(failing)
  await at.kill()
  await away(page)
  await at.restart()
  assert.equal(await joinedAs(page), name)
})

inBrowsers('a page that is reloaded while its keys cannot be read joins later', async (browser) => {
  const { page, name } = await at.open(browser, '?worker=false')
  await page.evaluateOnNewDocument(failing)
  await page.reload()
  assert.equal(await joinedAs(page), name)
})
