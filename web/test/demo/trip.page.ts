/** The trip planner: what its React components show is served while they are there, and its tools change it. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { Page } from 'puppeteer-core'
import { type Gateway, startGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'
import { type Front, startFront } from '../harness/front.ts'
import { classicGuide } from '../tours/classic.ts'
import type { Guide } from '../tours/guide.ts'

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

/** Sends a request of a client with the extension for tasks. */
async function ask(url: URL, method: string, params: Record<string, unknown>) {
  const capabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
  const text = await post({ mcp: url.href }, method, params, '', capabilities)
  const { result } = JSON.parse(text)
  assert.ok(result, text)
  return result
}

/** Waits for a state of a task. */
async function stateOf(url: URL, taskId: string, isIt: (state: { status: string }) => boolean) {
  for (const late = AbortSignal.timeout(20_000); ; ) {
    const state = await ask(url, 'tasks/get', { taskId })
    if (isIt(state)) return state
    late.throwIfAborted()
  }
}

inBrowsers('a proposed stop waits for the user as a task', async (browser) => {
  const { page, url } = await openTrip(browser)
  const propose = (place: string) =>
    ask(url, 'tools/call', { name: 'propose_stop', arguments: { place, nights: 2 } })
  const { resultType, taskId, status } = await propose('Porto')
  assert.deepEqual([resultType, status], ['task', 'working'])
  await page.waitForSelector('.proposals li')
  const waiting = await stateOf(url, taskId, (state) => 'statusMessage' in state)
  assert.match(waiting.statusMessage, /Porto/)
  const again = await propose('Faro')
  await page.waitForSelector('.proposals li:nth-child(2)')
  const click = (nth: number, button: number) =>
    page.click(`.proposals li:nth-child(${nth}) button:nth-of-type(${button})`)
  await click(2, 2)
  await page.waitForFunction(() => document.querySelectorAll('.proposals li').length === 1)
  await click(1, 1)
  await untilShown(page, 'Lisbon', 'Sintra', 'Porto')
  const isOver = ({ status }: { status: string }) => status === 'completed'
  const accepted = await stateOf(url, taskId, isOver)
  assert.match(accepted.result.content[0].text, /Porto: 2 nights more/)
  const declined = await stateOf(url, again.taskId, isOver)
  assert.match(declined.result.content[0].text, /Faro was declined/)
})
