/**
 * axe-core finds nothing in a room of each kind, in either theme; in `make test-all` in all rooms and languages. It sees only part of what
 * matters: keyboard.test.ts goes the main ways without a mouse.
 */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { axe, ofColours, violations } from '../../harness/axe.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { isWhole } from '../../harness/whole.ts'
import { openPlayground, type Playground, servePlayground } from '../harness.ts'
import { leave, lookedAt, type Room } from '../rooms.ts'

let playground: Playground
before(async () => {
  playground = await servePlayground()
})
after(() => playground?.close())

const languages = ['en', 'zh-Hans', 'ja', 'de'] as const

/** Changes the language in place: menus and dialogs stay open. Presentations have no bar, and are left for it. */
async function speak(page: Page, language: string, room: Room): Promise<void> {
  const spoken = () => page.$eval('html', (html) => html.lang)
  if ((await spoken()) === language) return
  const hasBar = await page.$('#looks')
  if (!hasBar) await leave(page)
  await page.$eval(
    '#looks label:nth-of-type(2) select',
    (select, language) => {
      select.value = language
      select.dispatchEvent(new Event('change', { bubbles: true }))
    },
    language,
  )
  await page.waitForSelector(`html[lang=${language}]`)
  if (!hasBar) await room.reach(page)
}

inBrowsers(
  'axe finds nothing in each kind of room, theme and language',
  async ({ open, name }) => {
    // The rules are the same in each browser, and few of them depend on the language.
    const spoken = isWhole && name === 'chromium' ? languages : (['de'] as const)
    const page = await openPlayground(open, playground, `?quiet&lang=${spoken[0]}`)
    await page.setViewport({ width: 1400, height: 1200 })
    await page.evaluate(axe)
    const found: { [where: string]: string[] } = {}
    for (const room of lookedAt) {
      await room.reach(page)
      // Colours that are on their way are none of a theme.
      await page.evaluate(() =>
        Promise.allSettled(document.getAnimations().map((one) => one.finished)),
      )
      for (const language of spoken) {
        await speak(page, language, room)
        for (const theme of ['light', 'dark']) {
          await page.$eval(
            'html',
            (html, theme) => {
              html.dataset.theme = theme
            },
            theme,
          )
          const bad = await violations(page, room.part, theme === 'dark' ? ofColours : undefined)
          if (bad.length > 0) found[`${room.name}, ${language}, ${theme}`] = bad
        }
      }
    }
    assert.deepEqual(found, {})
  },
  { timeout: 480_000 },
)
