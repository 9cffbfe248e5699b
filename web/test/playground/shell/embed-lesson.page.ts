/** `<mcp-playground scenario>`: lessons in another page. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Frame, Page } from 'puppeteer-core'
import { inBrowsers, shareTab } from '../../harness/browsers.ts'
import { kept } from '../../harness/serve.ts'
import { type Playground, press, saw, servePlayground } from '../harness.ts'

const host = (attributes: string) => `<!doctype html><title>host</title>
<script type="module" src="/playground/element.js"></script>
<mcp-playground ${attributes}></mcp-playground>`

let playground: Playground

before(async () => {
  const files = {
    '/lesson.html': host('scenario="subscribe" language="de" theme="dark" height="500"'),
  }
  playground = await servePlayground(files, kept)
})
after(() => playground?.close())
shareTab(() => playground.origin)

async function framed(page: Page, part: string): Promise<Frame> {
  return page.waitForFrame((one) => one.url().includes(part))
}

inBrowsers('a lesson is embedded by an attribute, and keeps nothing', async ({ open }) => {
  const page = await open(`${playground.origin}/lesson.html`)
  const frame = await framed(page, 'embed-scenario.html')
  await frame.waitForSelector('.coach')
  await frame.waitForFunction(() =>
    document.querySelector('.coach')?.textContent?.includes('Abonnieren'),
  )
  assert.equal(await page.$eval('mcp-playground', (it) => it.getBoundingClientRect().height), 500)
  await frame.waitForSelector('.compose :is(.editor, .draft):not([hidden])')
  await frame.evaluate(async () => {
    for (let paint = 0; paint < 2; paint++) await new Promise(requestAnimationFrame) // it is focused after one
  })
  const focused = () => page.evaluate(() => document.activeElement?.localName)
  assert.equal(await focused(), 'body', 'the lesson has taken the focus of the page around it')
  assert.equal(await frame.$eval('html', (it) => it.dataset.theme), 'dark')
  await press(frame as unknown as Page, '.coach button', 'Lösung')
  await frame.waitForFunction(() =>
    document
      .querySelector('.compose-tabs [aria-current=true]')
      ?.textContent?.includes('Abonnieren'),
  )
  await press(frame, '[data-command=send]', '')
  await frame.waitForFunction(() =>
    document.querySelector('.coach')?.textContent?.includes('3 von 6'),
  )
  assert.equal(await frame.evaluate(() => localStorage.length), 0)

  // A phone shows one pane at a time, and the step of the lesson above it.
  await page.setViewport({ width: 390, height: 844 })
  const shown = () =>
    frame.$$eval('.coach, .compose, [data-pane="inspect"]', (all) =>
      all.filter((one) => one.checkVisibility()).map((one) => one.classList[0]),
    )
  await frame.waitForSelector('.switcher', { visible: true })
  for (const [pane, expected] of [
    [2, ['coach', 'pane']],
    [1, ['coach', 'compose']],
  ] as const) {
    await frame.$$eval('.switcher button', (all, pane) => all[pane]?.click(), pane)
    await frame.waitForSelector(`.switcher button:nth-of-type(${pane + 1})[aria-current=true]`)
    assert.deepEqual(await shown(), expected)
  }
  // The client sends only what the lesson says: Explore does not wait for a response.
  await frame.$$eval('.switcher button', (all) => all[0]?.click())
  await saw(frame, '#explore-view', 'Noch nicht angefordert')
  // The demo's page and data are not those of the lesson's server.
  assert.equal(await frame.$('#explore-stage, #explore-demo'), null)
  assert.deepEqual(await frame.evaluate(() => indexedDB.databases()), [])
})
