/** The main ways, by keyboard alone: from the first Tab to what was wanted. */

import assert from 'node:assert/strict'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, saw, sharePlayground } from '../harness.ts'
import { chord, tabTo } from '../keys.ts'

const playground = sharePlayground()

inBrowsers('a request is written, sent and looked at', async ({ open }) => {
  const page = await openPlayground(open, playground)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab') // the second skip link
  assert.match(await page.evaluate(() => document.activeElement?.textContent ?? ''), /Compose/)
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'pane-compose')
  await tabTo(page, '.compose-text, .compose-text *')
  await chord(page, 'Control', 'a')
  await page.keyboard.type('{"jsonrpc":"2.0","id":77,"method":"no/such/method"}')
  await chord(page, 'Control', 'Enter')
  await saw(page, '[data-pane=timeline] [role=row]', 'no/such/method')
  await saw(page, '[data-pane=inspect]', 'params._meta is missing')
  await page.keyboard.press('F6')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'pane-inspect')
  await page.setViewport({ width: 390, height: 844 }) // one pane at a time
  await page.keyboard.press('F6')
  assert.equal(await page.evaluate(() => document.activeElement?.id), 'pane-timeline')
})

inBrowsers('a resource is found, read and watched', async ({ open }) => {
  const page = await openPlayground(open, playground)
  await page.waitForSelector('.rail [role=tab]')
  await tabTo(page, '.rail [role=tab]')
  await page.keyboard.press('ArrowDown') // from the stage to the resources
  await page.waitForSelector('.row-open')
  await tabTo(page, '.explore-tools input')
  await page.keyboard.type('notes://ideas')
  await page.waitForFunction(() => document.querySelectorAll('.list-row').length === 1)
  await tabTo(page, '.row-open')
  await page.keyboard.press('Enter')
  await saw(page, '[data-pane=inspect]', 'still missing')
  await page.evaluate(() => document.querySelector<HTMLElement>('.row-open')?.focus())
  await tabTo(page, '.list-row [role=switch]', 3)
  await page.keyboard.press(' ')
  await page.waitForSelector('.list-row [role=switch][aria-checked=true]')
})

inBrowsers(
  'the timeline is filtered and walked through, and the palette finds the rest',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await saw(page, '[data-pane=timeline]', 'tools/list')
    await page.keyboard.press('/')
    await page.waitForFunction(() => document.activeElement?.matches('[data-pane=timeline] input'))
    await page.keyboard.type('method:tools/*')
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll('[data-pane=timeline] [role=row] ')]
      const methods = rows.map((row) => row.textContent ?? '')
      return (
        methods.some((one) => one.includes('tools/list')) &&
        !methods.some((one) => one.includes('server/discover'))
      )
    })
    await tabTo(page, '[data-pane=timeline] [role=row], [data-pane=timeline] [role=gridcell]', 12)
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await saw(page, '[data-pane=inspect]', 'write_note')
    await chord(page, 'Control', 'k')
    await page.waitForSelector('dialog[open] [role=option]')
    await page.keyboard.type('sequence')
    await page.waitForFunction(() => document.querySelectorAll('dialog [role=option]').length <= 2)
    await page.keyboard.press('Enter')
    await page.waitForSelector(
      '[data-pane=timeline] [data-show=sequence][aria-pressed=true], [data-pane=timeline] [data-show=sequence][aria-selected=true]',
    )
    assert.equal(await page.$('dialog[open]'), null)
  },
)
