/** Sharing in browsers: a link is opened and sends nothing, and a transcript goes out and comes back in. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { encodeLink } from '../../../playground/share/link.ts'
import { inBrowsers } from '../../harness/browsers.ts'
import { openBusy, openPlayground, press, sharePlayground } from '../harness.ts'

const playground = sharePlayground()

/** Waits until an element's text has a part. */
const has = (page: Page, selector: string, wanted: string) =>
  page.waitForFunction(
    (selector, wanted) => document.querySelector(selector)?.textContent?.includes(wanted),
    {},
    selector,
    wanted,
  )

const tabs = (page: Page) =>
  page.$$eval('.compose-tabs li > button:not(.icon-button)', (all) =>
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

    await press(page, '[data-command=send]', '')
    await has(page, '.compose-notes[data-is=warn]', 'tools/call')
    assert.ok(
      !(await page.$eval('#pane-timeline', (pane) => pane.textContent)).includes('tools/call'),
    )
    await press(page, '.compose-notes[data-is=warn] button', '')
    await has(page, '#pane-timeline', 'tools/call')

    // one that is damaged says so, and leaves everything as it is
    await page.evaluate(() => {
      location.hash = '#v1.damaged'
    })
    await has(page, '[role=status] .toast', 'damaged')
    assert.equal((await tabs(page)).length, 2)
  },
)

/** Catches what is copied and what is saved, as attributes of the document. */
const catchShared = (page: Page) =>
  page.evaluate(() => {
    const { dataset } = document.documentElement
    Object.defineProperty(navigator, 'clipboard', {
      value: {
        async writeText(text: string) {
          dataset.copied = text
        },
      },
    })
    const make = URL.createObjectURL.bind(URL)
    URL.createObjectURL = (blob: Blob) => {
      blob.text().then((text) => {
        dataset.saved = text
      })
      return make(blob)
    }
    HTMLAnchorElement.prototype.click = () => {}
  })

inBrowsers(
  'a conversation is shared by a link, which replays it and sends nothing',
  async (browser) => {
    const page = await openPlayground(browser.open, playground)
    await catchShared(page)
    const secret = { jsonrpc: '2.0', id: 'x', method: 'ping', params: { password: 'hunter2' } }
    const draft = await encodeLink({
      messages: [{ text: JSON.stringify(secret), revision: '2026-07-28' }],
      target: '',
    })
    await page.evaluate((hash) => {
      location.hash = hash
    }, draft)
    await page.waitForSelector('[data-from=link]')
    await press(page, '[data-command=send]', '')
    await page.waitForFunction(() => {
      const rows = [...document.querySelectorAll('#pane-timeline [role=row]')]
      return rows.filter((row) => row.textContent?.includes('ping')).length === 2 // with its response
    })
    await press(page, '.bar [data-command=share]', '')
    await press(page, '#share-conversation', '')
    await page.waitForSelector('[data-command=copy-conversation]:not(:disabled)')
    await press(page, '[data-command=copy-conversation]', '')
    await page.waitForSelector('html[data-copied]')
    const address = await page.$eval('html', (html) => html.dataset.copied ?? '')
    assert.match(address, /#t1\.[\w-]+$/)
    assert.ok(address.length < 8200, `${address.length} characters`)

    // The other page begins with the stored tabs.
    await page.waitForFunction(() => JSON.stringify(localStorage).includes('ping'))
    const other = await browser.open(`${playground.url}?quiet&lang=en${new URL(address).hash}`)
    await other.waitForSelector('.present-diagram [data-row]')
    assert.equal(await other.evaluate(() => location.hash), '')
    const steps = await other.$eval('.present-step', (it) => it.textContent ?? '')
    const [, last] = /^Step 1 of (\d+)$/.exec(steps) ?? assert.fail(steps)
    for (let step = 2; step <= Number(last); step++) {
      await other.keyboard.press('ArrowRight')
      await has(other, '.present-step', `Step ${step} of`)
    }
    await has(other, '.present-diagram', 'ping')
    assert.doesNotMatch(await other.$eval('.present', (it) => it.innerHTML), /hunter2/)
    await other.keyboard.press('Escape')
    await other.waitForSelector('#pane-timeline [role=row]')
    assert.deepEqual(await tabs(other), ['ping'], 'the draft of before')
    assert.equal(await other.$$eval('.clients .letter', (all) => all.length), 1, 'no client')
    const sent = await other.$$eval('#pane-timeline [role=row]', (all) =>
      all.filter((row) => row.textContent?.includes('ping')).map((row) => row.textContent ?? ''),
    )
    assert.equal(sent.length, 2, sent.join('\n')) // the request and the response of the link
  },
)

inBrowsers('a file that is dropped before the browser was idle is imported', async ({ open }) => {
  const page = await openBusy(open, playground)
  const prevented = await page.evaluate(() => {
    const files = new DataTransfer()
    const raw = '{"jsonrpc":"2.0","method":"notifications/x"}'
    const line = JSON.stringify({ t: 0, c: 1, d: 'out', k: 'port', raw })
    files.items.add(new File([`{"mcplog":1,"peers":[]}\n${line}`], 'early.mcplog.jsonl'))
    const drop = { dataTransfer: files, bubbles: true, cancelable: true }
    return !window.dispatchEvent(new DragEvent('drop', drop))
  })
  assert.ok(prevented, 'the browser does not open it')
  await has(page, '[role=status] .toast', '1 row imported')
})
