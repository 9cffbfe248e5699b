/** Lessons, and presentations as people use them, by keyboard. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, press, sharePlayground } from '../harness.ts'
import { chord } from '../keys.ts'

const playground = sharePlayground()

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, selector: string) {
  for (let i = 0; i < 80; i++) {
    const there = await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)
    if (there) return
    await page.keyboard.press('Tab')
  }
  assert.fail(`Tab does not lead to ${selector}`)
}

/** Waits until the coach shows a step of the lesson, counted from 1. */
async function step(page: Page, number: number) {
  await page.waitForFunction(
    (wanted) => document.querySelector('.coach header')?.textContent?.includes(`Step ${wanted} `),
    {},
    number,
  )
}

/** What the coach says. */
const coach = (page: Page) => page.$eval('.coach', (it) => it.textContent ?? '')

/** Waits until the editor has the focus, and what is written in it holds a text. */
async function writing(page: Page, text: string) {
  await page.waitForFunction(
    (wanted) => {
      const root = document.activeElement?.shadowRoot
      return root?.activeElement?.textContent?.includes(wanted)
    },
    {},
    text,
  )
}

/** Changes the end of the string that ends a line of the draft, counted from 0. */
async function edit(page: Page, line: number, erase: number, text: string) {
  await chord(page, 'Control', 'Home')
  for (let i = 0; i < line; i++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('End')
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowLeft') // before the quote and the comma
  for (let i = 0; i < erase; i++) await page.keyboard.press('Backspace')
  await page.keyboard.type(text)
}

async function send(page: Page) {
  await chord(page, 'Control', 'Enter')
}

const method = 3 // the draft's line

/** Does the first steps of the lesson. */
async function begin(page: Page) {
  // A text and the task that follows it are shown together.
  await step(page, 2)
  assert.match(await coach(page), /A server offers data.*Press Send/s)
  await writing(page, 'server/discover')
  await send(page)
  await step(page, 4)
  assert.match(await coach(page), /Correct\. The response has its name.*Next, the list/s)
  await writing(page, '"resources/"')
}

inBrowsers('a lesson is done by keyboard alone, and stays done', async ({ open }) => {
  const page = await openPlayground(open, playground)
  await tabTo(page, '[data-command=lessons]')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[data-lesson=hello]')
  await page.evaluate(() => (document.activeElement as HTMLElement).blur())
  await tabTo(page, '[data-lesson=hello]')
  await page.keyboard.press('Enter')

  await begin(page)
  await send(page)
  await page.waitForFunction(() => document.querySelector('.coach-hint code'))
  assert.match(await coach(page), /The method should be "resources\/list"/)
  await edit(page, method, 0, 'list')
  await send(page)
  await step(page, 5)
  assert.match(await coach(page), /Correct\..*Two resources/s)
  await page.reload()
  await page.waitForSelector('html[data-ready]')
  await press(page, '[data-command=lessons]', '')
  await page.waitForSelector('[data-lesson=hello] .chip')
  const said = await page.$eval('.lessons', (it) => it.textContent ?? '')
  assert.match(said, /1 of 12 completed/)
})

inBrowsers(
  'a key that is pressed while a step is played shows the next step after it',
  async ({ open }) => {
    const page = await open(`${playground.url}?quiet&lang=en&present=eras`)
    await page.waitForFunction(
      () =>
        document.querySelector('.present-step')?.textContent?.startsWith('Step 1 ') &&
        !document.querySelector('.present header .primary:disabled'),
    )
    await page.evaluate(() => {
      const press = () =>
        document.body.dispatchEvent(
          new KeyboardEvent('keydown', { key: 'ArrowRight', code: 'ArrowRight', bubbles: true }),
        )
      for (let presses = 0; presses < 2; presses++) press() // the first begins to play step 2
    })
    await page.waitForFunction(() =>
      document.querySelector('.present-step')?.textContent?.startsWith('Step 3 '),
    )
  },
)

inBrowsers(
  'a lesson is in the address, goes on after a reload, and leaves no draft',
  async ({ open }) => {
    const page = await open(`${playground.url}?quiet&lang=en&lesson=hello`)
    await begin(page)
    await page.reload()
    await step(page, 4)
    await writing(page, '"resources/"')
    assert.match(await page.evaluate(() => location.search), /lesson=hello/)
    await press(page, '.coach header button', 'Leave')
    await page.waitForFunction(() => !document.querySelector('.coach'))
    await page.waitForFunction(() => {
      const content = document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')
      return content?.textContent?.includes('"resources/list"') // what the user had before
    })
    assert.equal(await page.evaluate(() => location.search), '?quiet=&lang=en')
    await page.waitForSelector('[data-present=eras]')
    await page.$eval('[data-present=eras]', (it) => (it as HTMLElement).click())
    await page.waitForFunction(() => location.search.endsWith('present=eras'))
    await page.waitForSelector('.present-step') // it listens for keys from now on
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => !location.search.includes('present'))
  },
)
