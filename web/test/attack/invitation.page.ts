/**
 * A link is enough to visit a page, so it must not be enough to hand the page to a stranger's gateway
 * (security.md S15): an invitation never chooses the gateway, and one for the page's own gateway replaces a key
 * only after the user has confirmed it.
 */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'puppeteer-core'
import { webSocket } from '../../src/connector.ts'
import { servePages } from '../core/browser/built.ts'
import { type FakeGateway, fakeGateway } from '../core/browser/gateway.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { freePort } from '../harness/ports.ts'

/** An app. `gateways` is the code that names them. */
const app = (gateways: string) => `
import { start } from '/pagemcp/index.js'
window.reported = []
window.mcp = await start({ name: 'notes' })
mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
mcp.on('error', (error) => reported.push(error.reason ?? String(error)))
window.outcome = mcp.connect(${gateways}).joined.then(
  (name) => 'joined ' + name,
  (error) => error.reason,
)
window.ready = true`

const outcome = async (tab: Page) => {
  await tab.waitForFunction('window.ready')
  return tab.evaluate('outcome')
}

/** What a visitor sees and does of the confirmation. */
const confirmation = {
  shown: (tab: Page) => tab.waitForSelector('pagemcp-question'),
  gone: (tab: Page) => tab.waitForFunction(() => !document.querySelector('pagemcp-question')),
  /**
   * Makes the next click one that comes at once, however long the browser takes to deliver it: the dialog reads a clock
   * that stands where it is now. Call it before the dialog is shown.
   */
  nextClickComesAtOnce: (tab: Page) =>
    tab.evaluate(() => {
      const now = performance.now()
      const setBack = () => {
        performance.now = () => {
          delete (performance as Partial<Performance>).now // for one look: timers of the page need the real one
          return now
        }
      }
      addEventListener('click', setBack, { capture: true, once: true })
    }),
  /** Waits until the dialog takes clicks. */
  async takesClicks(tab: Page) {
    await tab.waitForFunction(
      `performance.now() > ${await tab.evaluate('performance.now()')} + 600`,
    )
  },
}

/** An own gateway that the page has joined, and a stranger's. */
async function withPairedPage(
  { open }: TestBrowser,
  story: (of: {
    own: FakeGateway
    url: string
    tab: Page
    visit: (fragment: string) => Promise<Page>
  }) => Promise<void>,
) {
  const own = await fakeGateway(await freePort()) // which a stranger takes later
  const site = await servePages({ '/app.html': app(JSON.stringify(own.url)) })
  try {
    const url = `${site.origin}/app.html`
    const tab = await open(url + own.fragment)
    await own.join(await own.dialled())
    assert.equal(await outcome(tab), 'joined notes')
    await story({ own, url, tab, visit: (fragment) => open(`${url}?${Math.random()}${fragment}`) })
  } finally {
    await site.close()
    await own.close()
  }
}

inBrowsers('a stranger’s link to an app that is not paired opens no socket', async ({ open }) => {
  const [own, stranger] = [await fakeGateway(), await fakeGateway()]
  const site = await servePages({ '/app.html': app(JSON.stringify(own.url)) })
  try {
    const tab = await open(`${site.origin}/app.html${stranger.fragment}`)
    assert.equal(await outcome(tab), 'other-gateway')
    assert.deepEqual(await tab.evaluate('reported'), ['other-gateway'])
    assert.equal(await tab.evaluate('location.hash'), '')
    await tab.reload()
    assert.equal(await outcome(tab), 'not-invited', 'nothing was kept')
    assert.deepEqual([own.dials, stranger.dials], [0, 0])
  } finally {
    await site.close()
    await Promise.all([own.close(), stranger.close()])
  }
})

inBrowsers('a paired page keeps its gateway under a stranger’s link', (browser) =>
  withPairedPage(browser, async ({ own, visit }) => {
    const stranger = await fakeGateway()
    try {
      const tab = await visit(stranger.fragment)
      await own.join(await own.dialled())
      assert.equal(await outcome(tab), 'joined notes')
      assert.deepEqual(await tab.evaluate('reported'), ['other-gateway'])
      await tab.reload()
      await own.join(await own.dialled())
      assert.equal(await outcome(tab), 'joined notes')
      assert.equal(stranger.dials, 0)
    } finally {
      await stranger.close()
    }
  }),
)

inBrowsers('a stranger on the gateway’s port needs the user’s consent besides a link', (browser) =>
  withPairedPage(browser, async ({ own, visit, tab: first }) => {
    await first.close()
    await own.close()
    const stranger = await fakeGateway(Number(new URL(own.url).port))
    try {
      const tab = await visit(stranger.fragment)
      const peer = await stranger.dialled()
      await stranger.join(peer, { honest: false })
      assert.equal(await peer.closed, 4401)
      await confirmation.shown(tab)
      // Scripts cannot answer, and neither can a click that was meant for the page.
      await tab.evaluate(() => {
        const host = document.querySelector('pagemcp-question')
        host?.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }))
        if (host?.shadowRoot) throw new Error('the shadow root is open')
      })
      await confirmation.takesClicks(tab)
      await tab.keyboard.press('Escape')
      await confirmation.gone(tab)
      const again = await stranger.dialled() // with the key, for the page's own gateway may be back
      await stranger.join(again, { honest: false })
      assert.equal(await outcome(tab), 'not-my-gateway')
      assert.deepEqual(
        [...peer.got, ...again.got].map((message) => Object.keys(message).sort()),
        [
          ['address', 'key', 'nonce', 'pagemcp'],
          ['address', 'key', 'nonce', 'pagemcp'],
        ],
      )
      assert.equal(stranger.dials, 2)
    } finally {
      await stranger.close()
    }
  }),
)

inBrowsers('a gateway that was set up anew is joined after the user has confirmed it', (browser) =>
  withPairedPage(browser, async ({ own, visit, tab: first }) => {
    await first.close()
    await own.close()
    const renewed = await fakeGateway(Number(new URL(own.url).port))
    try {
      const tab = await visit(renewed.fragment)
      const unproven = await renewed.dialled()
      await confirmation.nextClickComesAtOnce(tab)
      await renewed.join(unproven, { honest: false })
      await confirmation.shown(tab)
      await tab.keyboard.press('Enter') // refuses by default, but not at once
      await confirmation.takesClicks(tab)
      await tab.keyboard.down('Shift')
      await tab.keyboard.press('Tab')
      await tab.keyboard.up('Shift')
      await tab.keyboard.press('Enter')
      await confirmation.gone(tab)
      const peer = await renewed.dialled()
      assert.equal((await renewed.join(peer)).name, 'notes')
      assert.equal(await outcome(tab), 'joined notes')
      assert.equal(peer.got[0]?.secret, 'secret-1')
    } finally {
      await renewed.close()
    }
  }),
)

inBrowsers('a page in another site’s frame does not ask, and keeps its gateway', (browser) =>
  withPairedPage(browser, async ({ own, url, tab: first }) => {
    await first.close()
    await own.close()
    const stranger = await fakeGateway(Number(new URL(own.url).port))
    const around = await servePages({ '/around.html': '' }) // of another port: another origin, the same storage
    try {
      const tab = await browser.open(`${around.origin}/around.html`)
      await tab.evaluate((src) => {
        const frame = document.createElement('iframe')
        frame.src = src
        document.body.append(frame)
      }, url + stranger.fragment)
      const peer = await stranger.dialled()
      await stranger.join(peer, { honest: false })
      const inner = await (await tab.waitForSelector('iframe'))?.contentFrame()
      assert.ok(inner)
      await inner.waitForFunction('window.ready')
      const again = await stranger.dialled()
      await stranger.join(again, { honest: false })
      assert.equal(await inner.evaluate('outcome'), 'not-my-gateway')
      assert.equal(again.got[0]?.key, 'key-1')
    } finally {
      await around.close()
      await stranger.close()
    }
  }),
)

test('addresses of gateways: this machine by ws, others by wss only', () => {
  for (const url of [
    'ws://127.0.0.1:8808/page',
    'ws://localhost:1/page',
    'ws://[::1]:9/page',
    'wss://gateway.example/page',
  ]) {
    assert.deepEqual(webSocket(url).dial.gateways, [url])
    assert.deepEqual(webSocket({ gateways: [url] }).dial.gateways, [url])
  }
  for (const url of [
    'ws://evil.example/page',
    'ws://127.0.0.1.evil.example/page',
    'ws://127.0.0.1@evil.example/page',
    'ws://10.0.0.1/page',
    'ws://0.0.0.0/page',
    'wss://user:pass@gateway.example/page',
    'http://127.0.0.1:8808/page',
    '/page',
    '',
  ]) {
    assert.throws(() => webSocket(url), { name: 'TypeError' }, url)
    assert.throws(() => webSocket({ gateways: [url] }), { name: 'TypeError' }, url)
  }
})
