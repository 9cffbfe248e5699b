/** Connections that a visitor opens: HTTP with the doctor, WebSocket, pages in frames. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { type Gateway, startGateway } from '../../e2e/gateway.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, type Playground, press, saw, servePlayground } from '../harness.ts'
import { connect, connection, fill, openDialog, openForFailures } from './dialog.ts'
import { type Mannered, type Manners, mannered } from './servers.ts'

/** A page that serves by this package, to the playground's origin, which is the other name of its own. */
const guest = `
import { start } from '/pagemcp/index.js'
const mcp = await start({ name: 'guest', title: 'Guest page' })
mcp.resource('guest://one', { name: 'One' }, () => 'from the frame')
mcp.listen({ origins: [location.origin.replace('localhost', '127.0.0.1')] })`

const page = (script: string) =>
  `<!doctype html><title>Guest</title><script type="module" src="${script}"></script>`

let playground: Playground
let gateway: Gateway

before(async () => {
  playground = await servePlayground({
    '/guest.html': page('/guest.js'),
    '/guest.js': guest,
  })
  const args = [`--allow-origin=${playground.origin}`, '--no-token']
  args.push(`--allow-assistant-origin=${playground.origin}`)
  gateway = await startGateway({ command: 'serve', args })
})
after(async () => {
  await gateway?.close()
  await playground?.close()
})

inBrowsers('a page in a frame is a server', async ({ open }) => {
  const tab = await openPlayground(open, playground)
  await connect(tab, 'frame', `${playground.otherOrigin}/guest.html`)
  await connection(tab, 'Guest page')
  await saw(tab, '[data-pane=explore]', 'guest://one')
  const covered = await tab.evaluate(() => {
    const box = (one: Element) => one.getBoundingClientRect()
    const dock = box(document.querySelector('.connections-frame') as Element)
    return [...document.querySelectorAll('.pane')].filter(
      (pane) => box(pane).right > dock.left && box(pane).bottom > dock.top,
    ).length
  })
  assert.equal(covered, 0)
  await press(tab, '.connections-frame button', 'Close page')
  await connection(tab, 'Guest page', 'closed')
})

inBrowsers(
  'an older HTTP server is spoken to in its own revision, with a header that nobody keeps',
  async ({ open }) => {
    const server = await mannered({ wantsToken: true })
    try {
      const tab = await openPlayground(open, playground)
      await openDialog(tab, 'http')
      await fill(tab, server.url)
      await press(tab, 'dialog button', 'Add header')
      await tab.waitForSelector('dialog input[name=header-value]')
      await tab.type('dialog input[name=header-value]', 's3cret-token')
      await press(tab, 'dialog form button[type=submit]', '')
      await connection(tab, 'mannered')
      await saw(tab, '[data-pane=explore]', 'manners://one')
      assert.equal(
        await tab.$eval('.bar select', (one) => (one as HTMLSelectElement).value),
        '2025-11-25',
      )
      assert.ok(server.authorizations.includes('Bearer s3cret-token'))
      assert.match(await tab.evaluate(() => JSON.stringify(localStorage)), new RegExp(server.url))
      const everywhere = await tab.evaluate(
        () =>
          JSON.stringify(localStorage) + JSON.stringify(sessionStorage) + document.body.textContent,
      )
      assert.doesNotMatch(everywhere, /s3cret/)
      await openDialog(tab, 'http')
      await saw(tab, '.connections-servers', server.url)
    } finally {
      await server.close()
    }
  },
)

inBrowsers(
  'stored servers stay off after a reload, and each is connected and disconnected by its switch',
  async ({ open }) => {
    const server = await mannered({})
    try {
      const tab = await openPlayground(open, playground)
      await connect(tab, 'http', server.url)
      await connection(tab, 'mannered')
      const connections = () => server.bodies.filter((body) => body.includes('"initialize"')).length
      const before = connections()
      assert.ok(before > 0)
      await tab.reload()
      await tab.waitForSelector('html[data-ready]')
      await press(tab, '.clients button', 'connect', 'data-command')
      const toggle = `[data-server="${server.url}"] [role=switch]`
      await tab.waitForSelector(`${toggle}[aria-checked=false]`)
      const name = '[data-server] [name=server-name]'
      assert.equal(await tab.$eval(name, (one) => (one as HTMLInputElement).value), 'mannered')
      assert.equal(connections(), before)
      assert.equal((await tab.$$('.clients .connection-state')).length, 1)

      await tab.$eval(toggle, (one) => (one as HTMLElement).click())
      await tab.waitForSelector(`${toggle}[aria-checked=true]`)
      await connection(tab, 'mannered')
      await saw(tab, '[data-server]', 'open')
      await tab.$eval(toggle, (one) => (one as HTMLElement).click())
      await tab.waitForSelector(`${toggle}[aria-checked=false]`)
      assert.equal((await tab.$$('.clients .connection-state')).length, 1)

      await tab.$eval('[data-server] .icon-button', (one) => (one as HTMLElement).click())
      await tab.waitForFunction(() => document.querySelector('[data-server]') === null)
      const stored = await tab.evaluate(() => JSON.stringify(localStorage))
      assert.doesNotMatch(stored, new RegExp(server.url))
    } finally {
      await server.close()
    }
  },
  { only: ['chromium'] },
)

inBrowsers('the gateway is reached by WebSocket, and by HTTP', async ({ open }) => {
  const tab = await openPlayground(open, playground)
  await connect(tab, 'ws', gateway.mcp.replace(/^http(.*)mcp$/, 'ws$1ws'))
  await connection(tab, 'PageMCP')
  await connect(tab, 'http', gateway.mcp)
  // Their revisions tell them apart.
  await tab.waitForFunction(
    () =>
      [...document.querySelectorAll('.clients button')].filter(
        (one) =>
          one.querySelector('.connection-state[data-is=open]') &&
          /PageMCP20\d\d-\d\d-\d\d/.test(one.textContent ?? ''),
      ).length === 2,
  )
  await connect(tab, 'ws', 'ws://127.0.0.1:1/')
  await tab.waitForSelector('.clients .connection-state[data-is=closed]')
  const explore = await tab.$eval('[data-pane=explore]', (pane) => pane.textContent ?? '')
  assert.doesNotMatch(explore, /Waiting for the server/) // it will not come
})

/** Diagnoses an address and returns what was found, as `step state: what it says`. */
async function examined(tab: Page, url: string): Promise<string> {
  await fill(tab, url)
  await press(tab, 'dialog button', 'Diagnose')
  await tab.waitForSelector('.connections-doctor')
  await tab.waitForFunction(
    (at) =>
      document.querySelector('.connections-doctor[data-done]')?.getAttribute('data-url') === at,
    {},
    url,
  )
  return tab.$$eval('.connections-doctor li', (all) =>
    all.map((one) => `${one.dataset.step} ${one.dataset.is}: ${one.textContent}`).join('\n'),
  )
}

const broken: readonly { manners: Manners; finds: RegExp; lines?: RegExp }[] = [
  { manners: { modern: true }, finds: /version good.*2026-07-28/ },
  { manners: {}, finds: /version good.*2025-11-25[\s\S]*session good/ },
  {
    manners: { noOrigin: true },
    finds: /cors bad.*allow this page/,
    lines: /Access-Control-Allow-Origin: http:\/\/127/,
  },
  {
    manners: { noPreflight: true },
    finds: /cors bad.*OPTIONS/,
    lines: /Access-Control-Allow-Methods: GET, POST, DELETE/,
  },
  {
    manners: { allowed: 'Content-Type, MCP-Protocol-Version' },
    finds: /cors bad.*Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID/,
    lines: /Access-Control-Allow-Headers: Content-Type,.*Mcp-Method/,
  },
  {
    manners: { hidesSession: true },
    finds: /session bad/,
    lines: /Access-Control-Expose-Headers: Mcp-Session-Id/,
  },
  { manners: { wantsToken: true }, finds: /auth bad.*401[\s\S]*https:\/\/auth\.example/ },
  { manners: { noMcp: true }, finds: /version bad.*200.*hello/ },
]

inBrowsers('the doctor names what a server lacks, with the line to add', async ({ context }) => {
  const servers: Mannered[] = []
  try {
    const tab = await openPlayground(openForFailures(context), playground)
    await openDialog(tab, 'http')
    for (const { manners, finds, lines } of broken) {
      const server = await mannered(manners)
      servers.push(server)
      const found = await examined(tab, server.url)
      assert.match(found, finds, JSON.stringify(manners))
      if (lines) assert.match(found, lines, JSON.stringify(manners))
    }
    assert.match(await examined(tab, 'http://127.0.0.1:1/mcp'), /reach bad/)
  } finally {
    for (const server of servers) await server.close()
  }
})
