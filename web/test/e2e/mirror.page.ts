/** The gateway answers reads of what a page has published: with the bytes of the page's response, until that changes. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pass } from 'node:timers/promises'
import type { Page } from 'puppeteer-core'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { type Gateway, ownPorts, pageUrl, startGateway } from './gateway.ts'
import { reader } from './reader.ts'

const app = `
import '/in-window.js'
import * as lib from '/pagemcp/index.js'
const mcp = window.mcp = await lib.start({ name: 'notes', access: 'open' })
const bytes = new Uint8Array([0, 1, 254, 255])
const described = (name, more) => ({ uri: 'notes://' + name, name, ...more })
window.cart = mcp.resource(described('cart', { mimeType: 'text/plain' }), '2 apples')
const values = mcp.resources([
  [described('text'), '2 äpfel "\\\\ \\u2028 😀'],
  [described('empty'), ''],
  [described('lossy'), 'a\\ud800b'],
  [described('json'), { n: 1.5, s: ['<&>'] }],
  [described('bytes', { mimeType: 'image/png' }), bytes],
  [described('file'), new Blob([bytes], { type: 'image/gif' })],
  [described('several'), lib.contents([
    { uri: 'notes://several/a', text: 'a', mimeType: 'text/css', _meta: { 'app.example/x': [1, null] } },
    { uri: 'notes://several/b', blob: bytes },
  ])],
  [described('cached', { cache: { ttlMs: 1500, scope: 'public' } }), 'for 1.5 s'],
  [described('annotated', { annotations: { priority: 0.5 }, _meta: { 'app.example/y': 1 } }), 'y'],
  [described('large'), 'x'.repeat(100_000)],
])
mcp.resource(described('computed'), () => 'computed')
window.withdraw = () => { values(); cart() }
/** The gateway drops all values. */
window.drop = () => mcp.mount({ list: async () => ({ resources: [] }), read: async () => [] }, 'other+')()
/** Whether the gateway has reported reads that it has answered. */
window.served = async () => (await mcp.access.audit()).some(({ count }) => count > 1)
window.busy = (ms) => { const end = performance.now() + ms; while (performance.now() < end); return end }
await mcp.connect(lib.webSocket(new URLSearchParams(location.search).get('gateway'))).joined
window.ready = mcp.state.gateways.at(-1).name`

const published = 'cart text empty lossy json bytes file several cached annotated'.split(' ')
const others = ['large', 'computed', 'missing']

/** Makes the window, where the engine is, answer nothing until it is let go: it waits for a response, without computing. */
async function holdUp(tab: Page): Promise<() => Promise<void>> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const asked = once(server, 'request', { signal: AbortSignal.timeout(10_000) })
  const { port } = server.address() as AddressInfo
  const held = tab.evaluate((url) => {
    const request = new XMLHttpRequest()
    request.open('GET', url, false)
    request.send()
  }, `http://127.0.0.1:${port}/`)
  held.catch(() => {}) // a test that fails closes the tab
  const [, response] = (await asked) as [IncomingMessage, ServerResponse]
  return async () => {
    response.writeHead(204, { 'access-control-allow-origin': '*' }).end()
    await held
    server.close()
  }
}

const interval = 50 // ms

/** Reads until the text is as wanted; each read is answered at once. */
async function readUntil(
  read: () => Promise<string>,
  isWanted: (text: string) => boolean,
  deadline: AbortSignal,
  what: string,
): Promise<string> {
  for (;;) {
    const text = await read()
    if (isWanted(text)) return text
    assert.ok(!deadline.aborted, `waited for ${what}; the last response: ${text}`)
    await pass(interval)
  }
}

function inPages(
  behaviour: string,
  run: (of: {
    tab: Page
    /** Opens another tab of the app; the gateway knows it. */
    another: () => Promise<Page>
    gateway: Gateway
    uri: (name: string) => string
  }) => Promise<void>,
  { script = app, ...options }: Parameters<typeof inBrowsers>[2] & { script?: string } = {},
) {
  const inPage = async ({ open }: TestBrowser) => {
    const site = await servePages({ '/app.html': script })
    const args = [`--allow-origin=${site.origin}`, ...(await ownPorts('serve'))]
    const gateway = await startGateway({ command: 'serve', args })
    try {
      const at = encodeURIComponent(pageUrl(gateway))
      const inTab = async (hash = '') => {
        const tab = await open(`${site.origin}/app.html?gateway=${at}${hash}`)
        await tab.waitForFunction('window.ready')
        return tab
      }
      const tab = await inTab(`#${gateway.pairing}`)
      const name = await tab.evaluate('ready')
      await run({ tab, another: inTab, gateway, uri: (own) => `${name}+notes://${own}` })
    } finally {
      await gateway.close()
      site.close()
    }
  }
  inBrowsers(behaviour, inPage, options)
}

inPages(
  'every kind of resource has the same bytes from page and gateway, in every revision',
  async ({ tab, gateway, uri }) => {
    const revisions = ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
    const readers = await Promise.all(revisions.map((revision) => reader(gateway, revision)))
    const byPage: string[][] = []
    for (const read of readers) {
      await tab.evaluate('drop()')
      const all: string[] = []
      for (const own of [...published, ...others]) all.push(await read(uri(own)))
      byPage.push(all)
    }
    for (const own of published) await readers[0]?.(uri(own)) // a Blob is kept from its second read on
    const letGo = await holdUp(tab)
    for (const [i, read] of readers.entries()) {
      for (const [j, own] of published.entries()) {
        assert.equal(await read(uri(own)), byPage[i]?.[j], `${revisions[i]} ${own}`)
      }
    }
    await letGo()
    for (const [i, read] of readers.entries()) {
      for (const [j, own] of others.entries()) {
        const expected = byPage[i]?.[published.length + j]
        assert.equal(await read(uri(own)), expected, `${revisions[i]} ${own}`)
      }
    }
    assert.match(byPage[0]?.[0] ?? '', /"text":"2 apples"/)
    assert.match(byPage[1]?.[published.length + 2] ?? '', /-32002/)
    assert.doesNotMatch(JSON.stringify(byPage), /pagemcp\/published/)
  },
)

inPages('what a page withdraws is gone within 100 ms', async ({ tab, gateway, uri }) => {
  const read = await reader(gateway, '2026-07-28')
  for (let apples = 3; apples < 30; apples++) {
    await tab.evaluate(`cart.set('${apples} apples')`)
    const began = performance.now()
    while (!(await read(uri('cart'))).includes(`${apples} apples`)) {
      assert.ok(performance.now() - began < 100, 'the gateway has an old value')
    }
  }
  await tab.evaluate('withdraw()')
  const began = performance.now()
  while (!(await read(uri('cart'))).includes('not found')) {
    assert.ok(performance.now() - began < 100, 'a value that was withdrawn is still read')
  }
})

inPages('a page that has left takes its values along', async ({ tab, gateway, uri }) => {
  const read = await reader(gateway, '2026-07-28')
  const deadline = AbortSignal.timeout(20_000)
  while (!(await tab.evaluate('served()'))) {
    assert.ok(!deadline.aborted, 'waited for the report of reads that the gateway has answered')
    await read(uri('cart'))
  }
  await tab.goto('about:blank')
  const isAway = (text: string) => text.includes('page-away')
  await readUntil(() => read(uri('cart')), isAway, deadline, 'the value of a page that has left')
})

function hasAge(text: string): boolean {
  return JSON.parse(text).result?._meta['io.github.pagemcp/ageMs'] !== undefined
}

/** A page with its engine in a Worker, which a browser stops together with the window. */
const sleeper = app.replace("import '/in-window.js'\n", '')

inPages(
  'a tab that is frozen is not away: values have their age if another tab is awake, functions fail at once',
  async ({ tab, another, gateway, uri }) => {
    const read = await reader(gateway, '2026-07-28')
    await read(uri('cart'))
    await tab.evaluate("cart.set('3 apples')")
    const session = await tab.createCDPSession()
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    // Chromium may stop the Worker before it has told the gateway: then two missed pings do.
    const deadline = AbortSignal.timeout(45_000)
    const readLate = () => read(uri('cart'))
    const isRefused = (text: string) => text.includes('page-asleep')
    await readUntil(readLate, isRefused, deadline, 'that nothing is answered without another tab')
    const awake = await another()
    const late = JSON.parse(
      await readUntil(readLate, hasAge, deadline, 'the age of a value of a tab that sleeps'),
    ).result
    assert.equal(late.contents[0].text, '3 apples')
    await awake.evaluate('mcp.access.pause()')
    await readUntil(readLate, isRefused, deadline, 'the pause to hold for the tab that sleeps')
    await awake.evaluate('mcp.access.resume()')
    await readUntil(readLate, (text) => text.includes('3 apples'), deadline, 'the pause to end')
    const began = performance.now()
    const { error } = JSON.parse(await read(uri('computed')))
    assert.ok(performance.now() - began < 1000, 'a function of a tab that sleeps was waited for')
    assert.equal(error.data.reason, 'page-asleep')
    assert.match(error.message, /Ask the user to look at it/)
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    const isComputed = (text: string) => text.includes('"text":"computed"')
    const compute = () => read(uri('computed'))
    await readUntil(compute, isComputed, deadline, 'the function of a tab that is awake again')
    const { result } = JSON.parse(await read(uri('cart')))
    assert.equal(result._meta['io.github.pagemcp/ageMs'], undefined)
    assert.equal(await tab.evaluate('mcp.state.gateways.at(-1).is'), 'joined')
  },
  { script: sleeper, timeout: 120_000, only: ['chromium'] }, // Firefox has no such state, nor an event
)
