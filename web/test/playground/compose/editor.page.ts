/** The editor in browsers: indentation, brackets, and problems, which are marked, announced and shown one after another. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, sharePlayground } from '../harness.ts'
import { chord } from '../keys.ts'

const playground = sharePlayground()

/** Opens the playground, with the caret in the empty editor. */
async function emptyEditor(open: (url: string) => Promise<Page>): Promise<Page> {
  const page = await openPlayground(open, playground)
  await page.waitForFunction(
    () => {
      const content = document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')
      ;(content as HTMLElement | undefined)?.focus()
      return content !== null && content !== undefined
    },
    { polling: 100 },
  )
  await chord(page, 'Control', 'a')
  await page.keyboard.press('Delete')
  await hasText(page, '')
  return page
}

/** Waits until the editor has a text. */
const hasText = (page: Page, wanted: string) =>
  page.waitForFunction(
    (wanted) => {
      const root = document.querySelector('.editor')?.shadowRoot
      const lines = [...(root?.querySelectorAll('.cm-line') ?? [])]
      return lines.map(({ textContent }) => textContent).join('\n') === wanted
    },
    { polling: 100 },
    wanted,
  )

/** Waits until the elements of a selector in the editor have these texts. */
const shows = (page: Page, selector: string, ...wanted: string[]) =>
  page.waitForFunction(
    (selector, wanted) => {
      const root = document.querySelector('.editor')?.shadowRoot
      const found = [...(root?.querySelectorAll(selector) ?? [])].map((one) => one.textContent)
      return found.join('\n') === wanted
    },
    { polling: 100 },
    selector,
    wanted.join('\n'),
  )

/** Records what is announced to screen readers: CodeMirror removes it after 200 ms. */
const recordAnnouncements = (page: Page) =>
  page.evaluate(() => {
    const region = document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-announced')
    if (!region) throw new Error('the editor has no live region')
    new MutationObserver(() => {
      document.title += region.textContent?.trim()
    }).observe(region, { childList: true, subtree: true })
  })

/** The selected text, of which browsers say nothing in a shadow root: what Delete removes and undo restores. */
async function selected(page: Page): Promise<string> {
  const text = () =>
    page.evaluate(
      () =>
        document.querySelector('.editor')?.shadowRoot?.querySelector('.cm-content')?.textContent ??
        '',
    )
  const before = await text()
  await page.keyboard.press('Delete')
  const after = await text()
  let at = 0
  while (at < after.length && after[at] === before[at]) at++
  await chord(page, 'Control', 'z')
  return before.slice(at, at + before.length - after.length)
}

inBrowsers('F8 selects one problem after the other, shows and announces it', async ({ open }) => {
  const page = await emptyEditor(open)
  await page.waitForFunction(
    () => document.querySelector('.compose-problems')?.textContent?.includes('1 problem'),
    { polling: 100 },
  )
  await page.keyboard.type('{"jsonrpc": "1.0", "id": 1, "method": "nix"')
  await shows(page, '.cm-lintRange-error', '"1.0"', '"nix"')
  await recordAnnouncements(page)
  await page.keyboard.press('F8')
  await shows(page, '.cm-diagnostic', 'jsonrpc must be "2.0".')
  assert.match(await page.title(), /jsonrpc must be "2\.0"\.$/)
  assert.equal(await selected(page), '"1.0"')
  await shows(page, '.cm-lintRange-error', '"1.0"', '"nix"')
  await page.keyboard.press('F8')
  assert.equal(await selected(page), '"nix"')
  await shows(page, '.cm-lintRange-error', '"1.0"', '"nix"')
  await page.keyboard.press('F8')
  assert.equal(await selected(page), '"1.0"')
  await page.keyboard.type('"2.0')
  await shows(page, '.cm-lintRange-error', '"nix"')
  await shows(page, '.cm-diagnostic')
})

inBrowsers(
  'typing over a selection of one line or several replaces it, and violates no policy',
  async ({ open }) => {
    const page = await emptyEditor(open)
    await page.evaluate(() => {
      addEventListener('securitypolicyviolation', ({ violatedDirective }) => {
        document.documentElement.dataset.violated = violatedDirective
      })
    })
    await page.keyboard.type('{"id": "a"}')
    await page.waitForFunction(
      () =>
        (document.querySelector('.editor')?.shadowRoot?.querySelectorAll('.cm-line span') ?? [])
          .length > 1, // of the colours of the text
    )
    await chord(page, 'Control', 'a')
    await page.keyboard.type('67')
    await hasText(page, '67')
    await chord(page, 'Control', 'a')
    await page.keyboard.type('{"jsonrpc": "2.0",\n"id": 1,\n"method": "ping"}')
    await chord(page, 'Control', 'a')
    await page.keyboard.type('5')
    await hasText(page, '5')
    await chord(page, 'Control', 'z')
    await chord(page, 'Control', 'a')
    await page.keyboard.type('[') // brackets go around what is selected
    await page.waitForFunction(() => {
      const root = document.querySelector('.editor')?.shadowRoot
      return /^\[\{.*\}\]$/s.test(root?.querySelector('.cm-content')?.textContent ?? '')
    })
    assert.equal(await page.$eval('html', ({ dataset }) => dataset.violated), undefined)
  },
  { only: ['chromium'] },
)
