/** The demo's panel: what is typed is announced while the field has the focus. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, type Playground, rows, saw, servePlayground } from '../harness.ts'

let playground: Playground
before(async () => {
  playground = await servePlayground()
})
after(() => playground?.close())

inBrowsers(
  'typing into a note, a tab or the form is announced without a blur',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    await (await page.waitForSelector('#explore-demo'))?.click()
    for (const [field, event] of [
      ['#note-trip', 'note trip'],
      ['#pane-explore .demo section:nth-of-type(2) input', 'tab tab://left changed'],
      ['#form-city', 'form city: "Lyon"'],
    ] as const) {
      await page.waitForSelector(field)
      await page.focus(field)
      await page.keyboard.type('Lyon')
      await saw(page, '[data-pane=timeline] [role=row]', event)
      const focused = await page.evaluate(
        (field) => document.activeElement === document.querySelector(field),
        field,
      )
      assert.ok(focused, field)
      const value = await page.$eval(field, (one) => (one as HTMLInputElement).value)
      assert.ok(value.includes('Lyon'), value)
    }
    const events = (await rows(page)).filter((row) => row.includes('form city'))
    assert.equal(events.length, 1, 'one event, and not one for each letter')
  },
)
