/** MCP Apps in the browser: the demo's app, the official class App, and hostile documents. */

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import type { BrowserContext, Frame, Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { pasteInto } from '../../harness/waits.ts'
import { connect, openForFailures } from '../connections/dialog.ts'
import { openPlayground, press, saw, sharePlayground } from '../harness.ts'
import { type AppServer, appServer } from './server.ts'

const playground = sharePlayground()

const bundle = readFileSync(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/ext-apps/app-with-deps'),
  'utf8',
)
/** The module as a script: the export of App becomes a constant. */
const official = bundle.replace(/export\{[^{}]*\}/, (exports) => {
  const name = /([\w$]+) as App[,}]/.exec(exports)?.[1]
  return `const App = ${name}`
})

/** Connects to a server with an app, and presses the button that opens the app of its resource. */
async function startApp(context: BrowserContext, server: AppServer): Promise<Page> {
  const page = await openPlayground(openForFailures(context), playground)
  await connect(page, 'http', server.url)
  await saw(page, '[data-pane=explore]', 'ui://test/app.html')
  await press(page, '.row-open', 'app')
  await press(page, '[data-pane=inspect] [data-command=app]', '')
  return page
}

/** The same, and lets the app run. */
async function openApp(context: BrowserContext, server: AppServer): Promise<Page> {
  const page = await startApp(context, server)
  await runApp(page)
  return page
}

const runApp = (page: Page) => press(page, '.app-question button', 'Run app')

/** Counts what arrives at a port by UDP, and connections by TCP. */
async function relay() {
  const seen = { contacts: 0 }
  const udp = createSocket('udp4', () => seen.contacts++)
  const tcp = createServer((socket) => {
    seen.contacts++
    socket.destroy()
  })
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve))
  const { port } = tcp.address() as AddressInfo
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve))
  return {
    port,
    get contacts() {
      return seen.contacts
    },
    async close() {
      udp.close()
      await new Promise((resolve) => tcp.close(resolve))
    },
  }
}

/** The app's own frame, inside the sandbox. */
async function frameOf(page: Page): Promise<Frame> {
  const sandbox = await (await page.waitForSelector('.app-panel iframe'))?.contentFrame()
  const frame = await (await sandbox?.waitForSelector('iframe'))?.contentFrame()
  if (!frame) throw new Error('the sandbox has no frame')
  return frame
}

inBrowsers(
  'the official class App: handshake, calls, links, messages, end',
  async ({ context }) => {
    const server =
      await appServer(`<body><script type="module">${official.replaceAll('</script', '<\\/script')};
const app = new App({ name: 'test', version: '1.0.0' }, {}, { autoResize: false })
const say = (text) => app.sendMessage({ role: 'user', content: [{ type: 'text', text }] })
const got = []
app.ontoolinput = (params) => got.push(['input', params.arguments])
app.onteardown = async () => ({})
await app.connect()
const context = app.getHostContext()
got.push(['context', context.theme, context.locale])
app.sendSizeChanged({ width: 10_000, height: 100_000 })
const read = await app.readServerResource({ uri: 'test://text' })
got.push(['read', read.contents[0].text])
const call = await app.callServerTool({ name: 'save', arguments: { a: 1 } })
got.push(['call', call.content[0].text])
const link = await app.openLink({ url: 'https://link.example/' })
got.push(['link', link.isError === true])
await say(JSON.stringify(got))
</script>`)
    try {
      const page = await openApp(context, server)
      await saw(page, '.app-question', 'save')
      assert.deepEqual(server.calls, [])
      await press(page, '.app-question button:not([aria-disabled])', 'Accept')
      await saw(page, '.app-question', 'https://link.example/')
      await press(page, '.app-question button', 'Decline')
      await page.waitForSelector('.app-panel q')
      const got = JSON.parse(
        await page.$eval('.app-panel q', (one) => one.textContent ?? ''),
      ) as unknown[][]
      assert.deepEqual(got.sort(), [
        ['call', 'called save'],
        ['context', 'light', 'en'],
        ['input', {}],
        ['link', true],
        ['read', 'the text of test://text'],
      ])
      assert.deepEqual(server.calls, ['save {"a":1}'])
      // Its calls are messages of a client of its own.
      await saw(page, '[data-pane=timeline] [role=row]', 'tools/call')
      const height = await page.$eval('.app-panel iframe', (frame) => frame.clientHeight)
      assert.ok(height <= 600, `${height} px`)
      await press(page, '.app-panel header button', '')
      await page.waitForFunction(() => document.querySelector('.app-panel') === null)
      await saw(page, '[data-pane=timeline] [role=row]', 'to the app: ui/resource-teardown')
    } finally {
      await server.close()
    }
  },
  { only: ['chromium'] },
)

inBrowsers('a hostile app reaches neither the playground nor the network', async ({ context }) => {
  const server =
    await appServer(`<body><a id="link" target="_blank" href="ORIGIN/blank">x</a><a id="top" target="_top" href="ORIGIN/top">x</a><a id="script" href="javascript:fetch('ORIGIN/script')">x</a><iframe src="ORIGIN/nested"></iframe><img src="ORIGIN/image"><link rel="stylesheet" href="ORIGIN/style"><link rel="prefetch" href="ORIGIN/prefetch"><script src="ORIGIN/code"></script><object data="ORIGIN/object"></object><a id="ping" target="_blank" href="ORIGIN/pinged" ping="ORIGIN/ping">x</a><link rel="dns-prefetch" href="//app.invalid"><link rel="prerender" href="ORIGIN/prerender"><link rel="modulepreload" href="ORIGIN/module"><link rel="manifest" href="ORIGIN/manifest"><link rel="icon" href="ORIGIN/icon">
<script type="speculationrules">{"prefetch":[{"urls":["ORIGIN/speculated"],"eagerness":"immediate"}],"prerender":[{"urls":["ORIGIN/prerendered"],"eagerness":"immediate"}]}</script>
<style>@import url(ORIGIN/import); @font-face { font-family: x; src: url(ORIGIN/font) } body { background: url(ORIGIN/background); font-family: x; cursor: url(ORIGIN/cursor), auto } #ping::after { content: url(ORIGIN/content) } body { background-image: image-set('ORIGIN/set' 1x); filter: url(ORIGIN/filter#x) }</style>
<form id="form" action="ORIGIN/form" target="_top"><button></button></form>
<script>
const tries = {
  parent: () => parent.document.title,
  top: () => top.document.title,
  href: () => top.location.href,
  storage: () => localStorage.length,
  session: () => sessionStorage.length,
  cookie: () => document.cookie,
  database: () => indexedDB.open('x'),
  navigateTop: () => { top.location = 'ORIGIN/navigate-top' },
  navigateParent: () => { parent.location = 'ORIGIN/navigate-parent' },
  open: () => { if (!window.open('ORIGIN/open')) throw new Error('blocked') },
}
const allowed = []
for (const [name, run] of Object.entries(tries)) try { run(); allowed.push(name) } catch {}
for (const id of ['ping', 'link', 'top', 'script']) document.getElementById(id).click()
document.getElementById('form').requestSubmit()
navigator.sendBeacon('ORIGIN/beacon', 'x')
const forged = { jsonrpc: '2.0', id: 66, method: 'ui/message', params: { content: [{ type: 'text', text: 'forged' }] } }
for (const target of [top, top.frames[0]]) { try { target.postMessage(forged, '*') } catch {} }
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
addEventListener('message', async ({ data }) => {
  if (data.id === 1) {
    await fetch('ORIGIN/fetch').then(() => allowed.push('fetch'), () => {})
    send({ id: 2, method: 'ui/message', params: { content: [{ type: 'text', text: 'allowed: ' + allowed.join() }] } })
    send({ id: 3, method: 'ui/open-link', params: { url: 'javascript:alert(1)' } })
  }
  if (data.id === 3) location = 'ORIGIN/self'
})
send({ id: 1, method: 'ui/initialize', params: {} })
</script>`)
  try {
    const page = await openApp(context, server)
    const url = page.url()
    await page.waitForSelector('.app-panel q')
    const said = await page.$eval('.app-panel q', (one) => one.textContent)
    // A write of top.location throws nothing in some browsers; what it does is seen by the address.
    assert.match(said ?? '', /^allowed: (?:navigateTop|navigateParent|,)*$/)
    await saw(page, '[data-pane=timeline] [role=row]', 'from the app: ui/open-link')
    // What the document tried came before this.
    await page.evaluate((last) => fetch(last).then(() => {}), server.url.replace('mcp', 'last'))
    assert.equal(page.url(), url)
    assert.equal(
      (await context.pages()).filter((one) => one.url().startsWith(server.url.slice(0, -4))).length,
      0,
    )
    assert.deepEqual(server.reached, ['GET /last'])
    assert.ok(await page.$('.app-panel'))
    assert.equal((await page.$$('.app-question button')).length, 0)
  } finally {
    await server.close()
  }
})

inBrowsers(
  'no app runs before the user lets it: WebRTC is not subject to its policy',
  async ({ context }) => {
    const turn = await relay()
    const server = await appServer(`<script>
const servers = ['udp', 'tcp'].map((transport) => 'turn:127.0.0.1:${turn.port}?transport=' + transport)
const peer = new RTCPeerConnection({
  iceServers: [{ urls: servers, username: 'text that the app sends', credential: 'x' }],
  iceTransportPolicy: 'relay',
})
peer.createDataChannel('x')
peer.setLocalDescription()
</script>`)
    try {
      const page = await startApp(context, server)
      await saw(page, '.app-question', 'By WebRTC it can send')
      await saw(page, '.app-question', 'to any address')
      // All that is shown was drawn, and all that would run has had its turn.
      await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
      assert.equal((await page.$$('.app-panel iframe')).length, 0)
      assert.equal(turn.contacts, 0)
      await press(page, '.app-panel header button', '')
      await page.waitForFunction(() => document.querySelector('.app-panel') === null)
      assert.equal(turn.contacts, 0)
    } finally {
      await server.close()
      await turn.close()
    }
  },
  { only: ['chromium'] },
)

inBrowsers(
  'an app that floods the playground is closed',
  async ({ context }) => {
    for (const flood of [
      'for (;;) { parent.postMessage({ jsonrpc: "2.0", method: "x" }, "*"); if (++n > 5000) break }',
      'parent.postMessage({ jsonrpc: "2.0", method: "x", params: "x".repeat(2_000_000) }, "*")',
    ]) {
      const server = await appServer(`<script>let n = 0; ${flood}</script>`)
      try {
        const page = await openApp(context, server)
        await saw(page, '[data-pane=timeline] [role=row]', 'closed: the app sent too much')
        await page.waitForFunction(() => document.querySelector('.app-panel') === null)
        const noted = (
          await page.$$eval('[data-pane=timeline] [role=row]', (all) =>
            all.map((one) => one.textContent),
          )
        ).filter((text) => text?.includes('from the app'))
        assert.ok(noted.length <= 260, `${noted.length} messages`)
        await page.close()
      } finally {
        await server.close()
      }
    }
  },
  { only: ['chromium'] },
)

inBrowsers(
  'an app gets only the origins that it declares, after the user has seen them',
  async ({ context }) => {
    const script = `<script>
const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*')
addEventListener('message', async ({ data }) => {
  if (data.id !== 1) return
  const text = await fetch('ORIGIN/declared').then(() => 'reached', () => 'blocked')
  send({ id: 2, method: 'ui/message', params: { content: [{ type: 'text', text }] } })
})
send({ id: 1, method: 'ui/initialize', params: {} })
</script>`
    const other = await appServer('')
    const server = await appServer(script.replaceAll('ORIGIN', other.url.slice(0, -4)), {
      csp: { connectDomains: [other.url.slice(0, -4)] },
    })
    try {
      const page = await startApp(context, server)
      await saw(page, '.app-question', other.url.slice(0, -4))
      assert.deepEqual(other.reached, [])
      await runApp(page)
      await page.waitForSelector('.app-panel q')
      assert.equal(await page.$eval('.app-panel q', (one) => one.textContent), 'reached')
      assert.deepEqual(other.reached, ['GET /declared'])
    } finally {
      await server.close()
      await other.close()
    }
  },
  { only: ['chromium'] },
)

inBrowsers(
  'the app of the demo shows a note, and writes it when the user allows that',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await (await page.waitForSelector('#explore-resources'))?.click()
    await saw(page, '[data-pane=explore]', 'ui://notes/note.html')
    await press(page, '.row-open', 'Note (app)')
    await page.waitForSelector('[data-pane=inspect] [data-command=app]')
    await page.$eval('[data-pane=inspect] [data-command=app]', (one) => {
      for (let i = 0; i < 2; i++) (one as HTMLElement).click() // a double click opens one app
    })
    await runApp(page)
    const frame = await frameOf(page)
    await frame.waitForFunction(() => (document.querySelector('textarea')?.value ?? '') !== '')
    await frame.$eval('textarea', (one) => {
      one.value = 'written by an app'
    })
    await frame.$eval('button', (one) => one.click())
    await saw(page, '.app-question', 'written by an app')
    await press(page, '.app-question button:not([aria-disabled])', 'Accept')
    await frame.waitForFunction(() =>
      document.querySelector('[role=status]')?.textContent?.startsWith('Wrote'),
    )
    // It is in the inspector of its result, and runs on while another message is inspected.
    await press(page, '#pane-inspect .in-head button', 'Go to request')
    await page.waitForSelector('#pane-inspect .app-panel', { hidden: true })
    await press(page, '#pane-inspect .in-head button', 'Go to response')
    await page.waitForSelector('#pane-inspect .app-panel', { visible: true })
    assert.equal(await frame.$eval('textarea', (one) => one.value), 'written by an app')
    await press(page, '.app-panel header button', '')
    await pasteInto(page, '.tl-bar input', 'dir:world closed')
    await page.waitForFunction(
      () =>
        [...document.querySelectorAll('.tl-row')].filter((one) =>
          /closed$/.test(one.textContent ?? ''),
        ).length === 2,
    )
  },
  { only: ['chromium'] },
)
