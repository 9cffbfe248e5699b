/**
 * Tasks as an author of the specification and a tester do them, with the mouse: each has a most number of clicks.
 */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { editorThere, openPlayground, press, saw, sharePlayground } from './harness.ts'
import { chord } from './keys.ts'

const playground = sharePlayground()

/** A mouse that clicks what is visible, and counts. */
function mouseOn(page: Page) {
  const mouse = {
    clicks: 0,
    async click(selector: string, text = '', attribute?: string) {
      await page.waitForSelector(selector, { visible: true })
      await press(page, selector, text, attribute)
      mouse.clicks++
    },
  }
  return mouse
}

/** What would be copied or saved, as it comes. */
const catchShared = (page: Page) =>
  page.evaluate(() => {
    const { dataset } = document.documentElement
    const writeText = async (text: string) => {
      dataset.copied = text
    }
    Object.defineProperty(navigator, 'clipboard', { value: { writeText } })
    const make = URL.createObjectURL.bind(URL)
    URL.createObjectURL = (blob: Blob) => {
      blob.text().then((text) => {
        dataset.saved = text
      })
      return make(blob)
    }
    HTMLAnchorElement.prototype.click = () => {}
  })

const caught = async (page: Page, what: 'copied' | 'saved') => {
  await page.waitForSelector(`html[data-${what}]`)
  return page.$eval('html', (html, what) => html.dataset[what] ?? '', what)
}

/** The facts are of the playground, and not of a browser. */
const only = ['chromium'] as const

inBrowsers(
  'an author writes a message of an older revision, sees what is wrong, sends and shares it, and compares revisions',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    const mouse = mouseOn(page)
    await catchShared(page)
    const write = async (text: string) => {
      await chord(page, 'Control', 'a')
      await page.keyboard.sendCharacter(text) // at once: text that is not complete yet has a problem, too
    }
    await page.select('.bar select', '2025-11-25')
    await editorThere(page)
    await mouse.click('.editor')
    await write('{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":7}}')
    await saw(page, '.compose-problems', '1 problem')
    await mouse.click('.compose-problems')
    await page.waitForFunction(() =>
      document
        .querySelector('.editor')
        ?.shadowRoot?.textContent?.includes('params.uri should be string'),
    )
    await write(
      '{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"notes://today"}}',
    )
    await mouse.click('[data-command=send]')
    await saw(page, '[data-pane=inspect] .chip', 'valid')
    await mouse.click('.bar [data-command=share]')
    await mouse.click('[data-command=copy-link]:not(:disabled)')
    assert.match(await caught(page, 'copied'), /#v1\./)
    assert.ok(mouse.clicks <= 5, `${mouse.clicks} clicks`)

    await page.keyboard.press('Escape')
    await page.select('.bar select', '2026-07-28')
    await saw(page, '.compose-notes', 'became subscriptions/listen')
    await mouse.click('.compose-notes button', 'Compare revisions')
    await saw(page, '.compose-columns section:first-child mark', 'resources/subscribe')
    await saw(page, '.compose-columns section:last-child', 'became subscriptions/listen')
    await press(page, '.compose-columns button', 'Use 2025-11-25')
    await page.waitForFunction(
      () => document.querySelector<HTMLSelectElement>('.bar select')?.value === '2025-11-25',
    )
  },
  { only },
)

inBrowsers(
  'a tester checks a server and saves the report with three clicks',
  async ({ open }) => {
    const page = await open(`${playground.origin}/playground/check/index.html?lang=en`)
    const mouse = mouseOn(page)
    await catchShared(page)
    await mouse.click('[data-check=demo]')
    await page.waitForSelector('.check-counts .chip', { timeout: 90_000 }) // after a whole run
    await mouse.click('.check-counts button', 'JUnit')
    assert.match(
      await caught(page, 'saved'),
      /<testsuite name="MCP conformance of demo" tests="\d+" failures="0"/,
    )
    await page.setViewport({ width: 390, height: 800 })
    assert.ok(
      await page.evaluate(() => document.documentElement.scrollWidth <= 390),
      'wider than a phone',
    )
    assert.ok(mouse.clicks <= 3, `${mouse.clicks} clicks`)
  },
  { only },
)
