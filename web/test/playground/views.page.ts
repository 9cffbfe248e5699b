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
  'each request has a bar on the time axis, and completions stand back',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await press(page, '[role=tab]', 'Templates', 'aria-label')
    await press(page, 'summary', 'notes://{id}')
    await page.focus('.form-item details[open] input')
    await saw(page, '.tl-row.tl-aside', 'completion/complete')
    const bars = await page.$$eval('.tl-is-request .tl-axis i', (all) =>
      all.map((one) => [one.getBoundingClientRect().width, one.classList.contains('open')]),
    )
    assert.ok(bars.length > 2 && bars.every(([width]) => Number(width) >= 3), String(bars))
    const outside = await page.$$eval('.tl-axis i', (all) =>
      all.filter((one) => {
        const [own, cell] = [one, one.parentElement as Element].map((it) =>
          it.getBoundingClientRect(),
        ) as [DOMRect, DOMRect]
        return own.left < cell.left - 1 || own.right > cell.right + 1
      }),
    )
    assert.deepEqual(outside, [], 'a bar that is not on the axis')
    const [ink, request, response] = await page.$$eval(
      'body, .tl-is-request .tl-method, .tl-is-result .tl-method',
      (all) => all.map((one) => getComputedStyle(one).color),
    )
    assert.ok(response === ink && request !== ink, 'the response is the stronger one')
  },
  { only },
)

inBrowsers(
  'a subscription belongs to one of two clients of a server',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await command(page, 'connections.another')
    await page.waitForFunction(
      () => document.querySelectorAll('.clients .connection-state[data-is=open]').length === 2,
    )
    await press(page, '[role=tab]', 'Resources', 'aria-label')
    await press(page, '.thing [role=switch]', 'notes://today', 'aria-label')
    await page.waitForSelector('.thing [role=switch][aria-checked=true]')
    await press(page, '[role=tab]', 'Demo data', 'aria-label')
    await page.waitForSelector('#note-today')
    await page.type('#note-today', ', tea')
    await saw(page, '.tl-row', 'notifications/resources/updated')
    const updates = (await rows(page)).filter((row) => row.includes('resources/updated'))
    assert.ok(updates.length > 0 && updates.every((row) => /B\s*in/.test(row)), String(updates))
    await press(page, '.clients button', 'A')
    await press(page, '[role=tab]', 'Resources', 'aria-label')
    await page.waitForFunction(
      () =>
        document.querySelector('.thing [role=switch][aria-checked=false]') &&
        !document.querySelector('.thing [role=switch][aria-checked=true]'),
    )

    // Three clients and six messages have no room: menus have all of them, and the active one stays in view.
    await command(page, 'connections.another')
    await page.waitForFunction(() => document.querySelectorAll('.clients .letter').length === 3)
    for (let count = 2; count <= 6; count++) {
      await page.click('.compose-tabs > .icon-button:last-child')
      await page.waitForFunction(
        (wanted) => document.querySelectorAll('.compose-tabs li').length === wanted,
        {},
        count,
      )
    }
    for (const width of [1400, 1024, 390]) {
      await page.setViewport({ width, height: 800 })
      if (width === 390) await press(page, '.switcher button', 'Compose')
      for (const [strip, active] of [
        ['.clients', '[aria-pressed=true]'],
        ['.compose-tabs', '[aria-current=true]'],
      ] as const) {
        await page.waitForFunction(
          (strip, active) => {
            const box = document.querySelector(`${strip} > .strip`)?.getBoundingClientRect()
            const shown = document
              .querySelector(`${strip} > .strip ${active}`)
              ?.getBoundingClientRect()
            const more = document.querySelectorAll(`${strip} > .icon-button`)
            const isInside = [...more].every(
              (one) => one.getBoundingClientRect().right <= innerWidth,
            )
            return (
              box && shown && isInside && shown.left >= box.left - 1 && shown.right <= box.right + 1
            )
          },
          {},
          strip,
          active,
        )
      }
    }
    await page.click('.compose-tabs > [popovertarget]')
    await page.waitForSelector('.compose-tabs .menu li')
    await page.click('.compose-tabs .menu li:first-child button')
    await page.waitForSelector('.strip li:first-child [aria-current=true]')
    await page.click('.clients > [popovertarget]')
    await page.waitForSelector('.clients .menu li')
    await page.click('.clients .menu li:nth-child(2) button')
    await saw(page, '.clients [aria-pressed=true]', 'B')
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
    await saw(page, 'dialog .keys', 'Filter the timeline')
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
