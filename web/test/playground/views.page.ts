/** Views and settings that are no other test's subject, in one browser: they do not depend on it. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { openPlayground, press, rows, saw, sharePlayground } from './harness.ts'

const playground = sharePlayground()

const only = ['chromium'] as const

/** Runs a command of the palette. */
async function command(page: Page, id: string): Promise<void> {
  await press(page, '.bar button', 'palette', 'data-command')
  await page.waitForSelector('dialog [role=option]')
  await page.$eval(`[data-command="${id}"]`, (one) => (one as HTMLElement).click())
}

inBrowsers(
  'a subscription belongs to one of two clients of a server',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await command(page, 'connections.another')
    await page.waitForFunction(
      () => document.querySelectorAll('.clients .connection-state[data-is=open]').length === 2,
    )
    await press(page, '.rail [role=tab]', 'Resources')
    await press(page, '.list-row [role=switch]', 'notes://today', 'aria-label')
    await page.waitForSelector('.list-row [role=switch][aria-checked=true]')
    await press(page, '.rail [role=tab]', 'Demo data')
    await page.waitForSelector('#note-today')
    await page.type('#note-today', ', tea')
    await saw(page, '.tl-row', 'notifications/resources/updated')
    const updates = (await rows(page)).filter((row) => row.includes('resources/updated'))
    assert.ok(updates.length > 0 && updates.every((row) => /B\s*in/.test(row)), String(updates))
    await press(page, '.clients button', 'A')
    await press(page, '.rail [role=tab]', 'Resources')
    await page.waitForFunction(
      () =>
        document.querySelector('.list-row [role=switch][aria-checked=false]') &&
        !document.querySelector('.list-row [role=switch][aria-checked=true]'),
    )
  },
  { only },
)

inBrowsers(
  'theme and single-letter keys are settings, which stay, and the keys are listed',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'light' }])
    const light = await paper()
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
    const dark = await paper()
    assert.notEqual(dark, light, 'the theme is that of the system')
    await command(page, 'shell.theme.light')
    assert.equal(await paper(), light)
    await saw(page, '.tl-row', 'tools/list')
    await page.keyboard.press('?')
    await saw(page, 'dialog.keys', 'Filter the timeline')
    await press(page, 'dialog label', 'Single letters')
    await page.keyboard.press('Escape')
    await page.reload()
    await page.waitForSelector('html[data-ready]')
    assert.equal(await paper(), light)
    await saw(page, '.tl-row', 'tools/list')
    await page.keyboard.press('?')
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)))
    assert.equal(await page.$('dialog'), null)
  },
  { only },
)

inBrowsers(
  'a phone shows one pane at a time: first the stage, a badge counts messages, and Send shows the answer',
  async ({ open }) => {
    const page = await open('about:blank')
    await page.setViewport({ width: 390, height: 844 })
    await page.goto(`${playground.url}?lang=en&quiet`)
    await page.waitForSelector('html[data-ready]')
    await page.waitForSelector('.stage-page')
    const visible = () =>
      page.$$eval('.pane', (all) =>
        all.flatMap((pane) => (pane.checkVisibility() ? [(pane as HTMLElement).dataset.pane] : [])),
      )
    assert.deepEqual(await visible(), ['explore'])
    await page.waitForSelector('.switcher-count')
    await press(page, '.switcher button', 'Compose')
    await press(page, '[data-command=send]', 'Send')
    await saw(page, '[data-pane=inspect] .in-head', 'resources/list')
    assert.deepEqual(await visible(), ['inspect'])
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth))
  },
  { only },
)
