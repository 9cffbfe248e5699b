// A page with an engine, and without a gateway, stays in the back/forward cache: Firefox keeps none with a Web Lock.

import assert from 'node:assert/strict'
import { join } from 'node:path'
import { inBrowsers } from '../../harness/browsers.ts'
import { built } from '../../harness/build.ts'
import { serve } from '../../harness/serve.ts'
import { leave } from '../../harness/waits.ts'

const page = `<!doctype html><title>page</title><script type="module">
import { start } from '/pagemcp/index.js'
const mcp = await start({ name: 'test' })
mcp.resource({ uri: 'notes://cart', name: 'Cart' }, () => '2 apples')
window.port = mcp.port()
window.ask = () => new Promise((resolve) => {
  port.onmessage = ({ data }) => resolve(data.result?.contents[0].text)
  port.postMessage({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'notes://cart', _meta: {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {},
  } } })
})
addEventListener('pageshow', ({ persisted }) => { window.returned = persisted })
window.ready = true
</script>`

inBrowsers('a page with an engine returns from the back/forward cache', async ({ open }) => {
  const { directory, remove } = await built()
  const site = await serve({
    directories: { '/pagemcp/': join(directory, 'pagemcp') },
    files: { '/page.html': page, '/other.html': '<!doctype html><title>other</title>' },
    headers: { 'cache-control': 'max-age=60' }, // what is not stored is not cached either
  })
  try {
    const tab = await open(`${site.origin}/page.html`)
    await tab.waitForFunction('window.ready')
    assert.equal(await tab.evaluate('ask()'), '2 apples')
    await leave(tab, '/other.html')
    await tab.waitForFunction("location.pathname === '/other.html'")
    await tab.evaluate('void setTimeout(() => history.back())')
    await tab.waitForFunction('window.returned === true')
    assert.equal(await tab.evaluate('ask()'), '2 apples')
  } finally {
    await site.close()
    await remove()
  }
})
