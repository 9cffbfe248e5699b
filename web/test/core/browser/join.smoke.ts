// Joining a gateway: the document's protocol against an independent gateway, strangers, coming back.
// security.md S9, S15, R7.2; gateway.md §3.

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { envelope } from '../../harness/client.ts'
import { servePages } from './built.ts'
import { fakeGateway } from './gateway.ts'

const page = (gateway: string) => `
import { start } from '/pagemcp/index.js'
window.again = () => mcp.connect('${gateway}')
window.states = []
window.mcp = await start({ name: 'notes', title: 'Notes' })
mcp.resource('notes://cart', { name: 'Cart' }, () => '2 apples')
mcp.resource('notes://huge', { name: 'Huge' }, () => 'x'.repeat(9 << 20))
mcp.on('state', ({ gateways }) => states.push(gateways[0]?.is))
window.outcome = mcp.connect('${gateway}').joined.then(
  (name) => 'joined ' + name,
  (error) => [error.name, error.reason, error instanceof Error].join(' '),
)
window.ready = true`

/** How connect ended. */
const outcome = async (tab: Page) => {
  await tab.waitForFunction('window.ready')
  return tab.evaluate('outcome')
}

const read = (id: unknown, uri: string) => ({
  jsonrpc: '2.0',
  id,
  method: 'resources/read',
  params: { uri, _meta: envelope },
})

inBrowsers(
  'a page joins as the document says, serves, and comes back with its key',
  async ({ open }) => {
    const gateway = await fakeGateway()
    const site = await servePages({ '/page.html': page(gateway.url) })
    try {
      const tab = await open(
        `${site.origin}/page.html?q=1#route/1&x${gateway.fragment.replace('#', '&')}`,
      )
      const peer = await gateway.dialled()
      assert.equal(peer.origin, site.origin)
      const hello = await gateway.join(peer)
      assert.equal(hello.name, 'notes')
      assert.equal(hello.title, 'Notes')
      assert.equal(hello.url, `${site.origin}/page.html`)
      assert.equal(await outcome(tab), 'joined notes')
      // The secret is gone from the address; the app's own fragment is not.
      assert.equal(await tab.evaluate('location.hash'), '#route/1&x')
      assert.ok(
        !JSON.stringify(peer.got).includes('"secret":"secret-1"') ||
          peer.got[0]?.secret === 'secret-1',
      )

      peer.send(read(1, 'notes://cart'))
      const { result } = (await peer.next()) as { result: { contents: { text: string }[] } }
      assert.equal(result.contents[0]?.text, '2 apples')
      peer.send(read(2, 'notes://huge'))
      const { error } = (await peer.next()) as { error: { data: { reason: string } } }
      assert.equal(error.data.reason, 'too-large')

      // The connection breaks: the page dials again, now with the key, as the same page and instance.
      peer.close(1012)
      const second = await gateway.dialled()
      const again = await gateway.join(second)
      assert.equal(second.got[0]?.key, 'key-1')
      assert.deepEqual([again.page, again.instance], [hello.page, hello.instance])

      // Somebody else has its page id: it takes another one.
      second.close(4409)
      const third = await gateway.dialled()
      const other = await gateway.join(third, { name: 'notes-2' })
      assert.notEqual(other.page, hello.page)
      assert.equal(other.instance, hello.instance)

      // After a reload, without invitation: the key that was kept, the same page, another instance.
      await tab.reload()
      const fourth = await gateway.dialled()
      const reloaded = await gateway.join(fourth)
      assert.equal(fourth.got[0]?.key, 'key-1')
      assert.equal(reloaded.page, other.page)
      assert.notEqual(reloaded.instance, hello.instance)
      assert.equal(await outcome(tab), 'joined notes')
    } finally {
      await site.close()
      gateway.close()
    }
  },
)

inBrowsers(
  'a stranger on the port learns nothing',
  async ({ open }) => {
    const gateway = await fakeGateway()
    const site = await servePages({ '/page.html': page(gateway.url) })
    try {
      const tab = await open(`${site.origin}/page.html${gateway.fragment}`)
      const peer = await gateway.dialled()
      await gateway.join(peer, { honest: false })
      assert.equal(await peer.closed, 4401)
      assert.equal(await outcome(tab), 'JoinError not-my-gateway true')
      assert.deepEqual(
        peer.got.map((message) => Object.keys(message).sort()),
        [['address', 'nonce', 'pagemcp', 'secret']],
      )
      assert.equal(peer.got[0]?.secret, 'secret-1') // its id, not the secret
      assert.equal(await tab.evaluate('mcp.state.gateways[0].is'), 'refused')
    } finally {
      await site.close()
      gateway.close()
    }
  },
  { only: ['chromium'] },
)

inBrowsers(
  'refused, unsupported, not invited: each is told apart',
  async ({ open }) => {
    const gateway = await fakeGateway()
    const site = await servePages({ '/page.html': page(gateway.url) })
    try {
      for (const [code, reason, opens] of [
        [4403, 'refused', ['secret', 'key']], // another document of the profile may have used the secret
        [4400, 'unsupported', ['secret']],
      ] as const) {
        const tab = await open(`${site.origin}/page.html${gateway.fragment}`)
        for (const by of opens) {
          const peer = await gateway.dialled()
          assert.ok(by in ((await peer.next()) as object), by)
          peer.close(code)
        }
        assert.equal(await outcome(tab), `JoinError ${reason} true`)
        await tab.close()
      }
      const tab = await open('about:blank')
      const said: string[] = []
      tab.on('console', (message) => said.push(`${message.type()}: ${message.text()}`))
      await tab.goto(`${site.origin}/page.html`)
      assert.equal(await outcome(tab), 'JoinError not-invited true')

      // An app that ignores the connection: the state says why. An unhandled rejection would fail in inBrowsers.
      const ignored = await tab.evaluate(`(async () => {
      const reported = []
      mcp.on('error', (error) => reported.push(String(error)))
      const connection = again()
      await again().joined.catch(() => {}) // after the first
      return { isThenable: 'then' in connection, error: connection.state.error.slice(0, 11), reported }
    })()`)
      assert.deepEqual(ignored, { isThenable: false, error: 'not invited', reported: [] })
      assert.match(said[0] ?? '', /^info: pagemcp: .*run pagemcp pair/, 'its developer is told')
    } finally {
      await site.close()
      gateway.close()
    }
  },
  { only: ['chromium'] },
)

inBrowsers(
  'under a strict Content-Security-Policy and Trusted Types it works',
  async ({ open }) => {
    const gateway = await fakeGateway()
    const policy = [
      "default-src 'none'",
      "script-src 'self' 'wasm-unsafe-eval'",
      "worker-src 'self'",
      "img-src 'self'", // Firefox asks for an icon
      `connect-src 'self' ${new URL(gateway.url).origin}`,
      "require-trusted-types-for 'script'",
      'trusted-types pagemcp',
    ].join('; ')
    const site = await servePages(
      { '/page.html': page(gateway.url) },
      { 'content-security-policy': policy },
    )
    try {
      const tab = await open(`${site.origin}/page.html${gateway.fragment}`)
      await gateway.join(await gateway.dialled())
      await tab.waitForFunction('window.ready')
      assert.equal(await outcome(tab), 'joined notes')
    } finally {
      await site.close()
      gateway.close()
    }
  },
)

inBrowsers('a policy that forbids the socket is named', async ({ open }) => {
  const gateway = await fakeGateway()
  const policy = "script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"
  const site = await servePages(
    { '/page.html': page(gateway.url) },
    { 'content-security-policy': policy },
  )
  try {
    const tab = await open(`${site.origin}/page.html${gateway.fragment}`)
    await tab.waitForFunction("window.mcp?.state.gateways[0]?.error?.includes('connect-src')")
    assert.equal(await tab.evaluate('mcp.state.gateways[0].is'), 'connecting')
  } finally {
    await site.close()
    gateway.close()
  }
})

const moving = (gateway: string) => `
import { start } from '/pagemcp/index.js'
document.title = 'x'.repeat(9000)
const mcp = start({ name: 'notes' })
mcp.connect('${gateway}')
window.go = (title, path) => {
  history.pushState(null, '', path)
  document.title = title
}`

inBrowsers(
  'a page that navigates within itself says so, also after the gateway was away',
  async ({ open }) => {
    const gateway = await fakeGateway()
    const site = await servePages({ '/page.html': moving(gateway.url) })
    try {
      const tab = await open(`${site.origin}/page.html${gateway.fragment}`)
      const peer = await gateway.dialled()
      const hello = await gateway.join(peer)
      assert.equal(hello.title, 'x'.repeat(200), 'frames are short while it joins')
      await tab.evaluate("go('Seven', '/notes/7?q=1')")
      const place = { title: 'Seven', url: `${site.origin}/notes/7` }
      assert.deepEqual(await peer.next(), { pagemcp: 1, page: place })
      await tab.evaluate('history.back()')
      assert.deepEqual(await peer.next(), {
        pagemcp: 1,
        page: { title: 'Seven', url: `${site.origin}/page.html` },
      })
      peer.close(1012)
      const { title, url } = await gateway.join(await gateway.dialled())
      assert.deepEqual([title, url], ['Seven', `${site.origin}/page.html`])
    } finally {
      await site.close()
      await gateway.close()
    }
  },
)
