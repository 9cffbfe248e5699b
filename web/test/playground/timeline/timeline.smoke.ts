import assert from 'node:assert/strict'
import type { Frame } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { saw } from '../harness.ts'
import { listed, openHosted, shareHosted } from './host.ts'

const served = shareHosted()

const update = (uri: string) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })

const rowCount = (frame: Frame) =>
  frame.$eval('[role=grid]', (grid) => Number(grid.getAttribute('aria-rowcount')) - 1)

const waitForRows = (frame: Frame, count: number) =>
  frame.waitForFunction(
    (count) =>
      document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') === String(count + 1),
    {},
    count,
  )

const press = (frame: Frame, text: string) =>
  frame.$$eval(
    '.tl button, .in button',
    (buttons, text) =>
      buttons
        .find((one) => (one.getAttribute('aria-label') ?? one.textContent)?.startsWith(text))
        ?.click(),
    text,
  )

const write = (frame: Frame, filter: string) =>
  frame.$eval(
    '#tl-filter',
    (field, filter) => {
      ;(field as HTMLInputElement).value = filter
      field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    },
    filter,
  )

inBrowsers('the list shows what passes, oldest first, filters it and pauses', async ({ open }) => {
  const { page, frame } = await openHosted(open, served)
  await saw(frame, '.tl-row.tl-is-result', 'resources/templates/list') // the last row that comes by itself
  const [first, second] = await listed(frame)
  assert.equal(first, 'A  out | server/discover')
  assert.equal(second, 'A  in | server/discover | ok')

  // What is broken is shown as it came; an unanswered id gets no partner.
  await page.evaluate(() => server.say('{"jsonrpc":', '{"jsonrpc":"2.0","id":99,"result":{}}'))
  await saw(frame, '.tl-said', '{"jsonrpc":')

  await write(frame, 'kind:broken')
  await waitForRows(frame, 1)
  await saw(frame, '.tl-count', 'hidden by the filter')
  await write(frame, 'knd:broken')
  await saw(frame, '.tl-problem', 'knd is unknown')
  assert.equal(await frame.$eval('#tl-filter', (one) => one.getAttribute('aria-invalid')), 'true')
  await press(frame, 'Show all').catch(() => {})
  await write(frame, '')
  const all = await rowCount(frame)

  await press(frame, 'Pause')
  await page.evaluate((text) => server.say(text, text, text), update('a://'))
  await saw(frame, '.tl-pause', '+3')
  assert.equal(await rowCount(frame), all)
  await press(frame, 'Pause')
  await waitForRows(frame, all + 3) // nothing was lost
})

inBrowsers(
  'of many thousand rows only those in sight exist, and all are reached',
  async ({ open }) => {
    const { page, frame } = await openHosted(open, served)
    const before = await rowCount(frame)
    await page.evaluate(() => {
      const text = (n: number) =>
        `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"x://${n % 500}","n":${n}}}`
      server.say(...Array.from({ length: 20_000 }, (_, n) => text(n)))
    })
    await frame.waitForFunction(
      (most) => Number(document.querySelector('[role=grid]')?.getAttribute('aria-rowcount')) > most,
      {},
      before + 20_000,
    )
    assert.ok((await frame.$$('.tl-row[data-row]')).length < 60)
    await saw(frame, '.tl-target', 'x://499') // it follows

    // By keyboard to the beginning: it follows no longer.
    await frame.focus('.tl-row[tabindex="0"]')
    await page.keyboard.press('Home')
    await frame.waitForFunction(() => document.activeElement?.getAttribute('aria-rowindex') === '2')
    assert.equal(
      await frame.$eval('[aria-pressed]:nth-of-type(2)', (one) => one.getAttribute('aria-pressed')),
      'false',
    )
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await saw(frame, '.in-head', 'server/discover')
    await saw(frame, '.in-head', 'Response')

    // A row stays where it is when others are hidden around it.
    await write(frame, 'uri:*9')
    await frame.focus('#tl-filter')
    await frame.waitForFunction(
      () => document.querySelector('[role=grid]')?.getAttribute('aria-rowcount') === '2001',
    )
    await saw(frame, '.tl-target', 'x://9')
  },
)

/** Presses `g` and then another key, with no time between them. */
const sequence = (frame: Frame, key: string) =>
  frame.evaluate((second) => {
    for (const key of ['g', second])
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }))
  }, key)

inBrowsers('the sequence diagram shows the same messages', async ({ open }) => {
  const { page, frame } = await openHosted(open, served)
  await saw(frame, '.tl-row', 'resources/templates/list')
  await frame.focus('.tl-row[tabindex="0"]')
  await sequence(frame, 's')
  await frame.waitForSelector('.sq-message')
  assert.deepEqual(
    await frame.$$eval('.sq-head', (heads) => heads.map((head) => head.textContent)),
    ['Client A 2026-07-28', 'Host'],
  )
  const labels = await frame.$$eval('.sq-message', (all) =>
    all.map((one) => one.getAttribute('aria-label')),
  )
  assert.ok(labels.includes('Client A to Host: server/discover #1'), String(labels))
  await frame.$eval('.sq-message[tabindex="0"]', (one) => (one as SVGElement).focus())
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await saw(frame, '.in-head', 'Request')
  await frame.waitForSelector('.sq-message[aria-pressed="true"]')
})
