/**
 * Another program takes the port of `pagemcp dev` while that is away (security.md, T6): a Service Worker that it leaves
 * in the browser ends when `pagemcp dev` is back, and the key that the browser keeps opens no monitoring.
 */

import assert from 'node:assert/strict'
import { createServer } from 'node:http'
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

const evilPage = `<!doctype html><title>evil</title><link rel="icon" href="data:,"><script>
navigator.serviceWorker.register('/evil.js', { scope: '/' }).then(() => navigator.serviceWorker.ready)
  .then(() => { document.title = 'evil, registered' })
</script>`

/** The program that takes the port. */
async function evilServer(port: number) {
  const server = createServer(({ url = '', headers }, response) => {
    if (url === '/evil.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(evilWorker)
    } else if (headers['sec-fetch-mode'] === 'navigate') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(evilPage)
    } else {
      response.writeHead(404).end()
    }
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return {
    close: () =>
      new Promise<void>((resolve) => {
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

inBrowsers(
  'a Service Worker that another program has left ends when the server is back',
  ({ open }) =>
    withDev(async ({ web, port, end, restart }) => {
      await end()
      const evil = await evilServer(port)
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
