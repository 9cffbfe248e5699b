/**
 * Another program takes the port of `pagemcp dev` while that is away (security.md, T6): open tabs do not reload into
 * it, what it leaves in the browser ends when `pagemcp dev` is back, and the key that the browser keeps opens no
 * monitoring.
 */

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import type { Page } from 'puppeteer-core'
import { type Gateway, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { hasLoaded, pasteInto } from '../harness/waits.ts'
import { openGateway } from '../playground/connections/dialog.ts'
import { press, saw } from '../playground/harness.ts'

/** Intercepts all that the origin asks for from then on. */
const evilWorker = `
addEventListener('install', () => skipWaiting())
addEventListener('activate', (event) => event.waitUntil(clients.claim()))
addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return
  event.respondWith(new Response('<!doctype html><title>evil</title>', { headers: { 'content-type': 'text/html' } }))
})`

const evilPage = '<!doctype html><title>evil</title><link rel="icon" href="data:,">'

const evilPageWithWorker = `${evilPage}<script>
navigator.serviceWorker.register('/evil.js', { scope: '/' }).then(() => navigator.serviceWorker.ready)
  .then(() => { document.title = 'evil, registered' })
</script>`

/**
 * The program that takes the port.
 *
 * @param page - its documents
 */
async function evilServer(port: number, page: string) {
  const asked: string[] = []
  const sockets: Duplex[] = []
  const server = createServer(({ url = '', headers }, response) => {
    asked.push(url)
    if (url === '/live') {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('999') // a new build
    } else if (url === '/evil.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(evilWorker)
    } else if (headers['sec-fetch-mode'] === 'navigate') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(page)
    } else {
      response.writeHead(200, { 'content-type': 'text/plain' }).end('AAAA')
    }
  })
  server.on('upgrade', ({ headers }, socket) => {
    const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11' // RFC 6455, section 1.3
    const proof = createHash('sha1')
      .update(headers['sec-websocket-key'] + guid)
      .digest('base64')
    socket.on('error', () => {})
    socket.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${proof}\r\n\r\n`,
    )
    socket.write('\x81\x03999', 'latin1') // a text frame: a new build
    sockets.push(socket)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    asked,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function withDev(
  story: (of: {
    web: string
    port: number
    gateway(): Gateway
    /** Ends `pagemcp dev`; its ports are free then. */
    end(): Promise<void>
    restart(...args: string[]): Promise<void>
  }) => Promise<void>,
) {
  let gateway = await startGateway({ restarts: true })
  try {
    await story({
      web: gateway.web,
      port: Number(new URL(gateway.web).port),
      gateway: () => gateway,
      end: () => gateway.kill(),
      async restart(...more) {
        gateway = await gateway.again(...more)
      },
    })
  } finally {
    await gateway.close()
  }
}

/** Waits until the page's live reload knows what the server serves. */
const isLive = (tab: Page) => tab.waitForSelector('html[data-version]')

/** Settles when the page writes such a line to its console. */
function says(tab: Page, part: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const late = new Error(`the console has no line with "${part}" after 30 s`)
    const timer = setTimeout(() => reject(late), 30_000)
    tab.on('console', (line) => {
      if (!line.text().includes(part)) return
      clearTimeout(timer)
      resolve()
    })
  })
}

inBrowsers(
  'a tab does not reload into a program that took the port, and does when its server is back',
  ({ open }) =>
    withDev(async ({ web, port, end, restart }) => {
      const tab = await open(`${web}demo/board/`)
      // The twin: it reloads at each new build, whichever program announces it.
      const gullible = await open(`${web}demo/board/?twin`)
      await gullible.evaluate(() => {
        let build: string | undefined
        return new Promise<void>((resolve) => {
          const connect = () => {
            const socket = new WebSocket(`ws://${location.host}/live`)
            socket.onmessage = ({ data }) => {
              if (build !== undefined && build !== data) location.reload()
              build = data
              resolve()
            }
            socket.onclose = () => setTimeout(connect, 500)
          }
          connect()
        })
      })
      await isLive(tab)
      await Promise.all([hasLoaded(tab), hasLoaded(gullible)])
      await tab.evaluate('void (window.marked = true)')
      const refused = says(tab, 'is not the server that sent this page')
      await end()
      const evil = await evilServer(port, evilPage)
      try {
        await gullible.waitForFunction(() => document.title.startsWith('evil'))
        await refused
        assert.equal(await tab.evaluate('window.marked'), true, 'the tab was reloaded')
        const documents = evil.asked.filter((url) => url === '/demo/board/')
        assert.deepEqual(documents, [])
        assert.ok(evil.asked.some((url) => url.startsWith('/live/proof?nonce=')))
      } finally {
        await evil.close()
      }
      await restart()
      await tab.reload()
      await isLive(tab)
      await hasLoaded(tab)
      await tab.evaluate('void (window.marked = true)')
      await end()
      await restart('--no-token') // another config.json: other files
      await tab.waitForFunction('window.marked === undefined', { polling: 100 })
      await isLive(tab)
      await hasLoaded(tab)
    }),
  { only: ['chromium'] },
)

inBrowsers(
  'a Service Worker that another program has left ends when the server is back',
  ({ open }) =>
    withDev(async ({ web, port, end, restart }) => {
      await end()
      const evil = await evilServer(port, evilPageWithWorker)
      const tab = await open(web)
      await tab.waitForFunction(() => document.title === 'evil, registered')
      await evil.close()
      await restart()
      // The first document is still that program’s, although the port is not. The browser then looks for a newer worker.
      await tab.goto(`${web}demo/board/`, { waitUntil: 'domcontentloaded' })
      await isLive(tab)
      assert.equal(
        await tab.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length),
        0,
      )
      await hasLoaded(tab)
      const next = await open(`${web}demo/world/`)
      assert.notEqual(await next.title(), 'evil')
      await hasLoaded(next)
    }),
)

inBrowsers(
  'storage of a server with another identity is cleared, and that of the same one stays',
  ({ context }) =>
    withDev(async ({ web, gateway, end, restart }) => {
      // Not the harness's open: the page is reloaded while its Worker starts, which Firefox reports as an error.
      const tab = await context.newPage()
      await tab.goto(`${web}demo/board/`)
      const stored = () => tab.evaluate(() => localStorage.getItem('mine'))
      await tab.evaluate(() => localStorage.setItem('mine', 'kept'))
      await tab.reload()
      assert.equal(await stored(), 'kept')
      await end()
      await rm(join(gateway().state, 'web.json'))
      await restart()
      await tab.goto(`${web}demo/board/?again`)
      await tab.waitForFunction(() => localStorage.getItem('mine') === null)
    }),
  { only: ['chromium'] },
)

inBrowsers(
  'the key that the browser keeps opens no monitoring after a restart',
  ({ open }) =>
    withDev(async ({ web, gateway, end, restart }) => {
      const playground = `${web}playground/index.html?quiet&lang=en`
      const { start } = await gateway().fresh()
      await (await open(start)).waitForSelector('#state[data-is=paired]')
      const before = await open(playground)
      await before.waitForSelector('html[data-ready]')
      await openGateway(before)
      await saw(before, '.connections-gateway', 'Permissions')
      await before.close()
      await end()
      await restart()

      const after = await open(playground)
      await after.waitForSelector('html[data-ready]')
      await openGateway(after)
      await after.waitForSelector('.front input[name=link]')
      // Pages join with the key as before, and a new link lets the playground in without a question.
      await (await open(`${web}demo/notes/`)).waitForSelector('#state[data-is=joined]')
      await after.bringToFront()
      await pasteInto(after, '.front input[name=link]', (await gateway().fresh()).start)
      await press(after, '.front button', 'Use link')
      await saw(after, '.connections-gateway', 'Permissions')
    }),
  { only: ['chromium'] },
)
