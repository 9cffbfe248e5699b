// A page with an engine, and without a gateway, stays in the back/forward cache: Firefox keeps none with a Web Lock.

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { leave } from '../../harness/waits.ts'
import { servePages } from './built.ts'

const page = `
import { testClient } from '/test/harness/client.ts'
import { start } from '/pagemcp/index.js'
const access = new URLSearchParams(location.search).get('access')
const mcp = await start({ name: 'test', access })
mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
const client = testClient(mcp.port())
window.ask = async () => (await client.askModern('resources/read', { uri: 'notes://cart' })).result.contents[0].text
addEventListener('pageshow', ({ persisted }) => { window.returned = persisted })
window.ready = true`

for (const access of ['open', 'ask']) {
  inBrowsers(
    `a page with an engine returns from the back/forward cache: ${access}`,
    async ({ open }) => {
      const headers = { 'cache-control': 'max-age=60' } // what is not stored is not cached either
      const site = await servePages({ '/page.html': page, '/other.html': '' }, headers)
      try {
        const tab = await open(`${site.origin}/page.html?access=${access}`)
        await tab.waitForFunction('window.ready')
        assert.equal(await tab.evaluate('ask()'), '2 apples')
        await leave(tab, '/other.html')
        await tab.waitForFunction("location.pathname === '/other.html'")
        await tab.evaluate('void setTimeout(() => history.back())')
        await tab.waitForFunction('window.returned === true')
        assert.equal(await tab.evaluate('ask()'), '2 apples')
      } finally {
        await site.close()
      }
    },
  )
}
