/** Try your page in the browser, with a gateway: the checklist follows a page, and says what is wrong. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { type Gateway, startGateway } from '../../e2e/gateway.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { pasteInto } from '../../harness/waits.ts'
import { openForFailures } from '../connections/dialog.ts'
import { openPlayground, press, saw, sharePlayground } from '../harness.ts'

const playground = sharePlayground()
let gateway: Gateway
before(async () => {
  gateway = await startGateway()
})
after(() => gateway?.close())

async function openDialog(page: Page): Promise<void> {
  await press(page, '.bar button', 'gateway', 'data-command')
  await press(page, '[data-command="yourPage.open"]', 'Try your page')
  await page.waitForSelector('dialog.yourPage input[name=url]:focus')
}

async function watch(page: Page, url: string): Promise<void> {
  await page.$eval('dialog input[name=url]', (input) => {
    ;(input as HTMLInputElement).value = ''
  })
  await pasteInto(page, 'dialog input[name=url]', url)
  await press(page, 'dialog form button', 'Watch')
}

const done = (page: Page, step: string) => page.waitForSelector(`[data-step=${step}][data-done]`)

inBrowsers('a page is followed from its load to its first change', async ({ open }) => {
  const { start } = await gateway.fresh()
  await (await open(start)).waitForSelector('#state[data-is=paired]')
  const page = await open(`${gateway.web}playground/index.html?quiet&lang=en`)
  await page.waitForSelector('html[data-ready]')
  await openDialog(page)
  await saw(page, 'dialog pre', 'mcp.connect()')
  const url = `${gateway.web}demo/notes/`
  await watch(page, url)
  await saw(page, 'dialog pre', `pagemcp dev --allow-origin ${new URL(url).origin}`)
  await done(page, 'loaded')
  assert.equal(await page.$('[data-step=joined][data-done]'), null)
  const notes = await open(url)
  await notes.waitForSelector('#state[data-is=joined]')
  await page.bringToFront()
  await done(page, 'joined')
  // One click connects, reads the first resource, and subscribes to it.
  await press(page, 'dialog button', 'Connect to')
  await done(page, 'resource')
  await done(page, 'read')
  assert.equal(await page.$('dialog [role=alert]'), null)
  await page.waitForFunction(
    () => !document.querySelector('.your-page')?.textContent?.includes('Connect to'),
  )
  await notes.bringToFront()
  await notes.$eval('textarea', (one) => one.focus())
  await notes.keyboard.type('A change')
  await page.bringToFront()
  await done(page, 'change')
  // The change was read again, and Inspect shows it.
  await page.keyboard.press('Escape')
  await saw(page, '[data-pane=inspect]', 'A change')
})

inBrowsers(
  'without a server, a gateway or a valid address, the dialog says what to do',
  async ({ context }) => {
    const page = await openPlayground(openForFailures(context), playground)
    await openDialog(page)
    await watch(page, 'ftp://127.0.0.1/')
    await saw(page, 'dialog [role=alert]', 'must begin with http')
    await watch(page, 'http://127.0.0.1:1/')
    await saw(page, 'dialog [role=alert]', 'No response')
    await watch(page, `${playground.origin}/playground/index.html`)
    await done(page, 'loaded')
    await saw(page, '[data-step=joined] [role=alert]', 'Start the gateway')
  },
)
