/** The demo's panel: what is typed is announced while the field has the focus. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, rows, saw, sharePlayground } from '../harness.ts'

const playground = sharePlayground()

/** Records the texts that the page, and not its user, gives a field. */
const recordTexts = (page: Page, field: string) =>
  page.$eval(field, (field) => {
    const texts = (window as { texts?: string[] }).texts ?? []
    Object.assign(window, { texts })
    const own = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value')
    Object.defineProperty(field, 'value', {
      get: () => own?.get?.call(field),
      set(text: string) {
        texts.push(text)
        own?.set?.call(field, text)
      },
    })
  })

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
      await recordTexts(page, field)
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
    // While a text is stored the field keeps it: what is typed then would go into the earlier text.
    assert.deepEqual(await page.evaluate(() => (window as { texts?: string[] }).texts), [])
    // Letter by letter in one task: between keys of this test any time may pass.
    await page.$eval('#form-city', (field) => {
      for (const text of ['P', 'Po', 'Por', 'Port', 'Porto']) {
        ;(field as HTMLInputElement).value = text
        field.dispatchEvent(new InputEvent('input', { bubbles: true }))
      }
    })
    await saw(page, '[data-pane=timeline] [role=row]', 'form city: "Porto"')
    const events = (await rows(page)).filter((row) => row.includes('form city: "P'))
    assert.equal(events.length, 1, 'one event, and not one for each letter')
  },
)
