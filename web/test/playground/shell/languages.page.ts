/** No text is hard-coded: in the pseudo-locale, what people read is in brackets, or is the protocol's or the server's. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, press, sharePlayground } from '../harness.ts'

const playground = sharePlayground()

/**
 * Texts with letters that are not in brackets, and stand neither in an element that is marked as not to be
 * translated, nor where the server's words, data, numbers with units and names of languages are.
 */
async function hardCoded(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const foreign =
      '[translate=no], .form-item, .lessons strong, .lessons .row-open > span:not(.quiet), .lessons div.row-open, [data-pane=explore] section[aria-label], code, pre, kbd, textarea, .list-row, .form-item summary, .form-item > p, .form-item .field, .clients, .chip, .letter, option[lang], .revision, .cm-editor, mark, time, svg, [role=tabpanel]#in-panel, a[href*=modelcontextprotocol], [role=gridcell]'
    // Units as Intl writes them, names of formats, and beginnings of addresses.
    const ours =
      /^([\d.,]+\s*)?(ms|s|B|kB|MB)$|^(JSON|Mermaid|Markdown|curl|TypeScript|Go|SVG|WebSocket|https:\/\/…)$/
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const text = (node.nodeValue ?? '').trim()
      const around = node.parentElement
      if (!/\p{L}{2}/u.test(text) || ours.test(text) || around === null || around.closest(foreign))
        continue
      if (!/^\[.*\]$/s.test(text) && !/\[[^\]]*~\]/.test(around.textContent ?? '')) found.push(text)
    }
    for (const element of document.querySelectorAll('[aria-label], [placeholder], [title]')) {
      if (element.closest(foreign)) continue
      for (const name of ['aria-label', 'placeholder', 'title']) {
        const text = element.getAttribute(name)
        if (text && /\p{L}{2}/u.test(text) && !ours.test(text) && !/\[.*~\]/s.test(text))
          found.push(`${name}: ${text}`)
      }
    }
    return found
  })
}

inBrowsers('every text comes from the catalogue', async ({ open }) => {
  const page = await openPlayground(open, playground, '?quiet&lang=en-XA')
  const bad: { [where: string]: string[] } = {}
  const look = async (where: string) => {
    const found = await hardCoded(page)
    if (found.length > 0) bad[where] = found
  }
  for (const tab of [
    'stage',
    'resources',
    'templates',
    'prompts',
    'tools',
    'subscriptions',
    'demo',
  ]) {
    await (await page.waitForSelector(`#explore-${tab}`))?.click()
    await page.waitForSelector('#explore-view > *:not(.loading, h2)')
    await look(tab)
  }
  for (const id of ['palette', 'share', 'connect']) {
    await press(page, `.bar [data-command=${id}]`, '')
    await page.waitForSelector('dialog[open] > *:not(.loading)')
    await look(id)
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.querySelector('dialog') === null)
  }
  await press(page, '.bar [data-command=lessons]', '')
  await page.waitForFunction(() => document.querySelector('#pane-explore .loading') === null)
  await look('lessons')
  assert.deepEqual(bad, {})
})
