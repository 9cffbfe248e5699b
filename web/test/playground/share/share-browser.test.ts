/** Sharing in browsers: a link is opened and sends nothing, and a transcript goes out and comes back in. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { encodeLink } from '../../../playground/share/link.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { openPlayground, type Playground, servePlayground } from '../harness.ts'

let playground: Playground
before(async () => {
  playground = await servePlayground()
})
after(() => playground?.close())

/** Waits until an element's text has a part. */
const has = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (selector, wanted) => document.querySelector(selector)?.textContent?.includes(wanted),
    {},
    selector,
    wanted,
  )

const tabs = (page: Page) =>
  page.$$eval('.compose-tabs li > button:not(.plain)', (all) =>
    all.map(({ textContent }) => textContent),
  )

inBrowsers(
  'a link opens beside what was there, and is sent only when asked twice',
  async ({ open }) => {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'no-such-tool' } }
    const hash = await encodeLink({
      messages: [{ text: JSON.stringify(call), revision: '2026-07-28' }],
      target: 'https://example.com/mcp',
    })
    const page = await open(`${playground.url}?quiet&lang=en${hash}`)
    await page.waitForSelector('html[data-ready]')
    await has(page, '[data-from=link]', 'https://example.com/mcp')
    assert.deepEqual(await tabs(page), ['resources/list', 'tools/call'])
    assert.equal(await page.evaluate(() => location.hash), '') // a reload does not open it again
    assert.ok(
      !(await page.$eval('#pane-timeline', (pane) => pane.textContent)).includes('tools/call'),
    )

    await page.click('[data-command=send]')
    await has(page, '.compose-unsure', 'tools/call')
    assert.ok(
      !(await page.$eval('#pane-timeline', (pane) => pane.textContent)).includes('tools/call'),
    )
    await page.click('.compose-unsure button')
    await has(page, '#pane-timeline', 'tools/call')

    // one that is damaged says so, and leaves everything as it is
    await page.evaluate(() => {
      location.hash = '#v1.damaged'
    })
    await has(page, '[role=status] .toast', 'damaged')
    assert.equal((await tabs(page)).length, 2)
  },
)

inBrowsers(
  'the dialog shows what is in the link, and a transcript comes back',
  async ({ open }) => {
    const page = await openPlayground(open, playground)
    const secret = { jsonrpc: '2.0', id: 1, method: 'ping', params: { password: 'hunter2' } }
    const hash = await encodeLink({
      messages: [{ text: JSON.stringify(secret), revision: '2026-07-28' }],
      target: '',
    })
    await page.evaluate((hash) => {
      location.hash = hash
    }, hash)
    await page.waitForSelector('[data-from=link]')
    await page.keyboard.down('Alt') // no text field has the focus: the keys are the page's
    await page.keyboard.up('Alt')
    const share = await page.waitForSelector('.bar ::-p-text(Share)')
    await share?.click()
    await page.waitForSelector('.share details')
    await page.click('.share summary')
    const inside = await page.$eval('.share details', ({ textContent }) => textContent)
    assert.match(inside, /"password":"\[redacted\]"/)
    assert.match(inside, /the demo in the page/)
    await page.waitForFunction(() =>
      (document.querySelector('.share-row input') as HTMLInputElement | null)?.value.includes(
        '#v1.',
      ),
    )

    // what would be saved is caught, and dropped on the page as a file
    await page.evaluate(() => {
      const make = URL.createObjectURL.bind(URL)
      URL.createObjectURL = (blob: Blob) => {
        blob.text().then((text) => document.documentElement.setAttribute('data-saved', text))
        return make(blob)
      }
      HTMLAnchorElement.prototype.click = () => {}
    })
    await page.click('[data-command=export]')
    await page.waitForSelector('html[data-saved]')
    const saved = await page.$eval('html', (html) => html.getAttribute('data-saved') ?? '')
    assert.match(saved, /^\{"mcplog":1/)
    const rows = saved.trimEnd().split('\n').length - 1
    await page.keyboard.press('Escape')
    await page.evaluate((saved) => {
      const files = new DataTransfer()
      files.items.add(new File([saved], 'story.mcplog.jsonl'))
      window.dispatchEvent(
        new DragEvent('drop', { dataTransfer: files, bubbles: true, cancelable: true }),
      )
    }, saved)
    await has(page, '[role=status] .toast', `${rows} rows imported from story.mcplog.jsonl`)
  },
)
