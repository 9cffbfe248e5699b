import assert from 'node:assert/strict'
import type { Frame } from 'puppeteer-core'
import { inBrowsers } from '../../harness/browsers.ts'
import { saw } from '../harness.ts'
import { openHosted, shareHosted } from '../timeline/host.ts'

const served = shareHosted()

const click = async (frame: Frame, selector: string, text = '') => {
  await saw(frame, selector, text)
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
  await click(frame, '.row-acts button', '')
  await click(frame, '#explore-subscriptions', '')
  await saw(frame, '.nt .chip', 'granted')
  await click(frame, '.nt .toolbar input')

  await page.evaluate(() => server.changed())
  await saw(frame, '.in-text', 'milk, bread')
  await saw(frame, '.nt .toolbar', '1 update')
  await saw(frame, '.in-chips', 'text/plain')
  await saw(frame, '.in-chips', 'fresh for')

  await page.evaluate(() => {
    server.text = 'milk, two pears'
    server.changed()
  })
  await saw(frame, '.in-changed', '1 change since')
  assert.deepEqual(await texts(frame, '.in-text mark'), ['two pears'])

  await click(frame, '.tabs button', 'Diff')
  await saw(frame, '.in-text ins', 'two pears')
  assert.deepEqual(await texts(frame, '.in-text del'), ['bread'])

  await click(frame, '.tabs button', 'JSON')
  await saw(frame, '.tr-name', 'ttlMs')
  await click(frame, '.tabs button', 'Raw')
  await saw(frame, '.in-raw', '{"jsonrpc":"2.0","id":')
  await saw(frame, '.in-explain', 'resources/read')

  // Sent again by a key, with an id of its own, and its answer is shown.
  const before = (await texts(frame, '.in-head'))[0]
  await frame.focus('.tabs [aria-selected=true]')
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
  await saw(frame, '.in-head', 'server/discover')
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 'later', result: { contents: [] } })
  await page.evaluate((text) => server.say(text), answer)
  await saw(frame, '.tl-row .tl-id', '"later"')
  assert.match((await texts(frame, '.in-head'))[0] ?? '', /server\/discover/)
  // Rows after a removal get the numbers of removed rows.
  await frame.click('.tl-bar [aria-label^=Import]')
  await click(frame, '.tl-bar button', 'Clear')
  await page.evaluate((text) => server.say(text, text, text, text, text), answer)
  await saw(frame, '.tl-row .tl-id', '"later"')
  assert.equal(await frame.$('.in-head'), null)
})

inBrowsers('a waiting request is cancelled, and says so', async ({ open }) => {
  const { frame } = await openHosted(open, served)
  await click(frame, '.row-acts [role=switch]', '')
  await click(frame, '.tl-row.tl-is-request', 'subscriptions/listen')
  await saw(frame, '.in-chips', 'open')
  await click(frame, '.in-acts button', 'Cancel request')
  await saw(frame, '.in-chips', 'cancelled')
  await saw(frame, '.tl-row.tl-status-cancelled', 'subscriptions/listen')
  await saw(frame, '.tl-row', 'notifications/cancelled')
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
  {
    uri: 'x://html',
    mimeType: 'text/html',
    text:
      '<meta http-equiv=refresh content="0;url=/refreshed"><script>parent.pwned=1</script><img src="/fetched.png" onerror="pwned=1"><a href="/followed"><h1>Shown</h1>' +
      'line<br>'.repeat(50),
  },
  { uri: 'x://csv', mimeType: 'text/csv', text: 'name,"<b>price</b>"\nmilk,"1,20"' },
  { uri: 'x://pdf', mimeType: 'application/pdf', blob: 'JVBERg==' },
  { uri: 'x://ogg', mimeType: 'audio/ogg', blob: 'AAEC' },
  { uri: 'x://bin', mimeType: '"><img src=x onerror=pwned=1>', blob: 'AAECAw==' },
  { uri: 'x://bad', mimeType: 'image/png', blob: '!!!' },
]

inBrowsers('every kind of content is shown, and none of it does anything', async ({ open }) => {
  const { page, frame } = await openHosted(open, served)
  const requested: string[] = []
  page.on('request', (one) => {
    if (/(refreshed|fetched|followed)/.test(one.url())) requested.push(one.url())
  })
  const answer = JSON.stringify({ jsonrpc: '2.0', id: 'x', result: { contents: hostile } })
  await page.evaluate((text) => server.say(text), answer)
  // Inspect shows what the user selects.
  await click(frame, '.tl-row.tl-is-result', 'x')
  await saw(frame, '.in-text', '<script>pwned=1</script>')
  await frame.waitForSelector('img.in-picture')
  await frame.waitForFunction(
    () => document.querySelector<HTMLImageElement>('img.in-picture')?.naturalWidth === 20,
  )
  await saw(frame, '.in-hex', '00000000  25 50 44 46')
  await saw(frame, '.in-body [role=alert]', 'not valid base64')
  // Each but the one that is not base64 has a link to download, whose address comes later.
  await frame.waitForFunction(
    (count) => document.querySelectorAll('.in-body a[download]').length === count,
    {},
    hostile.length - 1,
  )
  assert.ok(
    await frame.$$eval('.in-body a', (links) =>
      links.every((link) => (link as HTMLAnchorElement).protocol === 'blob:'),
    ),
  )
  assert.equal(await frame.evaluate(() => 'pwned' in globalThis), false)
  assert.equal(await frame.$('.in-body :is(iframe, audio)'), null)
  assert.deepEqual(requested, [])
  assert.equal(await frame.$('.in-body script'), null)
})
