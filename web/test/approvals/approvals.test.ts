/**
 * Permission prompts of an assistant in the page of `pagemcp stdio --channel-approvals`: a trusted click answers what was
 * seen, and no page of another origin reads, answers or frames it, not even with the secret of the page.
 */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { axe, ofColours, violations } from '../harness/axe.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { head } from '../harness/kit.ts'
import { serve } from '../harness/serve.ts'
import { type Assistant, type Prompt, startAssistant } from './assistant.ts'

const prompt = (request_id: string, more: Partial<Prompt> = {}): Prompt => ({
  request_id,
  tool_name: 'Bash',
  description: 'List the files of the project',
  input_preview: '{"command":"ls -l"}',
  ...more,
})

const answer = (request_id: string, behavior: string) => ({
  jsonrpc: '2.0',
  method: 'notifications/claude/channel/permission',
  params: { request_id, behavior },
})

/** The page with this many questions. */
const shows = (tab: Page, count: number) =>
  tab.waitForFunction((count) => document.querySelectorAll('li').length === count, {}, count)

const says = (tab: Page, text: string) =>
  tab.waitForFunction((text) => document.getElementById('status')?.textContent === text, {}, text)

/** Waits until the page takes clicks. */
async function takesClicks(tab: Page): Promise<void> {
  await tab.bringToFront()
  await tab.waitForFunction(`performance.now() > ${await tab.evaluate('performance.now()')} + 600`)
}

async function withAssistant(
  browser: TestBrowser,
  story: (of: { assistant: Assistant; tab: Page; link: string }) => Promise<void>,
): Promise<void> {
  const assistant = await startAssistant()
  try {
    assistant.ask(prompt('abcde'))
    const link = await assistant.link()
    const tab = await browser.open(link)
    await shows(tab, 1)
    await story({ assistant, tab, link })
    assert.ok(!assistant.log().includes('approve='), 'the link is not in the log')
  } finally {
    await assistant.close()
  }
}

inBrowsers(
  'a click answers a permission prompt, in English by the keyboard, too',
  (browser) =>
    withAssistant(browser, async ({ assistant, tab, link }) => {
      const url = new URL(link)
      assert.match(url.host, /^pagemcp-[0-9a-f]{16}\.localhost:\d+$/)
      assert.equal(await tab.evaluate('location.href'), `${url.origin}/`)
      await tab.waitForFunction(`document.title === '(1) Approvals for claude'`)
      assert.equal(await tab.evaluate('document.activeElement.textContent'), 'Deny')
      assert.match(
        String(await tab.evaluate(`document.querySelector('li').innerText`)),
        /^Bash\s+now\s+Description by the assistant\s+List the files of the project\s+Input\s+\{"command":"ls -l"\}\s+Deny\s+Allow once$/,
      )
      await tab.evaluate(axe)
      assert.deepEqual(await violations(tab, 'html'), [])
      await tab
        .emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }])
        .catch(() => {})
      assert.deepEqual(await violations(tab, 'html', ofColours), [])

      // A click of a script does not count.
      assistant.ask(prompt('fghij', { tool_name: 'Write\u202e', input_preview: 'x'.repeat(200) }))
      await shows(tab, 2)
      await takesClicks(tab)
      await tab.evaluate(`document.querySelector('.allow').click()`)
      await assistant.nothingCame()
      assert.equal(await tab.evaluate(`document.querySelectorAll('.allow').length`), 1)
      assert.match(
        String(await tab.evaluate(`document.querySelectorAll('li')[1].innerText`)),
        /^Write\\u\{202e\}[\s\S]*x{200}\s+Only the beginning is known here, so this can be allowed in the terminal only\.\s+Deny$/,
      )
      // The clock stands from here on: the next question moves below the pointer, and takes no click.
      await tab.evaluate(
        '{ const now = performance.now(); window.realNow = performance.now; performance.now = () => now }',
      )
      await tab.click('.allow')
      assert.deepEqual(await assistant.next('the answer'), answer('abcde', 'allow'))
      await shows(tab, 1)
      await says(tab, 'Sent “Allow once”: Bash')
      assert.equal(await tab.evaluate('document.activeElement.className'), 'deny')
      await tab.keyboard.press('Enter')
      await tab.click('.deny')
      await assistant.nothingCame()
      await tab.evaluate('performance.now = realNow')
      await takesClicks(tab)
      await tab.keyboard.press('Enter')
      assert.deepEqual(await assistant.next('the answer'), answer('fghij', 'deny'))
      await shows(tab, 0)
      assert.equal(await tab.evaluate('document.activeElement.id'), 'title')

      await tab.reload()
      await says(tab, 'Nothing to decide.')
      const second = await browser.open(link)
      await says(second, 'This link is used or too old. The next question opens a new tab.')
    }),
  { alike: true },
)

/** Runs in a page of another origin, which knows all that there is to know: what got through, by name. */
async function attack(origin: string, secret: string): Promise<string[]> {
  const through: string[] = []
  const headers = { authorization: `Bearer ${secret}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ question: 1, behavior: 'allow' })
  const attempts: { [name: string]: () => Promise<unknown> } = {
    read: () => fetch(`${origin}/`),
    'read the script': () => fetch(`${origin}/page.js`),
    import: () => import(`${origin}/page.js`),
    enter: () => fetch(`${origin}/tab`, { method: 'POST', headers, body }),
    follow: () => fetch(`${origin}/questions`, { method: 'POST', headers, body }),
    answer: () => fetch(`${origin}/answer`, { method: 'POST', headers, body }),
    socket: () =>
      new Promise((resolve, reject) => {
        const socket = new WebSocket(`${origin.replace('http', 'ws')}/questions`)
        socket.onopen = resolve
        socket.onerror = reject
      }),
  }
  for (const [name, attempt] of Object.entries(attempts)) {
    await attempt().then(
      () => through.push(name),
      () => {},
    )
  }
  // No script sees what becomes of these; the assistant would.
  await fetch(`${origin}/answer`, { method: 'POST', mode: 'no-cors', body }).catch(() => {})
  navigator.sendBeacon(`${origin}/answer`, body)
  const sink = document.createElement('iframe')
  sink.name = 'sink'
  const form = document.createElement('form')
  Object.assign(form, {
    action: `${origin}/answer`,
    method: 'POST',
    target: 'sink',
    enctype: 'text/plain',
  })
  const field = document.createElement('input')
  Object.assign(field, { name: '{"question":1,"behavior":"allow","a":"', value: '"}' })
  form.append(field)
  const frame = document.createElement('iframe')
  frame.src = `${origin}/#approve=${secret}`
  const loaded = [sink, frame].map(
    (one) => new Promise((resolve) => one.addEventListener('load', resolve, { once: true })),
  )
  document.body.append(sink, form, frame)
  form.submit()
  await Promise.race([Promise.all(loaded), new Promise((resolve) => setTimeout(resolve, 3_000))]) // Firefox may report no load
  return through
}

inBrowsers('no page of another origin reads, answers or frames a permission prompt', (browser) =>
  withAssistant(browser, async ({ assistant, tab, link }) => {
    const secret = String(await tab.evaluate(`sessionStorage.getItem('pagemcp.approvals')`))
    assert.match(secret, /^[0-9a-f]{64}$/)
    const site = await serve({ files: { '/': `${head}<title>evil</title><body>` } })
    try {
      for (const at of [site.origin, site.otherOrigin]) {
        const evil = await browser.context.newPage() // Firefox reports each blocked request as an error of the page
        await evil.goto(`${at}/`)
        const { origin, port } = new URL(link)
        for (const target of [origin, `http://127.0.0.1:${port}`, `http://localhost:${port}`]) {
          assert.deepEqual(await evil.evaluate(attack, target, secret), [], `${at} at ${target}`)
        }
        for (const frame of evil.frames()) {
          const inside = await frame
            .evaluate(() => document.querySelectorAll('#questions').length)
            .catch(() => 0) // the error page of a browser
          assert.equal(inside, 0, `the page is in a frame: ${frame.url()}`)
        }
        await evil.close()
      }
      await assistant.nothingCame()
      await shows(tab, 1)
      await takesClicks(tab)
      await tab.click('.deny')
      assert.deepEqual(await assistant.next('the answer'), answer('abcde', 'deny'))
    } finally {
      await site.close()
    }
  }),
)
