// What a page does by itself about its connection: sleep with a half-open socket, clocks that jump, a stranger or
// another version on the gateway's port. Against a gateway that was written from the document. gateway.md §3.

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { servePages } from '../core/browser/built.ts'
import { type FakeGateway, fakeGateway } from '../core/browser/gateway.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'

/** The engine runs in the window, for its clock is set there. */
const page = (gateway: string) => `
import '/in-window.js'
import { start, webSocket } from '/pagemcp/index.js'
window.jump = (ms) => { const before = Date.now; Date.now = () => before() + ms }
window.mcp = await start({ name: 'notes' })
mcp.resource({ uri: 'notes://cart', name: 'Cart' }, () => '2 apples')
mcp.connect(webSocket('${gateway}'))
window.wake = () => { dispatchEvent(new Event('online')) }`

const hour = 3_600_000 // ms

/** Runs a story with a page that has joined. */
async function withPage(
  { open }: TestBrowser,
  story: (of: {
    gateway: FakeGateway
    tab: Page
    peer: Awaited<ReturnType<FakeGateway['dialled']>>
    hello: Record<string, unknown>
  }) => Promise<void>,
) {
  const gateway = await fakeGateway()
  const site = await servePages({ '/page.html': page(gateway.url) })
  try {
    const tab = await open(`${site.origin}/page.html${gateway.fragment}`)
    const peer = await gateway.dialled()
    const hello = await gateway.join(peer)
    await is(tab, 'joined')
    await story({ gateway, tab, peer, hello })
  } finally {
    await site.close()
    gateway.close()
  }
}

const is = (tab: Page, wanted: string) =>
  tab.waitForFunction(
    (wanted) => {
      const { mcp } = window as unknown as { mcp?: { state: { gateways: { is: string }[] } } }
      return mcp?.state.gateways[0]?.is === wanted
    },
    {},
    wanted,
  )

/** The page joins once more, as the same page and the same document. */
async function joinsAgain(gateway: FakeGateway, tab: Page, hello: Record<string, unknown>) {
  const next = await gateway.dialled()
  const again = await gateway.join(next)
  assert.deepEqual([again.page, again.instance], [hello.page, hello.instance])
  assert.equal(next.got[0]?.key, 'key-1', 'it proves itself by the key that it kept')
  await is(tab, 'joined')
  next.send({ jsonrpc: '2.0', id: 9, method: 'ping' })
  assert.deepEqual(await next.next(), { jsonrpc: '2.0', id: 9, result: {} })
}

inBrowsers('after sleep, a socket on which nothing is heard is replaced at the wake', (browser) =>
  withPage(browser, async ({ gateway, tab, hello }) => {
    // Half open: the gateway's side says nothing more, not even a close.
    await tab.evaluate(`jump(${hour})`)
    await tab.evaluate('wake()')
    await joinsAgain(gateway, tab, hello)
  }),
)

inBrowsers('a wake right after a message keeps the socket', (browser) =>
  withPage(browser, async ({ tab, peer }) => {
    await tab.evaluate(`jump(${hour})`)
    peer.send({ jsonrpc: '2.0', id: 1, method: 'ping' })
    await peer.next()
    await tab.evaluate('wake()')
    peer.send({ jsonrpc: '2.0', id: 2, method: 'ping' })
    assert.deepEqual(await peer.next(), { jsonrpc: '2.0', id: 2, result: {} })
  }),
)

for (const [way, ms] of [
  ['forward', 24 * hour],
  ['back', -24 * hour],
] as const) {
  inBrowsers(
    `a clock that jumps ${way} while the gateway is away does not slow the page`,
    (browser) =>
      withPage(browser, async ({ gateway, tab, peer, hello }) => {
        peer.close(1012)
        const second = await gateway.dialled() // it tries already
        second.close(1013)
        await tab.evaluate(`jump(${ms})`)
        await joinsAgain(gateway, tab, hello)
      }),
  )
}

inBrowsers(
  'a stranger on the gateway’s port learns nothing, and the page waits for its own',
  (browser) =>
    withPage(browser, async ({ gateway, tab, peer, hello }) => {
      peer.close(1012)
      const stranger = await gateway.dialled()
      await gateway.join(stranger, { honest: false })
      assert.equal(await stranger.closed, 4401)
      const said = stranger.got.map((message) => Object.keys(message).sort())
      assert.deepEqual(said, [['address', 'key', 'nonce', 'pagemcp']])
      await is(tab, 'away')
      await tab.evaluate('wake()')
      await joinsAgain(gateway, tab, hello)
    }),
)

inBrowsers('a gateway of another version is asked again later', (browser) =>
  withPage(browser, async ({ gateway, tab, peer, hello }) => {
    peer.close(1012)
    const other = await gateway.dialled()
    await other.next()
    other.close(4400)
    await tab.evaluate('void setInterval(wake, 100)') // it waits for 15 s otherwise: it is not the right one
    await joinsAgain(gateway, tab, hello)
  }),
)
