/** `<page-mcp>`, as users see and use it, under a strict Content-Security-Policy. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { textsIn } from '../../src/access/panel.ts'
import { languageOf } from '../../src/translation.ts'
import { axe, violations } from '../harness/axe.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { head } from '../harness/kit.ts'
import { type Served, serve } from '../harness/serve.ts'
import type { Fake } from './panel.ts'

declare const fake: Fake

const policy =
  "default-src 'none'; script-src 'self'; img-src data:; require-trusted-types-for 'script'; trusted-types; form-action 'none'; base-uri 'none'"

let served: Served
before(async () => {
  served = await serve({
    files: {
      '/': `${head}<meta name="viewport" content="width=device-width"><title>Notes</title><script type="module" src="/test/access/panel.ts"></script><main><h1>Notes</h1><page-mcp open></page-mcp></main>`,
    },
    headers: { 'content-security-policy': policy },
    directories: {
      '/src/': `${import.meta.dirname}/../../src`,
      '/texts/': `${import.meta.dirname}/../../texts`,
      '/test/': `${import.meta.dirname}/..`,
    },
  })
})
after(() => served.close())

/** The element with the typical assistants. */
async function panel({ open }: TestBrowser): Promise<Page> {
  const tab = await open(`${served.origin}/`)
  await tab.waitForFunction('window.ready')
  await tab.evaluate(() => {
    fake.typical()
    fake.define()
  })
  await tab.waitForFunction(() => fake.items().length === 3)
  return tab
}

const buttonOf = (name: string) => `page-mcp >>> ::-p-aria([name="${name}"][role="button"])`

async function click(tab: Page, name: string): Promise<void> {
  const button = await tab.waitForSelector(buttonOf(name))
  await button?.click()
}

/** Lets half a second pass for the guard of clicks. */
const later = (tab: Page) =>
  tab.evaluate(() => {
    const now = performance.now()
    performance.now = () => now + 1000
  })

const calls = (tab: Page) => tab.evaluate(() => fake.calls)

inBrowsers('it lists assistants with rights and use, and who reads now', async (browser) => {
  const tab = await panel(browser)
  const [first = '', second = '', third = ''] = await tab.evaluate(() => fake.items())
  assert.match(first, /^Claude Code Calls itself “claude-code” \(not verified\)/)
  assert.match(
    first,
    /Read: this time: until \d\d:\d\d Act: asks first Tool delete_note: this time/,
  )
  assert.match(first, /Today: Reads: 1,240 · Calls: 3 Stop$/)
  assert.match(second, /^editor-7f3a Read: until .* Act: not allowed .*never.* Stop Ask again$/)
  assert.match(third, /^Unnamed assistant \(token\) .* Ask again$/)
  const summary = () =>
    document.querySelector('page-mcp')?.shadowRoot?.querySelector('summary')?.textContent
  assert.equal(await tab.evaluate(summary), 'Being read: Claude Code')
  await tab.evaluate(() => {
    for (const name of ['Claude Code', 'a', 'b']) fake.add(name, { lastUsed: Date.now() })
  })
  await tab.waitForFunction(
    (text) =>
      document
        .querySelector('page-mcp')
        ?.shadowRoot?.querySelector('summary')
        ?.textContent?.includes(text),
    {},
    '+1',
  )
})

inBrowsers('its buttons do what they say, a failure is said', async (browser) => {
  const tab = await panel(browser)
  await click(tab, 'Stop: Claude Code')
  await tab.waitForSelector(buttonOf('Ask again: Claude Code'))
  await later(tab)
  await click(tab, 'Ask again: Claude Code')
  await click(tab, 'Pause for an hour')
  await tab.waitForSelector(buttonOf('Resume'))
  await later(tab)
  await click(tab, 'Resume')
  await tab.waitForSelector(buttonOf('Pause for an hour'))
  await click(tab, 'Stop all')
  await tab.waitForFunction(() => fake.calls.length === 5)
  assert.deepEqual(await calls(tab), [
    ['revoke', 'Claude Code'],
    ['forget', 'Claude Code'],
    ['pause'],
    ['resume'],
    ['revoke'],
  ])
  await tab.evaluate(() => {
    addEventListener('error', (event) => event.preventDefault())
    globalThis.reportError = () => {}
    fake.failure = 'the database is closed'
  })
  await click(tab, 'Pause for an hour')
  await tab.waitForFunction(() =>
    document
      .querySelector('page-mcp')
      ?.shadowRoot?.textContent?.includes('This did not work: the database is closed'),
  )
})

inBrowsers('scripts and double clicks give no access', async (browser) => {
  const tab = await panel(browser)
  await later(tab)
  const again = await tab.waitForSelector(buttonOf('Ask again: Unnamed assistant (token)'))
  await again?.evaluate((button) => {
    ;(button as HTMLElement).click()
    button.dispatchEvent(new MouseEvent('click', { bubbles: true }))
  })
  assert.deepEqual(await calls(tab), [])
  // The second click meets the button that has taken another meaning: no time has passed.
  await tab.evaluate(() => {
    const now = performance.now()
    performance.now = () => now
  })
  await click(tab, 'Stop: Claude Code')
  await click(tab, 'Ask again: Claude Code')
  assert.deepEqual(await calls(tab), [['revoke', 'Claude Code']])
})

inBrowsers('names are data: bounded, on one line, without hidden characters', async (browser) => {
  const tab = await panel(browser)
  await tab.evaluate(() => {
    fake.add(`<img src=x onerror=alert(1)>\u202e\u200bevil\n\u001b[31m${'x'.repeat(300)}`, {
      callsItself: `\u202eClaude\u0007${'y'.repeat(300)}`,
    })
    fake.add('\u200b\u202e')
  })
  await tab.waitForFunction(() => fake.items().length === 5)
  const [first = '', second = ''] = (await tab.evaluate(() => fake.items())).slice(3)
  assert.match(first, /^<img src=x onerror=alert\(1\)>evil x+… Calls itself “Claudey+…”/)
  assert.doesNotMatch(first, /x{65}|y{65}|[\p{Cc}\p{Cf}]/u)
  assert.match(second, /^Unnamed assistant /)
})

inBrowsers('it speaks the language of its place, and follows it', async (browser) => {
  const tab = await panel(browser)
  for (const lang of ['de', 'ja', 'zh-CN', 'fr']) {
    await tab.evaluate((own) => {
      document.documentElement.lang = own
    }, lang)
    await tab.waitForSelector(buttonOf(textsIn(languageOf([lang])).pause))
  }
  await tab.evaluate(() => document.querySelector('page-mcp')?.setAttribute('lang', 'de'))
  await tab.waitForSelector(buttonOf(textsIn('de').stopAll))
})

inBrowsers('it passes axe in both colour schemes, and fits a telephone', async (browser) => {
  const tab = await panel(browser)
  await tab.evaluate(axe)
  for (const scheme of ['light', 'dark'] as const) {
    await tab.evaluate((own) => {
      document.documentElement.style.colorScheme = own
    }, scheme)
    assert.deepEqual(await violations(tab, 'page-mcp'), [], scheme)
  }
  await tab.setViewport({ width: 390, height: 900 })
  const small = await tab.evaluate(() => {
    const root = document.querySelector('page-mcp')?.shadowRoot
    const boxes = [...(root?.querySelectorAll('button, summary') ?? [])].flatMap((one) => {
      const { width, height } = one.getBoundingClientRect()
      return width > 0 && (width < 44 || height < 44) ? [`${one.textContent}`] : []
    })
    return document.documentElement.scrollWidth > 390 ? [...boxes, 'the page'] : boxes
  })
  assert.deepEqual(small, [])
})

inBrowsers('it ends with its element, and another engine replaces the first', async (browser) => {
  const tab = await panel(browser)
  const counts = await tab.evaluate(() => {
    const found = [fake.listeners()]
    const element = document.querySelector('page-mcp') as HTMLElement
    element.remove()
    found.push(fake.listeners())
    document.body.append(element)
    found.push(fake.listeners())
    fake.define()
    return [...found, fake.listeners()]
  })
  assert.deepEqual(counts, [1, 0, 1, 1])
})
