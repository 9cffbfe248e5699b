/**
 * axe-core finds nothing in a room of each kind, in either theme. It sees only part of what
 * matters: keyboard.smoke.ts goes the main ways without a mouse.
 */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { axe, ofColours, violations } from '../../harness/axe.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, type Playground, servePlayground } from '../harness.ts'
import { lookedAt } from '../rooms.ts'

let playground: Playground
before(async () => {
  playground = await servePlayground()
})
after(() => playground?.close())

inBrowsers(
  'axe finds nothing in each kind of room and theme',
  async ({ open }) => {
    // Few of the rules depend on the language.
    const page = await openPlayground(open, playground, '?quiet&lang=de')
    await page.setViewport({ width: 1400, height: 1200 })
    await page.evaluate(axe)
    const found: { [where: string]: string[] } = {}
    for (const room of lookedAt) {
      await room.reach(page)
      // Colours that are on their way are none of a theme.
      await page.evaluate(() =>
        Promise.allSettled(document.getAnimations().map((one) => one.finished)),
      )
      for (const theme of ['light', 'dark']) {
        await page.$eval(
          'html',
          (html, theme) => {
            html.dataset.theme = theme
          },
          theme,
        )
        const bad = await violations(page, room.part, theme === 'dark' ? ofColours : undefined)
        if (bad.length > 0) found[`${room.name}, ${theme}`] = bad
      }
    }
    assert.deepEqual(found, {})
  },
  { timeout: 480_000 },
)
