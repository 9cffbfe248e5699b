/** The trip planner: what its React components show is served while they are there, and its tools change it. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Page } from 'puppeteer-core'
import { type Gateway, startGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { type Front, startFront } from '../harness/front.ts'
import { classicGuide } from '../tours/classic.ts'
import type { Guide } from '../tours/guide.ts'
import { modernGuide } from '../tours/modern.ts'

let gateway: Gateway
let front: Front
before(
  async () => {
    gateway = await startGateway()
    front = await startFront('trip', gateway)
  },
  { timeout: 300_000 },
)
after(async () => {
  await front?.close()
  await gateway?.close()
})

/** The page, joined, and where it is served alone. */
async function openTrip({ open }: TestBrowser): Promise<{ page: Page; url: URL }> {
  const page = await open((await gateway.fresh()).pages.trip ?? '')
  return { page, url: new URL(front.url(`/mcp/${await joined(page)}`)) }
}

const places = (page: Page) =>
  page.$$eval('.stops .place', (all) => all.map((one) => one.firstChild?.textContent))

const untilShown = (page: Page, ...wanted: string[]) =>
  page.waitForFunction(
    (text) =>
      Array.from(
        document.querySelectorAll('.stops .place'),
        (one) => one.firstChild?.textContent,
      ).join('|') === text,
    { polling: 100 },
    wanted.join('|'),
  )

const plan = 'trip://plan'
const planned = async (guide: Guide) =>
  (JSON.parse((await guide.read(plan)).text ?? '') as { place: string; nights: number }[]).map(
    ({ place, nights }) => `${place} ${nights}`,
  )

inBrowsers('an assistant reads the plan, hears of changes, and adds a stop', async (browser) => {
  const { page, url } = await openTrip(browser)
  const guide = await classicGuide(new StreamableHTTPClientTransport(url) as Transport)
  assert.deepEqual(await planned(guide), ['Lisbon 3', 'Sintra 1'])
  const watch = await guide.watch({ uri: plan })
  const changed = watch.next()
  await page.click('[aria-label="One night more in Sintra"]')
  await changed
  assert.deepEqual(await planned(guide), ['Lisbon 3', 'Sintra 2'])
  const heard = watch.next()
  assert.equal((await guide.call('add_stop', { place: 'Porto', nights: 2 })).isError, false)
  await heard
  await untilShown(page, 'Lisbon', 'Sintra', 'Porto')
  assert.deepEqual(await planned(guide), ['Lisbon 3', 'Sintra 2', 'Porto 2'])
  assert.equal(await page.$$eval('[data-by=assistant]', (all) => all.length), 1)
  const refused = await guide.call('add_stop', { place: 'Faro', nights: 99 })
  assert.ok(refused.isError)
  assert.match(refused.text, /nights/)
  await watch.end()
  await guide.close()
})

inBrowsers('a stop goes only after the person was asked, in either era', async (browser) => {
  const { page, url } = await openTrip(browser)
  const classic = await classicGuide(new StreamableHTTPClientTransport(url) as Transport)
  assert.match((await classic.call('remove_stop', { place: 'sintra' })).text, /is out/)
  await untilShown(page, 'Lisbon')
  const modern = await modernGuide('pinned', new ModernHttp(url))
  assert.ok((await modern.call('remove_stop', { place: 'Sintra' })).isError)
  assert.match((await modern.call('remove_stop', { place: 'Lisbon' })).text, /is out/)
  await page.waitForSelector('.empty')
  assert.deepEqual(await places(page), [])
  await classic.close()
  await modern.close()
})

inBrowsers('a prompt speaks of the plan as it is, and completes its argument', async (browser) => {
  const { page, url } = await openTrip(browser)
  const guide = await modernGuide('auto', new ModernHttp(url))
  await page.type('[aria-label="Another stop"]', 'Évora')
  await page.click('form button')
  await untilShown(page, 'Lisbon', 'Sintra', 'Évora')
  const { text } = await guide.prompt('pack', { season: 'winter' })
  assert.match(text, /5 nights in winter: Lisbon, Sintra, Évora/)
  const ref = { type: 'ref/prompt', name: 'pack' } as const
  assert.deepEqual(await guide.complete(ref, 'season', 's'), ['spring', 'summer'])
  await guide.close()
})

inBrowsers(
  'a removed stop comes back where it was, and a reload keeps the plan',
  async (browser) => {
    const { page } = await openTrip(browser)
    await page.click('[aria-label="Remove Lisbon"]')
    await untilShown(page, 'Sintra')
    await page.type('[aria-label="Another stop"]', 'Évora')
    await page.click('form button')
    await untilShown(page, 'Sintra', 'Évora')
    await page.click('#undo')
    await untilShown(page, 'Lisbon', 'Sintra', 'Évora')
    await page.reload()
    await untilShown(page, 'Lisbon', 'Sintra', 'Évora')
  },
)
