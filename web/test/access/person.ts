/** What a user sees and does of the question. */

import type { Page } from 'puppeteer-core'
import type { AccessAnswer, AccessRequest } from '../../src/page-access.ts'
import type { Kit } from './page.ts'

declare const kit: Kit

/** Opens a page of page.ts and waits until it decides. */
export async function opened(page: Promise<Page>): Promise<Page> {
  const tab = await page
  await tab.waitForFunction('window.ready')
  return tab
}

export const ask = (tab: Page, id: string, request: Partial<AccessRequest> = {}) =>
  tab.evaluate((id, request) => kit.ask(id, request), id, request)

/** Hidden pages have no animation frames. */
const polling = { polling: 50 }

/** The answer to a question of {@link ask}, once there is one. */
export async function answer(tab: Page, id: string): Promise<AccessAnswer> {
  await tab.waitForFunction((id) => kit.answers.has(id), polling, id)
  return tab.evaluate((id) => kit.answer(id) as AccessAnswer, id)
}

export const isShown = (tab: Page, signal?: AbortSignal) =>
  tab.waitForFunction(
    () => document.querySelector('pagemcp-question') !== null,
    signal ? { ...polling, signal } : polling,
  )
export const isGone = (tab: Page) =>
  tab.waitForFunction(() => document.querySelector('pagemcp-question') === null, polling)

/** Waits until the dialog takes clicks: its guard is 500 ms. */
export async function takesClicks(tab: Page): Promise<void> {
  const now = await tab.evaluate('performance.now()')
  await tab.waitForFunction(`performance.now() > ${now} + 600`, polling)
}

/**
 * Repeats `act` until the question closes, as a user does. The question ignores keys and clicks for 500 ms after the focus
 * event of its window, which Firefox dispatches late on a busy machine.
 */
async function untilGone(tab: Page, act: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    await takesClicks(tab)
    await act()
    try {
      await tab.waitForFunction(() => !kit.isAsked(), { ...polling, timeout: 2_000 })
      return
    } catch (error) {
      if (tries === 5) throw error
    }
  }
}

export async function pressEscape(tab: Page): Promise<void> {
  await tab.waitForFunction(() => document.hasFocus(), polling)
  await untilGone(tab, () => tab.keyboard.press('Escape'))
}

export async function click(tab: Page, text: string): Promise<void> {
  const [x, y] = await tab.evaluate((text) => kit.place(text), text)
  await tab.mouse.click(x, y)
}

/** Answers the question that is shown, or is about to be. */
export async function choose(tab: Page, text: string): Promise<void> {
  await isShown(tab)
  await untilGone(tab, () => click(tab, text))
}
