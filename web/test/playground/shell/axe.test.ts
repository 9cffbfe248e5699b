/**
 * axe-core finds nothing on any pane, in either theme and in all languages. It sees only part of what
 * matters: keyboard.test.ts goes the main ways without a mouse.
 */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { axe, violations } from '../../harness/axe.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { untilStill } from '../../harness/waits.ts'
import { openPlayground, type Playground, servePlayground } from '../harness.ts'

let playground: Playground
before(async () => {
  playground = await servePlayground()
})
after(() => playground?.close())

/** What depends on the theme. All else is the same in both, and looked at in one. */
const ofColours = ['color-contrast', 'link-in-text-block']

/** Views that are looked at: where they are, and how each is reached from the one before. */
type View = readonly [name: string, part: string, reach: (page: Page) => Promise<unknown>]

/** Runs a command of the palette. */
async function command(page: Page, id: string): Promise<void> {
  await page.keyboard.press('Escape')
  await page.waitForFunction(() => document.querySelector('dialog') === null)
  await page.click('.bar [data-command=palette]')
  await page.waitForSelector('dialog [role=option]')
  await page.$eval(`[data-command="${id}"]`, (one) => (one as HTMLElement).click())
}

const views: readonly View[] = [
  [
    'stage',
    'html',
    async (page) => {
      await (await page.waitForSelector('#explore-stage'))?.click()
      await page.waitForSelector('.stage-page')
    },
  ],
  [
    'resources, a read, the list',
    'html',
    async (page) => {
      await page.click('#explore-resources')
      await page.waitForSelector('.thing-read')
      await page.click('.thing-read')
      await page.waitForSelector('[data-pane=inspect] [data-view]')
    },
  ],
  ...(['templates', 'prompts', 'tools', 'subscriptions', 'demo'] as const).map(
    (tab): View => [
      tab,
      '#pane-explore',
      async (page) => {
        await page.click(`#explore-${tab}`)
        await page.waitForSelector('#explore-view > *:not(.loading)')
        await page.$$eval('#explore-view details', (all) => {
          for (const one of all) one.open = true
        })
        // What axe measures and what is asked about it afterwards must be of one layout.
        await untilStill(page, '#explore-view')
      },
    ],
  ),
  ...(['json', 'raw', 'diff', 'preview'] as const).map(
    (view): View => [
      `inspect: ${view}`,
      '#pane-inspect',
      (page) => page.click(`[data-pane=inspect] [data-show=${view}]`),
    ],
  ),
  ...(['sequence', 'wire', 'list'] as const).map(
    (view): View => [
      `timeline: ${view}`,
      '#pane-timeline',
      (page) => page.click(`[data-pane=timeline] [data-show=${view}]`),
    ],
  ),
  [
    'the form of the composer',
    '#pane-compose',
    (page) => page.click('[data-pane=compose] [data-show=form]'),
  ],
  ...(['palette', 'share', 'connect'] as const).map(
    (id): View => [
      `dialog: ${id}`,
      'dialog',
      async (page) => {
        if (await page.$('dialog[open]')) await page.keyboard.press('Escape')
        await page.waitForFunction(() => document.querySelector('dialog') === null)
        await page.click(`.bar [data-command=${id}]`)
        await page.waitForSelector('dialog[open] > *:not(.loading)')
      },
    ],
  ),
  [
    'dialog: your page',
    'dialog',
    async (page) => {
      await command(page, 'yourPage.open')
      await page.waitForSelector('dialog.yourPage option')
    },
  ],
  [
    'dialog: conformance',
    'dialog',
    async (page) => {
      await command(page, 'conformance.check')
      await page.waitForSelector('dialog.conformance button.primary:not([disabled])')
      await page.click('dialog.conformance button.primary')
      await page.waitForSelector('.conformance-counts .chip')
      await page.$$eval('dialog.conformance details', (all) => {
        for (const one of all) one.open = true
      })
    },
  ],
  [
    'lessons',
    '#pane-explore',
    async (page) => {
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => document.querySelector('dialog') === null)
      await page.click('.bar [data-command=lessons]')
      await page.waitForSelector('[data-lesson]')
    },
  ],
  [
    'a lesson',
    '#pane-compose',
    async (page) => {
      await page.click('[data-lesson=hello]')
      await page.waitForSelector('.coach, .chat')
    },
  ],
  [
    'presenting',
    'html',
    async (page) => {
      await page.click('[data-present]')
      await page.waitForSelector('.present')
    },
  ],
]

const languages = ['en', 'zh-Hans', 'ja', 'de'] as const

for (const theme of ['light', 'dark'] as const) {
  inBrowsers(
    `axe finds nothing: ${theme}, all views`,
    async ({ open, name }) => {
      // Chromium goes through all languages; Firefox, where the rules are the same, through one in each theme.
      const spoken = name === 'chromium' ? languages : [theme === 'dark' ? 'de' : 'en']
      const rules = theme === 'dark' ? ofColours : undefined
      for (const language of spoken) {
        const page = await openPlayground(open, playground, `?quiet&lang=${language}`)
        await page.setViewport({ width: 1400, height: 1200 })
        await page.evaluate((wanted) => {
          document.documentElement.dataset.theme = wanted
        }, theme)
        await page.evaluate(axe)
        const found: { [view: string]: string[] } = {}
        for (const [view, part, reach] of views) {
          await reach(page)
          const bad = await violations(page, part, rules)
          if (bad.length > 0) found[view] = bad
        }
        assert.deepEqual(found, {}, language)
        await page.close()
      }
    },
    { timeout: 240_000 },
  )
}
