/** `<mcp-playground scenario>` and `<mcp-playground url>`: lessons and servers in another page. */

import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before } from 'node:test'
import type { Frame, Page } from 'puppeteer-core'
import { encodeLink } from '../../../playground/share/link.ts'
import { inBrowsers, shareTab } from '../../harness/browsers.ts'
import { kept } from '../../harness/serve.ts'
import { type Playground, press, saw, servePlayground } from '../harness.ts'

const host = (attributes: string) => `<!doctype html><title>host</title>
<script type="module" src="/playground/element.js"></script>
<mcp-playground ${attributes}></mcp-playground>`

/** Requests that a server with CORS received, by method of MCP. */
const received: string[] = []
let remote: Server
let playground: Playground

before(async () => {
  remote = createServer((request, response) => {
    response.setHeader('access-control-allow-origin', '*')
    response.setHeader('access-control-allow-headers', '*')
    if (request.method !== 'POST') {
      response.writeHead(request.method === 'OPTIONS' ? 204 : 405).end()
      return
    }
    let body = ''
    request.on('data', (part) => {
      body += part
    })
    request.on('end', () => {
      const { id, method } = JSON.parse(body)
      received.push(method)
      const meta = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
      const result =
        method === 'server/discover'
          ? {
              ...meta,
              supportedVersions: ['2026-07-28'],
              capabilities: { resources: {}, tools: {} },
              serverInfo: { name: 'remote', version: '1' },
            }
          : {
              ...meta,
              resources: [{ uri: 'remote://one', name: 'one' }],
              tools: [],
              prompts: [],
              resourceTemplates: [],
            }
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve))
  const { port } = remote.address() as { port: number }
  const url = `http://127.0.0.1:${port}/mcp`
  const files = {
    '/lesson.html': host('scenario="subscribe" language="de" theme="dark" height="500"'),
    '/chat.html': host('scenario="assistant" language="en"'),
    '/show.html': host('scenario="subscribe" language="en" readonly'),
    '/remote.html': host(`url="${url}" language="en" readonly`),
    '/unknown.html': host('scenario="no-such-one" language="en"'),
    '/wrong.html': host('url="javascript:alert(1)" language="en"'),
  }
  playground = await servePlayground(files, {}, kept)
})
after(async () => {
  remote?.close()
  await playground?.close()
})
shareTab(() => playground.origin)

async function framed(page: Page, part: string): Promise<Frame> {
  return page.waitForFrame((one) => one.url().includes(part))
}

inBrowsers('a lesson is embedded by an attribute, and keeps nothing', async ({ open }) => {
  const page = await open(`${playground.origin}/lesson.html`)
  const frame = await framed(page, 'embed-scenario.html')
  await frame.waitForSelector('.coach')
  await frame.waitForFunction(() =>
    document.querySelector('.coach')?.textContent?.includes('Abonnieren'),
  )
  assert.equal(await page.$eval('mcp-playground', (it) => it.getBoundingClientRect().height), 500)
  await frame.waitForSelector('.compose :is(.editor, .draft):not([hidden])')
  await frame.evaluate(async () => {
    for (let paint = 0; paint < 2; paint++) await new Promise(requestAnimationFrame) // it is focused after one
  })
  const focused = () => page.evaluate(() => document.activeElement?.localName)
  assert.equal(await focused(), 'body', 'the lesson has taken the focus of the page around it')
  assert.equal(await frame.$eval('html', (it) => it.dataset.theme), 'dark')
  await press(frame as unknown as Page, '.coach button', 'Lösung')
  await frame.waitForFunction(() =>
    document
      .querySelector('.compose-tabs [aria-current=true]')
      ?.textContent?.includes('Abonnieren'),
  )
  await press(frame, '[data-command=send]', '')
  await frame.waitForFunction(() =>
    document.querySelector('.coach')?.textContent?.includes('3 von 6'),
  )
  assert.equal(await frame.evaluate(() => localStorage.length), 0)

  // A phone shows one pane at a time, and the step of the lesson above it.
  await page.setViewport({ width: 390, height: 844 })
  const shown = () =>
    frame.$$eval('.coach, .compose, [data-pane="inspect"]', (all) =>
      all.filter((one) => one.checkVisibility()).map((one) => one.classList[0]),
    )
  await frame.waitForSelector('.switcher', { visible: true })
  for (const [pane, expected] of [
    [2, ['coach', 'pane']],
    [1, ['coach', 'compose']],
  ] as const) {
    await frame.$$eval('.switcher button', (all, pane) => all[pane]?.click(), pane)
    await frame.waitForSelector(`.switcher button:nth-of-type(${pane + 1})[aria-current=true]`)
    assert.deepEqual(await shown(), expected)
  }
  // The client sends only what the lesson says: Explore does not wait for a response.
  await frame.$$eval('.switcher button', (all) => all[0]?.click())
  await saw(frame, '#explore-view', 'Noch nicht angefordert')
  // The demo's page and data are not those of the lesson's server.
  assert.equal(await frame.$('#explore-stage, #explore-demo'), null)
  assert.deepEqual(await frame.evaluate(() => indexedDB.databases()), [])
})

inBrowsers(
  'an unknown scenario is named, embedded and by address',
  async ({ open }) => {
    const page = await open(`${playground.origin}/unknown.html`)
    // Each before the next page is opened: the notice lasts some seconds.
    const named = (one: Frame) =>
      one.waitForFunction(
        () => document.querySelector('.toast')?.textContent?.includes('no-such-one'),
        { polling: 100 },
      )
    await named(await framed(page, 'embed-scenario.html'))
    const own = await open(`${playground.url}?quiet&lang=en&lesson=no-such-one`)
    await named(own.mainFrame())
  },
  { only: ['chromium'] },
)

inBrowsers(
  'a chat is embedded with a server of its own',
  async ({ open }) => {
    const page = await open(`${playground.origin}/chat.html`)
    const frame = await framed(page, 'embed-scenario.html')
    await frame.waitForFunction(() =>
      document.querySelector('.chat')?.textContent?.includes('This page offers 2 resources'),
    )
    assert.deepEqual(await frame.evaluate(() => indexedDB.databases()), [])
  },
  { moving: true },
)

inBrowsers('a lesson that is read-only is presented', async ({ open }) => {
  const page = await open(`${playground.origin}/show.html`)
  const frame = await framed(page, 'embed-scenario.html')
  await frame.waitForSelector('.present .present-step')
  assert.equal(await frame.$('.compose-send'), null)
})

inBrowsers('a server is asked only after the visitor clicks, and read only', async ({ open }) => {
  received.length = 0
  const page = await open(`${playground.origin}/remote.html`)
  const frame = await framed(page, 'embed-url.html')
  await frame.waitForSelector('dialog[open] .primary')
  assert.match(await frame.$eval('dialog', (it) => it.textContent ?? ''), /127\.0\.0\.1:\d+\/mcp/)
  assert.deepEqual(received, [], 'nothing was sent before')
  await press(frame, 'dialog .primary', '')
  await frame.waitForFunction(() =>
    document.querySelector('[data-pane=explore]')?.textContent?.includes('remote://one'),
  )
  assert.equal(received[0], 'server/discover')
  const composer = await frame.$eval('[data-pane=compose]', (it) => getComputedStyle(it).display)
  assert.equal(composer, 'none')
  // Also a message that is sent past the hidden composer is not sent if it does more than read.
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'x' } }
  const hash = await encodeLink({
    messages: [{ text: JSON.stringify(call), revision: '2026-07-28' }],
    target: '',
  })
  await frame.evaluate((link) => {
    location.hash = link
  }, hash)
  const click = async (selector: string) => {
    await frame.waitForFunction((where) => document.querySelector(where) !== null, {}, selector)
    await frame.$eval(selector, (it) => (it as HTMLElement).click())
  }
  await frame.waitForFunction(
    () => document.querySelectorAll('.compose-tabs [aria-current]').length === 2,
  )
  await click('[data-command=send]')
  await click('.compose-unsure button')
  await frame.waitForFunction(() =>
    document
      .querySelector('[data-pane=timeline]')
      ?.textContent?.includes('not sent: this view only reads'),
  )
  assert.doesNotMatch(received.join(), /tools.call/)
})

inBrowsers('an address of another kind is refused', async ({ open }) => {
  const page = await open(`${playground.origin}/wrong.html`)
  const frame = await framed(page, 'embed-url.html')
  await frame.waitForFunction(() =>
    document.querySelector('.toast')?.textContent?.includes('must begin with'),
  )
  assert.equal(await frame.$('dialog'), null)
})
