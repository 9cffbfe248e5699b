/** What an assistant reads of a demo through the gateway, and what the demo shows. */

import type { Page } from 'puppeteer-core'
import type { Gateway } from '../e2e/gateway.ts'
import { post } from '../harness/client.ts'

/** The text of the first content of a resource. */
export async function readText(gateway: Gateway, uri: string): Promise<string> {
  const { result, error } = JSON.parse(await post(gateway, 'resources/read', { uri })) as {
    result?: { contents: { text?: string }[] }
    error?: { message: string }
  }
  if (error) throw new Error(`read ${uri}: ${error.message}`)
  return result?.contents[0]?.text ?? ''
}

/** How often to look: by time, for a tab in the background has no frames. */
export const polling = 100 // ms

/** Waits until these texts are shown by the elements of a selector, in any order. */
export async function untilShown(page: Page, selector: string, wanted: string[]): Promise<void> {
  await page.waitForFunction(
    (selector, text) =>
      Array.from(document.querySelectorAll(selector), (one) => one.textContent ?? '')
        .sort()
        .join('|') === text,
    { polling },
    selector,
    [...wanted].sort().join('|'),
  )
}

export const textOf = (page: Page, selector: string) =>
  page.$eval(selector, (one) => one.textContent)
