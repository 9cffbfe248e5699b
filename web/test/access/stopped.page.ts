/**
 * What the user stops in one tab gives nothing in any other, in whatever state that is. wasm/engine/remote has the whole
 * matrix without browsers: expiry, other profiles, tasks and events (`TestWhatIsStoppedGivesNothing`).
 */

import assert from 'node:assert/strict'
import { setTimeout as pass } from 'node:timers/promises'
import type { Page } from 'puppeteer-core'
import type { PageMcp } from '../../src/start.ts'
import { servePages } from '../core/browser/built.ts'
import { type Gateway, ownPorts, pageUrl, startGateway } from '../e2e/gateway.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { fetchAnswer, post } from '../harness/client.ts'

declare const mcp: PageMcp
declare const value: { set(text: string): void }

const app = `
import { start, webSocket } from '/pagemcp/index.js'
const mcp = window.mcp = await start({ name: 'notes', access: 'ask' })
window.value = mcp.resource({ uri: 'notes://value', name: 'Value' }, 'the secret')
mcp.resource({ uri: 'notes://function', name: 'Function' }, () => 'the secret')
mcp.tool({ name: 'add' }, () => 'the secret')
mcp.event({ name: 'saved', description: 'A note is saved.' }).emit({ what: 'the secret' })
await mcp.connect(webSocket(new URLSearchParams(location.search).get('gateway'))).joined
window.ready = mcp.state.gateways.at(-1).name`

const assistant = 'unnamed' // the token has no name

/** Sends a request to the endpoint of the page. */
type Ask = (
  method: string,
  params: { uri?: string; name?: string; arguments?: object },
) => Promise<string>

const asks: { [what: string]: (ask: Ask) => Promise<string> } = {
  value: (ask) => ask('resources/read', { uri: 'notes://value' }),
  function: (ask) => ask('resources/read', { uri: 'notes://function' }),
  event: (ask) => ask('resources/read', { uri: 'event:///saved' }),
  tool: (ask) => ask('tools/call', { name: 'add', arguments: {} }),
}

const decisions: { [decision: string]: () => Promise<void> } = {
  stop: () => mcp.access.revoke('unnamed'),
  pause: () => mcp.access.pause(),
}

const states: { [state: string]: (tab: Page, other: Page) => Promise<unknown> } = {
  visible: (tab) => tab.bringToFront(),
  hidden: async (tab, other) => {
    await other.bringToFront()
    await tab.waitForFunction(() => document.hidden, { polling: 50 })
  },
  frozen: async (tab) => {
    const session = await tab.createCDPSession()
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
  },
  closed: (tab) => tab.close(),
}

/** The messages of a listen, as far as they have come. */
async function listen(endpoint: Gateway, at: string): Promise<{ text: string }> {
  const notifications = { resourceSubscriptions: ['notes://value'] }
  const response = await fetchAnswer(endpoint, 'subscriptions/listen', { notifications }, at)
  const stream = { text: '' }
  const read = async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
      stream.text += part
  }
  void read().catch(() => {}) // it ends with the gateway
  return stream
}

async function until(what: string, isSo: () => Promise<boolean>) {
  const deadline = AbortSignal.timeout(30_000)
  while (!(await isSo())) {
    assert.ok(!deadline.aborted, `waited 30 s for ${what}`)
    await pass(50)
  }
}

for (const [state, bring] of Object.entries(states)) {
  for (const [decision, decide] of Object.entries(decisions)) {
    const only = state === 'frozen' ? { only: ['chromium'] as const } : {} // Firefox freezes no tab
    const run = async ({ open }: TestBrowser) => {
      const site = await servePages({ '/app.html': app })
      const args = [`--allow-origin=${site.origin}`, ...(await ownPorts('serve'))]
      const gateway = await startGateway({ command: 'serve', args })
      try {
        const at = `${site.origin}/app.html?gateway=${encodeURIComponent(pageUrl(gateway))}`
        const inTab = async (hash = '') => {
          const tab = await open(`${at}${hash}`)
          await tab.waitForFunction('window.ready')
          return tab
        }
        const tab = await inTab(`#${gateway.pairing}`)
        const other = await inTab()
        await tab.evaluate(async (assistant) => {
          await mcp.access.allow(assistant, 'read', 'always')
          await mcp.access.allow(assistant, 'act', 'always')
        }, assistant)
        const name = String(await tab.evaluate('ready'))
        const request: Ask = (method, params) => post(gateway, method, params, name)
        for (const [what, ask] of Object.entries(asks)) {
          await until(`${what} before`, async () => (await ask(request)).includes('the secret'))
        }
        const stream = await listen(gateway, name)
        await until('the acknowledgement', async () => stream.text.includes('acknowledged'))

        await bring(tab, other)
        await other.evaluate(decide)
        for (const [what, ask] of Object.entries(asks)) {
          await until(
            `${what} to be stopped`,
            async () => !(await ask(request)).includes('the secret'),
          )
        }
        // The gateway hears of a decision a moment after the page.
        const isListed = async () => (await request('resources/list', {})).includes('notes://value')
        await until('the list to be stopped', async () => !(await isListed()))
        const heard = stream.text.length
        if (state === 'visible' || state === 'hidden') {
          await tab.evaluate(() => value.set('the secret, changed'))
        }
        for (const [what, ask] of Object.entries(asks)) {
          assert.doesNotMatch(await ask(request), /the secret/, what)
        }
        assert.doesNotMatch(stream.text.slice(heard), /updated/)
      } finally {
        await gateway.close()
        await site.close()
      }
    }
    inBrowsers(`${decision} in one tab holds for one that is ${state}`, run, only)
  }
}
