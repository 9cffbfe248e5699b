// Words in private places never leave the page: everything that is served is asked for, over a port and through the
// gateway, in real browsers. security.md §7.1.

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { servePages } from '../core/browser/built.ts'
import { askUntil } from '../e2e/again.ts'
import { type Gateway, pageUrl, startGateway } from '../e2e/gateway.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'
import type { Served } from '../harness/serve.ts'
import { type Ask, crawl } from './crawl.ts'

const script = `
import { testClient } from '/test/harness/client.ts'
import { plant, serveAll } from '/test/canary/page.ts'
import * as pagemcp from '/pagemcp/index.js'
const mcp = await serveAll(pagemcp)
const client = testClient(mcp.port())
window.heard = () => JSON.stringify(client.got)
window.ask = async (...request) => JSON.stringify(await client.askModern(...request))
window.plant = plant
window.joined = mcp.connect(new URLSearchParams(location.search).get('gateway')).joined
window.ready = true`

let site: Served
let gateway: Gateway
before(
  async () => {
    site = await servePages({ '/page.html': script, '/favicon.ico': '' })
    gateway = await startGateway({
      args: ['--allow-origin', site.origin, '--reads-per-second', '1000'],
    })
  },
  { timeout: 300_000 },
)
after(() => Promise.all([gateway?.close(), site?.close()]))

const overPort =
  (tab: Page): Ask =>
  async (method, params) => {
    const text = (await tab.evaluate(`ask('${method}', ${JSON.stringify(params)})`)) as string
    return { answer: JSON.parse(text), text }
  }

const throughGateway =
  (name: string): Ask =>
  async (method, params) => {
    const text = await post(gateway, method, params, name)
    return { answer: JSON.parse(text), text }
  }

/** What is not private has to arrive: else the crawl would prove nothing. */
const wanted = ['Seen by everybody', 'Text that may be read.', 'open draft', 'open note', 'dark']

const hasAllSchemes = (uris: string[]) =>
  ['page:', 'storage:', 'idb:', 'tab:'].every((scheme) =>
    uris.some((uri) => uri.startsWith(scheme)),
  )

inBrowsers('no word from a private place is in any byte that leaves the page', async ({ open }) => {
  const { pages } = await gateway.fresh()
  const invitation = new URL(String(Object.values(pages)[0])).hash
  const tab = await open(`${site.origin}/page.html?gateway=${pageUrl(gateway)}${invitation}`)
  await tab.waitForFunction('window.ready')
  const name = (await tab.evaluate('joined')) as string
  const places = (await tab.evaluate('plant()')) as string[]
  assert.ok(places.length >= 30, `${places.length} places`)

  // Until then the lists through the gateway may lack what the page was slow to find.
  const list = async () => {
    const { result } = JSON.parse(await post(gateway, 'resources/list', {}, name))
    return (result.resources as { uri: string }[]).map(({ uri }) => uri)
  }
  await askUntil('page:, storage:, idb: and tab: in the list', list, hasAllSchemes)

  for (const [way, ask] of Object.entries({
    port: overPort(tab),
    gateway: throughGateway(name),
  })) {
    const { bytes, uris } = await crawl(ask)
    const found = new Set(Array.from(bytes.matchAll(/CANARY(\d+)x/g), ([, i]) => places[Number(i)]))
    assert.deepEqual([...found], [], `over the ${way}`)
    for (const text of wanted) assert.ok(bytes.includes(text), `${text} over the ${way}`)
    assert.ok(hasAllSchemes(uris), `${uris.join(' ')} over the ${way}`)
  }
  assert.doesNotMatch((await tab.evaluate('heard()')) as string, /CANARY\d/)
  assert.doesNotMatch(gateway.log(), /CANARY/)
})
