/** The conformance check in the browser: against the server in the page, and against others. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { connect, connection, openForFailures } from '../connections/dialog.ts'
import { type Mannered, mannered } from '../connections/servers.ts'
import { openPlayground, press, saw, sharePlayground } from '../harness.ts'

const playground = sharePlayground()
let server: Mannered
before(async () => {
  server = await mannered({})
})
after(() => server?.close())

/** Opens the dialog from the palette, as the command says. */
async function openConformance(page: Page): Promise<void> {
  await press(page, '.bar button', 'palette', 'data-command')
  await page.waitForSelector('dialog.palette input')
  await page.type('dialog.palette input', 'conformance')
  await saw(page, 'dialog.palette [aria-selected=true]', 'onformance')
  await page.keyboard.press('Enter')
  await page.waitForSelector('dialog.conformance')
}

/** Runs the checks, and returns the counts by state. */
async function run(page: Page): Promise<{ [state: string]: number }> {
  await press(page, 'dialog.conformance button.primary', 'Run checks')
  await page.waitForSelector('.conformance-counts .chip', { timeout: 90_000 }) // after a whole run
  return Object.fromEntries(
    await page.$$eval('.conformance-counts .chip', (all) =>
      all.map((one) => [
        (one as HTMLElement).dataset.state,
        Number(/\d+/.exec(one.textContent ?? '')?.[0]),
      ]),
    ),
  )
}

inBrowsers(
  'the server in the page passes every check that applies, in both eras',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await openConformance(page)
    const counts = await run(page)
    const failed = await page.$$eval('details[data-state=failed] li', (all) =>
      all.map((one) => one.textContent),
    )
    assert.deepEqual(failed, [])
    assert.ok((counts.passed ?? 0) >= 140, JSON.stringify(counts))
    // Its connections are closed, and are none of the clients in the bar.
    assert.equal((await page.$$('.clients .connection-state')).length, 1)
  },
)

inBrowsers('a failure leads to its message in the timeline', async ({ context }) => {
  const page = await openPlayground(openForFailures(context), playground)
  await connect(page, 'http', server.url)
  await connection(page, 'mannered')
  await openConformance(page)
  const counts = await run(page)
  assert.ok((counts.failed ?? 0) > 0, JSON.stringify(counts))
  const id = 'details[data-state=failed] li[data-id=R-004]' // it answers with "id": null
  await saw(page, id, '"id":null')
  await page.$eval(`${id} button`, (button) => (button as HTMLElement).click())
  await page.waitForFunction(() => document.querySelector('dialog') === null)
  await saw(page, '[data-pane=inspect]', 'Parse error')
})

inBrowsers(
  'the set of malformed messages is a table for two servers, whose rows lead to the timeline',
  async ({ context }) => {
    const page = await openPlayground(openForFailures(context), playground)
    await connect(page, 'http', server.url)
    await connection(page, 'mannered')
    await page.click('.rail [data-command=malformed]')
    await page.waitForSelector('select[name=conformance-other]')
    const demo = await page.$eval(
      'select[name=conformance-other] option:last-child',
      (option) => (option as HTMLOptionElement).value,
    )
    await page.select('select[name=conformance-other]', demo)
    await press(page, 'dialog.malformed button.primary', 'Send set')
    await page.waitForFunction(() => document.querySelectorAll('.conformance-counts').length === 2)
    await page.waitForSelector('dialog.malformed progress', { hidden: true })
    const row = '.conformance-set [data-id=truncated]'
    await saw(page, row, '-32700')
    const all = await page.$$eval('.conformance-set tbody tr', (rows) =>
      rows.map((one) => (one as HTMLElement).dataset.differs),
    )
    assert.ok(all.length >= 20, `${all.length} rows`)
    assert.ok(all.includes('true'), 'the servers differ')
    await page.$eval(`${row} button`, (button) => (button as HTMLElement).click())
    await page.waitForFunction(() => document.querySelector('dialog') === null)
    await saw(page, '[data-pane=inspect] .chip', 'as expected')
  },
  { only: ['chromium'] },
)
