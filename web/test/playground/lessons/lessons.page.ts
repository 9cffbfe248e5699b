/** Lessons, and presentations as people use them, by keyboard. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, press, saw, sharePlayground } from '../harness.ts'

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

/** Presses Enter when the way on has the focus, which it takes by itself. */
async function goOn(page: Page) {
  await page.waitForFunction(() => document.activeElement?.matches('.coach .primary'))
  await page.keyboard.press('Enter')
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
  await page.keyboard.down('Control')
  await page.keyboard.press('Home')
  await page.keyboard.up('Control')
  for (let i = 0; i < line; i++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('End')
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowLeft') // before the quote and the comma
  for (let i = 0; i < erase; i++) await page.keyboard.press('Backspace')
  await page.keyboard.type(text)
}

async function send(page: Page) {
  await page.keyboard.down('Control')
  await page.keyboard.press('Enter')
  await page.keyboard.up('Control')
}

const method = 3 // the draft's line
const uri = 5

inBrowsers(
  'the first three lessons are done by keyboard alone, and stay done',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await tabTo(page, '[data-command=lessons]')
    await page.keyboard.press('Enter')
    await page.waitForSelector('[data-lesson=hello]')
    await page.evaluate(() => (document.activeElement as HTMLElement).blur())
    await tabTo(page, '[data-lesson=hello]')
    await page.keyboard.press('Enter')

    // A text and the task that follows it are shown together.
    await step(page, 2)
    assert.match(await coach(page), /A server offers data.*Press Send/s)
    await writing(page, 'server/discover')
    await send(page)
    await step(page, 4)
    assert.match(await coach(page), /Correct\. The response has its name.*Now request/s)
    await writing(page, '"resources/"')
    await send(page)
    await page.waitForFunction(() => document.querySelector('.coach-hint code'))
    assert.match(await coach(page), /The method should be "resources\/list"/)
    await edit(page, method, 0, 'list')
    await send(page)
    await step(page, 5)
    assert.match(await coach(page), /Correct\..*Two resources/s)
    await goOn(page) // the next lesson

    await step(page, 2)
    await writing(page, 'notes://')
    await edit(page, uri, 0, 'today')
    await send(page)
    await step(page, 3)
    await writing(page, 'notes://today')
    await edit(page, uri, 'notes://today'.length, 'media://dot.png')
    await send(page)
    await step(page, 4)
    await goOn(page)

    await step(page, 2)
    await writing(page, 'resources/list')
    await edit(page, method, 'list'.length, 'templates/list')
    await send(page)
    await step(page, 3)
    await writing(page, '{month}')
    await edit(page, uri, 'diary://{year}/{month}'.length, 'diary://2026/11')
    await send(page)
    await step(page, 4)
    await writing(page, 'find?q=')
    await edit(page, uri, 0, 'red%20wine')
    await send(page)
    await step(page, 5)

    await page.reload()
    await page.waitForSelector('html[data-ready]')
    await press(page, '[data-command=lessons]', '')
    await page.waitForSelector('[data-lesson=hello] .chip')
    const said = await page.$eval('.lessons', (it) => it.textContent ?? '')
    assert.match(said, /3 of 12 completed/)
  },
  { timeout: 240_000 }, // three lessons, key by key
)

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
  'a presentation shows payloads with marks, and no lifeline in a text',
  async ({ open }) => {
    const page = await open(`${playground.url}?quiet&lang=en&present=eras`)
    await page.setViewport({ width: 1000, height: 700 })
    for (let step = 1; step <= 5; step++) {
      await page.waitForFunction(
        (wanted) =>
          document.querySelector('.present-step')?.textContent?.startsWith(`Step ${wanted} `) &&
          !document.querySelector('.present header .primary:disabled'),
        {},
        step,
      )
      if (step < 5) await page.keyboard.press('ArrowRight')
    }
    await page.waitForSelector('.present-payload mark')
    const marks = await page.$$eval('.present-payload mark', (all) =>
      all.map((one) => one.textContent ?? ''),
    )
    assert.match(marks.join(), /subscriptionId": 2/)

    const heads = await page.$$eval('.sq-head small', (all) =>
      all.map((one) => one.textContent.trim()),
    )
    assert.deepEqual(heads, ['2025-11-25', '2026-07-28'])
    const crossed = await page.evaluate(() => {
      const wrong: string[] = []
      const lives = [...document.querySelectorAll('.sq-life')].map((one) =>
        one.getBoundingClientRect(),
      )
      for (const message of document.querySelectorAll('.sq-message')) {
        const text = message.querySelector('text')?.getBoundingClientRect()
        const hit = message.querySelector('.sq-hit')?.getBoundingClientRect()
        const under = message.querySelector('.sq-under')?.getBoundingClientRect()
        if (!text || !hit || !under) return ['a message without text or background']
        const inside = (a: DOMRect, b: DOMRect) => a.left >= b.left - 1 && a.right <= b.right + 1
        const label = message.querySelector('text')?.textContent ?? ''
        if (!inside(text, hit)) wrong.push(`${label} is wider than its arrow`)
        const behind = lives.some(({ left }) => left > text.left && left < text.right)
        if (behind && !inside(text, under)) wrong.push(`a lifeline runs through ${label}`)
      }
      return wrong
    })
    assert.deepEqual(crossed, [])
    const cut = await page.$$eval('.sq-message:has(.sq-dots)', (all) =>
      all.map((one) => [one.ariaLabel ?? '', one.querySelector('text')?.textContent ?? '-']),
    )
    assert.ok(cut.length > 0 && cut.every(([name = '', text = '']) => name.includes(text)))
    const texts = await page.$$eval('.sq-message text', (all) => all.map((one) => one.textContent))
    const updated = texts.filter((text) => text?.endsWith('/updated notes://today'))
    assert.equal(updated.length, 2, `the caption speaks of two: ${texts.join(', ')}`)
    await page.setViewport({ width: 1024, height: 768 })
    const inOneRow = async () => {
      const tops = await page.$$eval('.present > header button', (all) =>
        all.map((one) => one.getBoundingClientRect().top),
      )
      assert.equal(new Set(tops).size, 1, 'the controls take two rows')
    }
    await inOneRow()
    await page.keyboard.press('j')
    await page.waitForFunction(() => !document.querySelector('.present-payload'))

    const german = new URL(page.url()) // its words are the longest
    german.searchParams.set('lang', 'de')
    await page.goto(german.href)
    await saw(page, '.present > header button', 'Verlassen')
    await inOneRow()
  },
)

inBrowsers(
  'a lesson is in the address, goes on after a reload, and leaves no draft',
  async ({ open }) => {
    const page = await open(`${playground.url}?quiet&lang=en&lesson=hello`)
    // A text and the task that follows it are shown together.
    await step(page, 2)
    assert.match(await coach(page), /A server offers data.*Press Send/s)
    await writing(page, 'server/discover')
    await send(page)
    await step(page, 4)
    assert.match(await coach(page), /Correct\. The response has its name.*Now request/s)
    await writing(page, '"resources/"')
    await page.reload()
    await step(page, 4)
    await writing(page, '"resources/"')
    const tabs = () => page.$$eval('.compose-tabs [aria-current]', (all) => all.length)
    assert.equal(await tabs(), 2, 'the first, and that of the lesson')
    assert.match(await page.evaluate(() => location.search), /lesson=hello/)
    await press(page, '.coach header button', 'Leave')
    await page.waitForFunction(() => !document.querySelector('.coach'))
    assert.equal(await tabs(), 1)
    assert.equal(await page.evaluate(() => location.search), '?quiet=&lang=en')
    await page.waitForSelector('[data-present=eras]')
    await page.$eval('[data-present=eras]', (it) => (it as HTMLElement).click())
    await page.waitForFunction(() => location.search.endsWith('present=eras'))
    await page.waitForSelector('.present-step') // it listens for keys from now on
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => !location.search.includes('present'))
  },
)

inBrowsers(
  'live messages are presented by a button of the diagram, and by a link',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await page.click('[data-pane=timeline] [data-show=sequence]')
    await page.waitForSelector('.sq-files [data-present=live]')
    await page.$eval('.sq-files [data-present=live]', (button) => (button as HTMLElement).click())
    await saw(page, '.present-diagram', 'server/discover')
    await page.keyboard.press('Escape')
    await page.waitForSelector('.bar')
    await page.keyboard.press('p') // after that, the choice is shown again
    await page.waitForSelector('.present-choice')

    const linked = await open(`${playground.url}?quiet&lang=en&present=live`)
    await saw(linked, '.present-diagram', 'server/discover')
  },
  { only: ['chromium'] },
)
