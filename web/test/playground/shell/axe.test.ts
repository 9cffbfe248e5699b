/**
 * axe-core finds nothing on any pane, in either theme and in all languages. It sees only part of what
 * matters: keyboard.test.ts goes the main ways without a mouse.
 */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { untilStill } from '../../harness/waits.ts'
import { openPlayground, type Playground, servePlayground } from '../harness.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let playground: Playground
before(async () => {
  playground = await servePlayground()
})
after(() => playground?.close())

/** What depends on the theme. All else is the same in both, and looked at in one. */
const ofColours = ['color-contrast', 'link-in-text-block']

/**
 * What axe finds within `part`, a CSS selector, a line each.
 *
 * @param rules - which are tried; default: all of WCAG 2.2 A and AA, and best practices
 */
async function violations(page: Page, part: string, rules?: readonly string[]): Promise<string[]> {
  return page.evaluate(
    async (within, only) => {
      const { axe } = globalThis as unknown as {
        axe: {
          run(
            part: string,
            options: object,
          ): Promise<{
            violations: { id: string; nodes: { target: unknown[]; failureSummary?: string }[] }[]
          }>
        }
      }
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
      const { violations } = await axe.run(within, {
        runOnly: only ?? tags,
        resultTypes: ['violations'],
      })
      // What a scroller cuts off is measured by axe as if it lay under what follows.
      const isCut = (target: unknown) => {
        const element = typeof target === 'string' ? document.querySelector(target) : null
        for (let box = element?.parentElement; box; box = box.parentElement) {
          const inner = element?.getBoundingClientRect()
          const outer = box.getBoundingClientRect()
          const clips = getComputedStyle(box).overflowY !== 'visible'
          if (inner && clips && (inner.bottom > outer.bottom || inner.top < outer.top)) return true
        }
        return false
      }
      return violations.flatMap(({ id, nodes }) =>
        nodes
          .filter(({ target }) => id !== 'target-size' || !isCut(target[0]))
          .map(({ target, failureSummary = '' }) => {
            return `${id}: ${target.join(' ')}: ${failureSummary.split('\n')[1] ?? ''}`
          }),
      )
    },
    part,
    rules,
  )
}

/** Views that are looked at: where they are, and how each is reached from the one before. */
type View = readonly [name: string, part: string, reach: (page: Page) => Promise<unknown>]

const views: readonly View[] = [
  [
    'stage',
    'html',
    async (page) => {
      await page.click('#explore-stage')
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
    'dialog: conformance',
    'dialog',
    async (page) => {
      await page.keyboard.press('Escape')
      await page.waitForFunction(() => document.querySelector('dialog') === null)
      await page.click('.bar [data-command=palette]')
      await page.waitForSelector('dialog [role=option]')
      await page.$eval('[data-command="conformance.check"]', (one) => (one as HTMLElement).click())
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
    'the assistant',
    '#pane-explore',
    async (page) => {
      await page.click('[data-lesson=assistant]')
      await page.waitForSelector('.chat .chat-call')
    },
  ],
  [
    'a lesson',
    '#pane-compose',
    async (page) => {
      await page.click('.chat footer button:last-child')
      await page.waitForSelector('[data-lesson=hello]')
      await page.click('[data-lesson=hello]')
      await page.waitForSelector('.coach')
    },
  ],
  [
    'presenting',
    'html',
    async (page) => {
      await page.click('[data-present=assistant]')
      await page.waitForSelector('.present header .primary:not(:disabled)')
      await page.click('.present header .primary')
      await page.waitForSelector('.present-payload mark')
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
