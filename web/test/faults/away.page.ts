// The gateway's port refuses everybody for a while: the page keeps trying every two seconds, and is back soon
// after the gateway, also when its tab is hidden. gateway.md §3.

import assert from 'node:assert/strict'
import { startGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { hasLoaded } from '../harness/waits.ts'
import { closedPort } from './port.ts'

/**
 * Far more than the three attempts need (0.2 + 0.4 + 0.8 s), far less than a page took that believed
 * its browser to keep it from the local network (30 s for one).
 */
const patience = 20_000 // ms

for (const hidden of [false, true]) {
  inBrowsers(
    `a page is back soon after its gateway${hidden ? ', in a hidden tab' : ''}`,
    async ({ context, open }) => {
      let gateway = await startGateway({ restarts: true })
      const { port } = new URL(gateway.mcp)
      try {
        const page = await open(gateway.pages.notes ?? '')
        const name = await joined(page)
        if (hidden) {
          await (await context.newPage()).bringToFront()
          assert.equal(await page.evaluate('document.visibilityState'), 'hidden')
        }
        await hasLoaded(page)
        await gateway.kill()
        const closed = await closedPort(Number(port))
        await closed.attempts(3, patience)
        await closed.release()
        gateway = await gateway.again()
        await page.waitForSelector('#state[data-is="joined"]', { timeout: patience })
        assert.equal(await joined(page), name)
      } finally {
        await gateway.close()
      }
    },
  )
}
