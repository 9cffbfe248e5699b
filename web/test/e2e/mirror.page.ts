/** The gateway answers reads of what a page has published, also while a browser has stopped the page. */

import assert from 'node:assert/strict'
import { setTimeout as pass } from 'node:timers/promises'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'
import type { Served } from '../harness/serve.ts'
import { type Gateway, ownPorts, pageUrl, startGateway } from './gateway.ts'

/** Its engine is in a Worker, which a browser stops together with the window. */
const app = `
import { start } from '/pagemcp/index.js'
const mcp = window.mcp = await start({ name: 'notes', access: 'open' })
window.cart = mcp.resource('notes://cart', { name: 'cart', mimeType: 'text/plain' }, '2 apples')
mcp.resource('notes://computed', { name: 'computed' }, () => 'computed')
await mcp.connect(new URLSearchParams(location.search).get('gateway')).joined
window.ready = mcp.state.gateways.at(-1).name`

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

function hasAge(text: string): boolean {
  return JSON.parse(text).result?._meta['io.github.pagemcp/ageMs'] !== undefined
}

inBrowsers(
  'a tab that is frozen is not away: values have their age if another tab is awake, functions fail at once',
  async ({ open }) => {
    const site = await servePages({ '/app.html': app })
    const args = [`--allow-origin=${site.origin}`, ...(await ownPorts('serve'))]
    const gateway = await startGateway({ command: 'serve', args })
    try {
      await frozenTab(open, site, gateway)
    } finally {
      await gateway.close()
      await site.close()
    }
  },
  { timeout: 120_000, only: ['chromium'] }, // Firefox has no such state, nor an event
)

async function frozenTab(open: TestBrowser['open'], site: Served, gateway: Gateway) {
  const inTab = async (hash = '') => {
    const tab = await open(
      `${site.origin}/app.html?gateway=${encodeURIComponent(pageUrl(gateway))}${hash}`,
    )
    await tab.waitForFunction('window.ready')
    return tab
  }
  const tab = await inTab(`#${gateway.pairing}`)
  const name = await tab.evaluate('ready')
  const uri = (own: string) => `${name}+notes://${own}`
  const read = (uri: string) => post(gateway, 'resources/read', { uri })
  await read(uri('cart'))
  await tab.evaluate("cart.set('3 apples')")
  const session = await tab.createCDPSession()
  await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  // Chromium may stop the Worker before it has told the gateway: then two missed pings do.
  const deadline = AbortSignal.timeout(45_000)
  const readLate = () => read(uri('cart'))
  const isRefused = (text: string) => text.includes('page-asleep')
  await readUntil(readLate, isRefused, deadline, 'that nothing is answered without another tab')
  const awake = await inTab()
  const late = JSON.parse(
    await readUntil(readLate, hasAge, deadline, 'the age of a value of a tab that sleeps'),
  ).result
  assert.equal(late.contents[0].text, '3 apples')
  await awake.evaluate('mcp.access.pause()')
  await readUntil(readLate, isRefused, deadline, 'the pause to hold for the tab that sleeps')
  await awake.evaluate('mcp.access.resume()')
  await readUntil(readLate, (text) => text.includes('3 apples'), deadline, 'the pause to end')
  const { error } = JSON.parse(await read(uri('computed')))
  assert.equal(error.data.reason, 'page-asleep')
  assert.match(error.message, /Ask the user to look at it/)
  await session.send('Page.setWebLifecycleState', { state: 'active' })
  const isComputed = (text: string) => text.includes('"text":"computed"')
  const compute = () => read(uri('computed'))
  await readUntil(compute, isComputed, deadline, 'the function of a tab that is awake again')
  const { result } = JSON.parse(await read(uri('cart')))
  assert.equal(result._meta['io.github.pagemcp/ageMs'], undefined)
  assert.equal(await tab.evaluate('mcp.state.gateways.at(-1).is'), 'joined')
}
