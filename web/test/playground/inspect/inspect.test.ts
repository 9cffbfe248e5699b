import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Frame } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import type { Playground } from '../harness.ts'
import { openHosted, serveHosted, until } from '../timeline/host.ts'

let served: Playground

before(async () => {
  served = await serveHosted()
})

after(() => served.close())

const click = async (frame: Frame, selector: string, text = '') => {
  await until(frame, selector, text)
  await frame.$$eval(
    selector,
    (all, text) =>
      (all.find((one) => one.textContent?.includes(text)) as HTMLElement | undefined)?.click(),
    text,
  )
}

const texts = (frame: Frame, selector: string) =>
  frame.$$eval(selector, (all) => all.map((one) => one.textContent))

inBrowsers('what is watched is read again, and what changed is marked', async ({ open }) => {
  const { page, frame } = await openHosted(open, served)
  await click(frame, '.thing-acts button', '')
  await click(frame, '#explore-subscriptions', '')
  await until(frame, '.nt .chip', 'granted')
  await click(frame, '.nt-acts input')

  await page.evaluate(() => server.changed())
  await until(frame, '.in-text', 'milk, bread')
  await until(frame, '.nt-facts', '1 update')
  await until(frame, '.in-chips', 'text/plain')
  await until(frame, '.in-chips', 'fresh for')

  await page.evaluate(() => {
    server.text = 'milk, two pears'
    server.changed()
  })
  await until(frame, '.in-changed', '1 change since')
  assert.deepEqual(await texts(frame, '.in-text mark'), ['two pears'])

  await click(frame, '.in-tabs button', 'Diff')
  await until(frame, '.in-text ins', 'two pears')
  assert.deepEqual(await texts(frame, '.in-text del'), ['bread'])

  await click(frame, '.in-tabs button', 'JSON')
  await until(frame, '.tr-name', 'ttlMs')
  await click(frame, '.in-tabs button', 'Raw')
  await until(frame, '.in-raw', '{"jsonrpc":"2.0","id":')
  await until(frame, '.in-explain', 'resources/read')

  // Sent again by a key, with an id of its own, and its answer is shown.
  const before = (await texts(frame, '.in-head'))[0]
  await frame.focus('.in-tabs [aria-selected=true]')
  await page.keyboard.press('r')
  await frame.waitForFunction(
    (before) => {
      const head = document.querySelector('.in-head')?.textContent
      return head !== before && head?.includes('Response')
    },
    {},
    before,
  )
})

inBrowsers('Inspect shows what was sent or selected, and no other response', async ({ open }) => {
  const { page, frame } = await openHosted(open, served)
  await frame.waitForFunction(
    () => document.querySelectorAll('.tl-row.tl-is-result').length > 1, // the lists of the server
  )
  assert.equal(await frame.$('.in-head'), null, 'nothing was sent or selected yet')
  await click(frame, '.tl-row.tl-is-result', 'server/discover')
  await until(frame, '.in-head', 'server/discover')
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 'later', result: { contents: [] } })
  await page.evaluate((text) => server.say(text), answer)
  await until(frame, '.tl-row .tl-id', '"later"')
  assert.match((await texts(frame, '.in-head'))[0] ?? '', /server\/discover/)
  // Rows after a removal get the numbers of removed rows.
  await frame.click('.tl-bar [aria-label^=Import]')
  await click(frame, '.tl-bar button', 'Clear')
  await page.evaluate((text) => server.say(text, text, text, text, text), answer)
  await until(frame, '.tl-row .tl-id', '"later"')
  assert.equal(await frame.$('.in-head'), null)
})

inBrowsers('a waiting request is cancelled, and says so', async ({ open }) => {
  const { frame } = await openHosted(open, served)
  await click(frame, '.thing-acts [role=switch]', '')
  await click(frame, '.tl-row.tl-is-request', 'subscriptions/listen')
  await until(frame, '.in-chips', 'open')
  await click(frame, '.in-acts button', 'Cancel request')
  await until(frame, '.in-chips', 'cancelled')
  await until(frame, '.tl-row.tl-status-cancelled', 'subscriptions/listen')
  await until(frame, '.tl-row', 'notifications/cancelled')
  assert.equal(await frame.$('.in-acts [data-command=cancel]'), null)
})

/** Contents that would do harm if they were HTML, each of another kind. */
const hostile = [
  {
    uri: 'x://md',
    mimeType: 'text/markdown',
    text: '# <img src=x onerror="pwned=1">\n[a](javascript:pwned=1) ![b](https://example.invalid/b.png) [c](https://example.org/)\n\n- [x] done\n\n<script>pwned=1</script>',
  },
  {
    uri: 'x://svg',
    mimeType: 'image/svg+xml',
    text: '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20" onload="pwned=1"><script>pwned=1</script><rect width="20" height="20"/></svg>',
  },
  { uri: 'x://html', mimeType: 'text/html', text: '<script>pwned=1</script>' },
  { uri: 'x://bin', mimeType: '"><img src=x onerror=pwned=1>', blob: 'AAECAw==' },
  { uri: 'x://bad', mimeType: 'image/png', blob: '!!!' },
]

inBrowsers('every kind of content is shown, and none of it does anything', async ({ open }) => {
  const { page, frame } = await openHosted(open, served)
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 'x', result: { contents: hostile } })
  await page.evaluate((text) => server.say(text), answer)
  // Inspect shows what the user selects.
  await click(frame, '.tl-row.tl-is-result', 'x')
  await frame.waitForSelector('.md h4')
  await until(frame, '.md', '<script>pwned=1</script>')
  await frame.waitForSelector('img.in-picture')
  await frame.waitForFunction(
    () => document.querySelector<HTMLImageElement>('img.in-picture')?.naturalWidth === 20,
  )
  await until(frame, '.in-hex', '00000000  00 01 02 03')
  await until(frame, '.in-body [role=alert]', 'not valid base64')
  assert.deepEqual(
    await frame.$$eval('.in-body a', (links) =>
      links.map((link) => [(link as HTMLAnchorElement).protocol, link.getAttribute('rel')]),
    ),
    [
      ['https:', 'noreferrer'], // the image: a link, and not fetched
      ['https:', 'noreferrer'],
      ['blob:', null],
      ['blob:', null],
    ],
  )
  assert.equal(await frame.evaluate(() => 'pwned' in globalThis), false)
  assert.equal(await frame.$('.in-body script, .in-body iframe'), null)
})
