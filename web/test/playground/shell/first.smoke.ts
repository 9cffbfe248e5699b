/** The first ten seconds: something answers, something changes, and nothing had to be clicked. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, type Playground, press, rows, servePlayground } from '../harness.ts'

let playground: Playground
before(async () => {
  playground = await servePlayground()
})
after(() => playground?.close())

inBrowsers(
  'the server answers, and the page changes, before anything is clicked',
  async ({ open }) => {
    const page = await openPlayground(open, playground, '?lang=en')
    await page.waitForFunction(() =>
      [...document.querySelectorAll('[data-pane=timeline] [role=row]')].some((row) =>
        row.textContent?.includes('notifications/resources/updated'),
      ),
    )
    await page.waitForSelector('.hint')
    const seen = await rows(page)
    const at = (text: string) => seen.findIndex((row) => row.includes(text))
    assert.ok(
      at('note today') < at('notifications/resources/updated'),
      'what happened stands before its effect',
    )
    const isOpen = () => page.$eval('[data-pane=compose]', (pane) => pane.checkVisibility())
    assert.equal(await isOpen(), false, 'the stage and the log come first')
    await press(page, '#pane-timeline [role=row]', 'resources/read')
    await page.waitForSelector('[data-bench=open]')
    // What the line asks for: the composer has the read already.
    await press(page, '[data-command=send]', '')
    await page.waitForFunction(() => {
      const shown = document.querySelector('[data-pane=inspect]')?.textContent ?? ''
      // The note changes every few seconds, and always has two of these or more.
      const goods = shown.match(/milk|apples|bread|olives|lemons|tea|a map|candles/g) ?? []
      return shown.includes('resources/read') && goods.length > 1
    })
    await page.waitForFunction(() => document.querySelector('.hint') === null)
  },
  { moving: true },
)

inBrowsers('what is sent before the engine is there waits for it', async ({ context }) => {
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  await page.setRequestInterception(true)
  const held: (() => void)[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('engine.wasm')) held.push(() => request.continue())
    else request.continue()
  })
  await page.goto(`${playground.url}?quiet&lang=en`, { waitUntil: 'domcontentloaded' })
  await page.waitForSelector('[data-command=send]')
  await press(page, '[data-command=send]', '')
  await page.waitForFunction(() =>
    [...document.querySelectorAll('[data-pane=timeline] [role=row]')].some((row) =>
      row.textContent?.includes('resources/list'),
    ),
  )
  assert.equal(await page.$('html[data-ready]'), null, 'nobody has answered yet')
  for (const release of held.splice(0)) release()
  page.on('request', () => {
    for (const release of held.splice(0)) release()
  })
  await page.waitForSelector('html[data-ready]')
  await page.waitForFunction(() =>
    document.querySelector('[data-pane=inspect]')?.textContent?.includes('notes://today'),
  )
})
