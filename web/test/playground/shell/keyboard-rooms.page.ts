/**
 * Every room by keyboard alone: it is reached, worked, and left by Escape; the focus is visible, is not trapped, and
 * comes back to what opened the room.
 */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, sharePlayground } from '../harness.ts'
import { focused, tabTo } from '../keys.ts'

const playground = sharePlayground()

/** Opens the playground and waits for its keys. */
async function openWithKeys(open: (url: string) => Promise<Page>): Promise<Page> {
  const page = await openPlayground(open, playground)
  await page.waitForFunction(
    () => {
      dispatchEvent(new KeyboardEvent('keydown', { key: '?', bubbles: true }))
      return document.querySelector('dialog.keys kbd') !== null
    },
    { polling: 200 },
  )
  await page.keyboard.press('Escape')
  await gone(page, 'dialog')
  return page
}

const gone = (page: Page, selector: string) =>
  page.waitForFunction((selector) => !document.querySelector(selector), { polling: 100 }, selector)

inBrowsers('a scenario is presented, and the focus comes back', async ({ open }) => {
  const page = await openWithKeys(open)
  await page.evaluate(() => document.querySelector<HTMLElement>('#pane-inspect')?.focus())
  await page.keyboard.press('p')
  await page.waitForSelector('.present .sq') // of the live messages
  await page.keyboard.press('Escape')
  await focused(page, '#pane-inspect')
  await tabTo(page, '.bar [data-command=lessons]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-present=eras]')
  await tabTo(page, '[data-present=eras]', 60)
  await page.keyboard.press('Enter')
  await focused(page, '.present')
  await page.keyboard.press('ArrowRight')
  await page.waitForSelector('.present-payload pre')
  await page.keyboard.press('j')
  await gone(page, '.present-payload')
  await page.keyboard.press('b')
  await page.waitForSelector('.present-blank')
  await page.keyboard.press('b')
  await gone(page, '.present-blank')
  await page.keyboard.press('Escape')
  await focused(page, '#pane-explore')
})

inBrowsers(
  'popovers and menus open, close by Escape, and give the focus back',
  async ({ open }) => {
    const page = await openWithKeys(open)
    const buttons = [
      '[popovertarget=looks]',
      '.explore-tools [popovertarget]',
      '.compose-tools .ghost[popovertarget]',
      '.compose-send [popovertarget]',
      '[popovertarget=tl-help]',
      '.tl-bar > .icon-button[popovertarget]',
    ]
    await tabTo(page, '.rail [role=tab]')
    await page.keyboard.press('ArrowDown')
    await page.waitForSelector('.explore-tools [popovertarget]')
    for (const button of buttons) {
      await page.evaluate(() => document.querySelector<HTMLElement>('.skip')?.focus())
      await tabTo(page, button, 150)
      await page.keyboard.press('Enter')
      await page.waitForSelector(':popover-open :is(button, input, select)')
      await page.keyboard.press('Tab')
      await page.waitForFunction(() => document.activeElement?.closest(':popover-open'), {
        polling: 100,
      })
      await page.keyboard.press('Escape')
      await gone(page, ':popover-open')
      await focused(page, button)
    }
  },
)

inBrowsers('Tab goes through the whole page and out of it: nothing traps it', async ({ open }) => {
  const page = await openWithKeys(open)
  await page.waitForSelector('.editor')
  await page.evaluate(() => {
    ;(document.activeElement as HTMLElement | null)?.blur()
    const order: string[] = []
    Object.assign(globalThis, { order })
    addEventListener('focusin', ({ target }) => {
      order.push((target as HTMLElement).closest('[data-pane], .bar')?.className ?? '')
    })
  })
  const skip = () => page.evaluate(() => document.activeElement?.matches('.skip:first-of-type'))
  let stops = 0
  for (; stops < 120; stops++) {
    await page.keyboard.press('Tab')
    const isOut = await page.evaluate(() => document.activeElement === document.body)
    if (stops > 5 && (isOut || (await skip()))) break
  }
  assert.ok(stops < 120, 'Tab never leaves the page')
  const panes = await page.evaluate(
    () => new Set((globalThis as unknown as { order: string[] }).order).size,
  )
  assert.ok(panes >= 2)
})
