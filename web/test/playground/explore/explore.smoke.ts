/** Explore: reading, watching, filling in templates, and turning the knobs of the world. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, press, saw, sharePlayground } from '../harness.ts'
import { openHosted, serveHosted } from '../timeline/host.ts'

const playground = sharePlayground()

const shown = (page: Page, text: string) => saw(page, '[data-pane=inspect]', text)
const said = (page: Page, text: string) => saw(page, '[data-pane=timeline]', text)

inBrowsers(
  'what is read is shown, and what is watched says that it has changed',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await press(page, '.rail [role=tab]', 'Resources')
    await press(page, '.row-open', 'notes://today')
    await shown(page, 'milk, apples')
    await press(page, '.list-row [role=switch]', 'notes://today', 'aria-label')
    await page.waitForSelector('.list-row [role=switch][aria-checked=true]')
    await press(page, '.rail [role=tab]', 'Demo data')
    await page.waitForSelector('#note-today')
    await page.$eval('#note-today', (field) => {
      ;(field as HTMLTextAreaElement).value = 'bread, tea'
      field.dispatchEvent(new Event('change', { bubbles: true }))
    })
    await said(page, 'notifications/resources/updated')
    await press(page, '.rail [role=tab]', 'Resources')
    await saw(page, '.list-row[data-watched=true]', '1 update')
    await press(page, '.row-open', 'notes://today')
    await shown(page, 'bread, tea')
  },
)

inBrowsers('a template says what it needs, completes it, and is read', async ({ open }) => {
  const page = await openPlayground(open, playground)
  await press(page, '.rail [role=tab]', 'Templates')
  await press(page, 'summary', 'notes://{id}')
  await saw(page, '.form-item', 'still needed: id')
  const field = '.form-item details[open] input'
  await page.focus(field)
  await page.waitForFunction(
    (selector) =>
      [...(document.querySelector<HTMLInputElement>(selector)?.list?.options ?? [])].some(
        ({ value }) => value === 'trip',
      ),
    {},
    field,
  )
  await page.type(field, 'trip')
  await press(page, '.form-item details[open] button', 'Read')
  await shown(page, 'Tram at 9:40')
})

inBrowsers(
  'of ten thousand resources only those near the view are drawn, and all are reached',
  async ({ open }) => {
    const hosted = await serveHosted()
    try {
      const { frame } = await openHosted(open, hosted, '?many')
      await press(frame, '.rail [role=tab]', 'Resources')
      await saw(frame, '.list-row', 'Note 20')
      const few = async () => {
        const [rows, elements] = await frame.evaluate(() =>
          ['.list-row', '*'].map((what) => document.querySelectorAll(what).length),
        )
        assert.ok(
          Number(rows) <= 150 && Number(elements) <= 2500,
          `${rows} rows, ${elements} elements`,
        )
      }
      const toTheEnd = async () => {
        await frame.$eval('#explore-view', (view) => view.scrollTo(0, view.scrollHeight))
        await saw(frame, '.list-row', '10004')
      }
      await few()
      await toTheEnd()
      await few()
      await press(frame, '.row-open', 'Note 10004')
      await saw(frame, '[data-pane=inspect]', 'milk, bread')
    } finally {
      await hosted.close()
    }
  },
)
