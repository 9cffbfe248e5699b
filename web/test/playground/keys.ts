/** Keys, as a user without a mouse presses them. */

import assert from 'node:assert/strict'
import type { KeyInput, Page } from 'puppeteer-core'

/** Presses Tab until what has the focus fits a selector; fails after as many stops as a page may have. */
export async function tabTo(page: Page, selector: string, stops = 60): Promise<void> {
  for (let i = 0; i < stops; i++) {
    await page.keyboard.press('Tab')
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) {
      return seen(page)
    }
  }
  const stuck = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200))
  throw new Error(`Tab does not lead to ${selector}; it is at ${stuck}`)
}

/** Fails unless what has the focus shows it: by a ring, or by a caret in a field that frames itself. */
async function seen(page: Page): Promise<void> {
  const hidden = await page.evaluate(() => {
    const one = document.activeElement as HTMLElement
    const { outlineStyle } = getComputedStyle(one)
    const rings = outlineStyle !== 'none' || one.matches('.editor, .sq-message')
    const { bottom, right, top, left } = one.getBoundingClientRect()
    const isInside = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
    return rings && isInside ? undefined : one.outerHTML.slice(0, 200)
  })
  assert.equal(hidden, undefined, 'the focus is not visible')
}

/** Holds a key and presses another. */
export async function chord(page: Page, held: KeyInput, key: KeyInput): Promise<void> {
  await page.keyboard.down(held)
  await page.keyboard.press(key)
  await page.keyboard.up(held)
}

/** Waits until what has the focus fits a selector. */
export async function focused(page: Page, selector: string): Promise<void> {
  await page.waitForFunction(
    (wanted) => document.activeElement?.matches(wanted),
    { polling: 100 },
    selector,
  )
}
