// Clients of both SDKs in a frame of another origin, on a transport that requests its own port.

import assert from 'node:assert/strict'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { bundled } from '../harness/bundled.ts'

const host = `
import { start } from '/pagemcp/index.js'
const query = new URLSearchParams(location.search)
const mcp = await start({ name: 'host' })
mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
mcp.listen({ origins: [query.get('origin')] })
window.answers = new Promise((resolve) => {
  addEventListener('message', ({ data }) => data?.answers && resolve(data.answers))
})
const frame = document.createElement('iframe')
frame.src = query.get('frame')
document.body.append(frame)
window.ready = true`

inBrowsers(
  'a frame of a listed origin reads by the clients of both SDKs, another one does not',
  async ({ open }) => {
    const { origin, otherOrigin, close } = await servePages(
      { '/host.html': host },
      { 'access-control-allow-origin': '*' },
      {
        '/frame.html': '<!doctype html><script type="module" src="/frame.js"></script>',
        '/frame.js': await bundled('client/frame.ts'),
      },
    )
    try {
      for (const [listed, answer, timeout] of [
        [otherOrigin, '2 apples', 15_000],
        ['https://other.example', 'TimeoutError', 3_000],
      ]) {
        const src = `${otherOrigin}/frame.html?host=${origin}&timeout=${timeout}`
        const frame = encodeURIComponent(src)
        const page = await open(`${origin}/host.html?origin=${listed}&frame=${frame}`)
        await page.waitForFunction('window.ready')
        assert.deepEqual(await page.evaluate('answers'), [answer, answer, 'AbortError'])
      }
    } finally {
      await close()
    }
  },
)
