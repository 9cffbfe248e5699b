/** The connect dialog, as a visitor works it. */

import type { BrowserContext, Page } from 'puppeteer-core'
import { explainTimeouts, pasteInto } from '../../harness/waits.ts'
import { press } from '../harness.ts'

/**
 * Opens a page in which requests fail on purpose: Firefox reports each that CORS forbids as if the page
 * had thrown, and `open` of `inBrowsers` takes it for that.
 */
export const openForFailures =
  (context: BrowserContext) =>
  async (url: string): Promise<Page> => {
    const page = await context.newPage()
    page.setDefaultTimeout(30_000) // ms
    explainTimeouts(page)
    await page.goto(url)
    return page
  }

/** Opens the dialog at a kind of connection. */
export async function openDialog(page: Page, kind: string): Promise<void> {
  await press(page, '.clients button', 'connect', 'data-command')
  const radio = `input[name=connections-kind][value=${kind}]`
  await page.waitForSelector(radio)
  await page.$eval(radio, (input) => (input as HTMLInputElement).click())
  await page.waitForSelector(`${radio}:checked`)
}

/** Opens the room of the gateway. */
export async function openGateway(page: Page): Promise<void> {
  if (!(await page.$('.front'))) await press(page, '.bar button', 'gateway', 'data-command')
  await page.waitForSelector('.front')
}

/** Pastes an address. */
export async function fill(page: Page, url: string): Promise<void> {
  await page.waitForSelector('dialog input[name=url]')
  await page.$eval('dialog input[name=url]', (input) => {
    ;(input as HTMLInputElement).value = ''
  })
  if (url !== '') await pasteInto(page, 'dialog input[name=url]', url)
}

/** Connects; the dialog closes. */
export async function connect(page: Page, kind: string, url: string): Promise<void> {
  await openDialog(page, kind)
  await fill(page, url)
  await press(page, 'dialog form button[type=submit]', '')
  await page.waitForFunction(() => document.querySelector('dialog') === null)
}

/** Waits for a client of a name that is in a state. */
export async function connection(page: Page, name: string, is = 'open'): Promise<void> {
  await page.waitForFunction(
    (wanted, state) =>
      [...document.querySelectorAll('.clients button')].some(
        (one) =>
          one.querySelector('.name')?.textContent?.includes(wanted) &&
          one.querySelector(`.connection-state[data-is=${state}]`),
      ),
    {},
    name,
    is,
  )
}
