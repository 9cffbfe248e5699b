/** The elements of `pagemcp/access`, as users see and use them, under a strict Content-Security-Policy. */

import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'puppeteer-core'
import { textsIn } from '../../src/access-element/texts.ts'
import { languageOf } from '../../src/translation.ts'
import { axe, violations } from '../harness/axe.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { head } from '../harness/kit.ts'
import { type Served, serve } from '../harness/serve.ts'

const policy =
  "default-src 'none'; script-src 'self'; img-src data:; require-trusted-types-for 'script'; trusted-types; form-action 'none'; base-uri 'none'"

const page = (body: string, style = '') =>
  `${head}<meta name="viewport" content="width=device-width"><title>loading</title>${style}<script type="module" src="/test/access-element/kit.ts"></script><main><h1>Notes</h1>${body}</main>`

let served: Served
before(async () => {
  served = await serve({
    files: {
      '/': page('<pagemcp-access></pagemcp-access>'),
      '/indicator': page(
        '<pagemcp-access-indicator seconds="60"></pagemcp-access-indicator><button id="next">Next</button>',
      ),
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

/** What the page's scripts have: see kit.ts. */
declare const fake: {
  host: never
  mode: string
  pausedUntil: number | undefined
  failure: string | undefined
  calls: unknown[][]
  listeners: number
  assistants: unknown[]
  states: { assistants: { assistant: string; isActive: boolean }[] }[]
  add(assistant: string, change?: object): void
  grant(right: string, change?: object): object
  changed(): void
}
declare const typical: () => void
declare const defineAccess: (mcp: never) => () => void
declare const watchAccess: (
  mcp: never,
  show: (state: never) => void,
  options?: object,
) => () => void

async function open(browser: TestBrowser, path = '/'): Promise<Page> {
  const tab = await browser.open(`${served.origin}${path}`)
  await tab.waitForFunction(() => document.title === 'ready')
  return tab
}

/** The panel with the typical assistants. */
async function panel(browser: TestBrowser): Promise<Page> {
  const tab = await open(browser)
  await tab.evaluate(() => {
    typical()
    defineAccess(fake.host)
  })
  await tab.waitForSelector('pagemcp-access >>> tr[part=row]')
  return tab
}

/** What a row says, in one line. */
const row = (tab: Page, at: number): Promise<string> =>
  tab.evaluate((index) => {
    const root = document.querySelector('pagemcp-access')?.shadowRoot
    const element = root?.querySelectorAll<HTMLElement>('tbody tr')[index]
    return (element?.innerText ?? '').replace(/\s+/g, ' ').trim()
  }, at)

const buttonOf = (name: string) => `pagemcp-access >>> ::-p-aria([name="${name}"][role="button"])`

/** Clicks a button as a user does, once it accepts clicks. */
async function click(tab: Page, name: string): Promise<void> {
  const button = await tab.waitForSelector(buttonOf(name))
  await tab.waitForFunction(
    (element) => (element as Element).ariaDisabled === null,
    {},
    button as never,
  )
  await button?.click()
}

const shows = (tab: Page, text: string) =>
  tab.waitForFunction(
    (wanted) =>
      (
        document
          .querySelector('pagemcp-access')
          ?.shadowRoot?.querySelector('section') as HTMLElement
      )?.innerText
        .replace(/\s+/g, ' ')
        .includes(wanted),
    {},
    text,
  )

const calls = (tab: Page) => tab.evaluate(() => fake.calls)

inBrowsers('the panel lists assistants with rights, use and decisions', async (browser) => {
  const tab = await panel(browser)
  const first = await row(tab, 0)
  assert.match(first, /^Claude Code Calls itself “claude-code” \(not verified\)/)
  assert.match(first, /Read this time: until /)
  assert.match(first, /Act asks first Tool delete_note this time: until/)
  assert.match(first, /\d\d:\d\d Reads: 1,240 · Calls: 3/)
  assert.match(await row(tab, 1), /^editor-7f3a .*Read until \d+ \w+ \d{4}.* \d\d:\d\d /)
  assert.match(
    await row(tab, 2),
    /^Unnamed assistant \(token\) Calls itself “Claude” \(not verified\).*Read not allowed Act not allowed/,
  )
  assert.match(await row(tab, 3), /^Assistant of the browser .*Read asks first.*never/)
  await tab.locator('pagemcp-access >>> summary').click()
  await shows(tab, 'resources/read notes://today/')
  await shows(tab, 'tools/call delete_note denied · declined')
})

inBrowsers('Stop, Allow, Ask again and Stop all do what they say', async (browser) => {
  const tab = await panel(browser)
  await click(tab, 'Stop: Claude Code')
  await click(tab, 'Allow reading: Claude Code')
  await click(tab, 'Allow acting: Claude Code')
  await click(tab, 'Stop: Claude Code')
  await click(tab, 'Ask again: Claude Code')
  await click(tab, 'Stop all')
  await tab.waitForFunction(() => fake.calls.length === 6)
  assert.deepEqual(await calls(tab), [
    ['revoke', 'Claude Code'],
    ['allow', 'Claude Code', 'read'],
    ['allow', 'Claude Code', 'act'],
    ['revoke', 'Claude Code'],
    ['forget', 'Claude Code'],
    ['revoke'],
  ])
  await tab.waitForSelector('pagemcp-access >>> button[part=stop]:disabled') // Stop all
})

inBrowsers('scripts and double clicks give no access', async (browser) => {
  const tab = await panel(browser)
  await tab.evaluate(() => {
    const root = document.querySelector('pagemcp-access')?.shadowRoot
    for (const one of root?.querySelectorAll<HTMLElement>(
      '[part=allow], [part=ask], [part=resume]',
    ) ?? []) {
      one.click()
      one.dispatchEvent(new MouseEvent('click', { bubbles: true }))
    }
  })
  assert.deepEqual(await calls(tab), [])
  // The second click meets the button that has taken the place of the first one: no time has passed.
  await tab.evaluate(() => {
    const now = performance.now()
    performance.now = () => now
  })
  const stop = await tab.waitForSelector(buttonOf('Stop: Claude Code'))
  await stop?.click()
  const allow = await tab.waitForSelector(buttonOf('Allow reading: Claude Code'))
  await allow?.click()
  assert.deepEqual(await calls(tab), [['revoke', 'Claude Code']])
  await tab.evaluate(() => {
    const now = performance.now()
    performance.now = () => now + 500
  })
  await allow?.click()
  await tab.waitForFunction(() => fake.calls.length === 2)
  assert.deepEqual((await calls(tab))[1], ['allow', 'Claude Code', 'read'])
})

inBrowsers('a failure is said, and the panel stays', async (browser) => {
  const tab = await open(browser)
  await tab.evaluate(() => {
    addEventListener('error', (event) => event.preventDefault())
    globalThis.reportError = () => {}
    typical()
    fake.failure = 'the database is closed'
    defineAccess(fake.host)
  })
  await click(tab, 'Stop: Claude Code')
  await shows(tab, 'This did not work: the database is closed')
  assert.match(await row(tab, 0), /^Claude Code/)
})

inBrowsers('changes appear by themselves and are read out', async (browser) => {
  const tab = await panel(browser)
  const said = (text: string) =>
    tab.waitForFunction(
      (wanted) => {
        const root = document.querySelector('pagemcp-access')?.shadowRoot
        const regions = [...(root?.querySelectorAll('p[role=status]') ?? [])]
        return regions.some((one) => one.textContent?.includes(wanted))
      },
      {},
      text,
    )
  await tab.evaluate(() => fake.add('Cursor', { lastUsed: Date.now(), readsToday: 1 }))
  await said('Cursor uses this page.')
  assert.match(await row(tab, 4), /^Cursor/)
  await tab.evaluate(() => {
    const denied = ['read', 'act'].map((right) => fake.grant(right, { allow: false }))
    fake.add('Cursor', { grants: denied })
  })
  await said('Cursor is stopped.')
  await tab.evaluate(() => {
    // Ends by itself, without an event.
    fake.add('Cursor', {
      grants: ['read', 'act'].map((right) =>
        fake.grant(right, { allow: false, until: Date.now() + 1500 }),
      ),
    })
  })
  await said('Cursor may use this page.')
  await tab.evaluate(() => {
    fake.assistants = fake.assistants.slice(0, 1)
    fake.changed()
  })
  await tab.waitForFunction(
    () =>
      document.querySelector('pagemcp-access')?.shadowRoot?.querySelectorAll('tbody tr').length ===
      1,
  )
})

inBrowsers('names are data: bounded, on one line, without hidden characters', async (browser) => {
  const tab = await open(browser)
  await tab.evaluate(() => {
    fake.add(`<img src=x onerror=alert(1)>\u202e\u200bevil\n\u001b[31m${'x'.repeat(300)}`, {
      callsItself: `\u202eClaude\u0007${'y'.repeat(300)}`,
    })
    fake.add('\u200b\u202e')
    defineAccess(fake.host)
  })
  await tab.waitForSelector('pagemcp-access >>> tr[part=row]')
  const [first = '', second] = await tab.evaluate(() => {
    const root = document.querySelector('pagemcp-access')?.shadowRoot
    return [...(root?.querySelectorAll('tbody th') ?? [])].map((one) => one.textContent ?? '')
  })
  assert.match(first, /^<img src=x onerror=alert\(1\)>evil x+…Calls itself “Claudey+…”/)
  assert.ok(first.length < 170, `${first.length} characters`)
  assert.doesNotMatch(first, /[\p{Cc}\p{Cf}]/u)
  assert.equal(second, 'Unnamed assistant')
})

inBrowsers('the panel speaks the language of its place, and follows it', async (browser) => {
  const tab = await panel(browser)
  for (const lang of ['de', 'ja', 'zh-CN', 'fr']) {
    await tab.evaluate((own) => {
      document.documentElement.lang = own
    }, lang)
    const { pause, title } = textsIn(languageOf([lang]))
    await tab.waitForSelector(buttonOf(pause))
    const shown = await tab.evaluate(
      () => document.querySelector('pagemcp-access')?.shadowRoot?.querySelector('h2')?.textContent,
    )
    assert.equal(shown, title, lang)
  }
  await tab.evaluate(() => document.querySelector('pagemcp-access')?.setAttribute('lang', 'de'))
  await tab.waitForSelector(buttonOf(textsIn('de').stopAll))
})

inBrowsers('the keyboard reaches everything, and the focus is never lost', async (browser) => {
  const tab = await panel(browser)
  const focused = () =>
    tab.evaluate(() => {
      const element = document.querySelector('pagemcp-access')?.shadowRoot?.activeElement
      return element?.ariaLabel ?? element?.textContent
    })
  const path = []
  for (let i = 0; i < 4; i++) {
    await tab.keyboard.press('Tab')
    path.push(await focused())
  }
  assert.deepEqual(path, [
    'Pause for an hour',
    'Stop all',
    'Stop: Claude Code',
    'Stop: editor-7f3a',
  ])
  await tab.keyboard.press('Enter')
  await tab.waitForSelector(buttonOf('Ask again: editor-7f3a'))
  await tab.waitForFunction(() =>
    document
      .querySelector('pagemcp-access')
      ?.shadowRoot?.activeElement?.textContent?.startsWith('editor-7f3a'),
  )
  await tab.keyboard.press('Tab')
  assert.equal(await focused(), 'Allow reading: editor-7f3a')
  await tab.evaluate(() => {
    fake.assistants = fake.assistants.slice(0, 1)
    fake.changed()
  })
  await tab.waitForFunction(
    () =>
      document.querySelector('pagemcp-access')?.shadowRoot?.activeElement?.textContent ===
      'Access by assistants',
  )
})

inBrowsers('the panel and the dialog pass axe in both colour schemes', async (browser) => {
  const tab = await panel(browser)
  await tab.evaluate(axe)
  for (const scheme of ['light', 'dark'] as const) {
    await tab.evaluate((own) => {
      document.documentElement.style.colorScheme = own
    }, scheme)
    for (const width of [390, 1400]) {
      await tab.setViewport({ width, height: 900 })
      assert.deepEqual(await violations(tab, 'pagemcp-access'), [], `${scheme}, ${width}`)
    }
  }
  await tab.setViewport({ width: 390, height: 900 })
  const small = await tab.evaluate(() => {
    const root = document.querySelector('pagemcp-access')?.shadowRoot
    const boxes = [...(root?.querySelectorAll('button, summary') ?? [])].flatMap((one) => {
      const { width, height } = one.getBoundingClientRect()
      return width > 0 && (width < 44 || height < 44)
        ? [`${one.textContent}: ${width}×${height}`]
        : []
    })
    const { scrollWidth } = document.documentElement
    return scrollWidth > 390 ? [...boxes, `the page is ${scrollWidth} wide`] : boxes
  })
  assert.deepEqual(small, [])
})

inBrowsers(
  'the indicator is there while the page is used, and opens the panel',
  async (browser) => {
    const tab = await open(browser, '/indicator')
    const label = () =>
      tab.evaluate(() => {
        const root = document.querySelector('pagemcp-access-indicator')?.shadowRoot
        const button = root?.querySelector<HTMLElement>('button[part=indicator]')
        return button?.hidden === false ? button.innerText : undefined
      })
    await tab.evaluate(() => {
      fake.add('Claude Code', { lastUsed: Date.now() - 120_000 })
      defineAccess(fake.host)
    })
    await tab.waitForFunction(() => fake.listeners === 1)
    assert.equal(await label(), undefined)
    await tab.evaluate(() => {
      for (const name of ['Claude Code', 'Cursor', 'stdio'])
        fake.add(name, { lastUsed: Date.now() })
    })
    const button = await tab.waitForSelector(
      'pagemcp-access-indicator >>> button[part=indicator]:not([hidden])',
    )
    await tab.waitForFunction(
      () =>
        document
          .querySelector('pagemcp-access-indicator')
          ?.shadowRoot?.querySelector('[part=label]')?.textContent ===
        'Being read: Claude Code, Cursor +1',
    )
    await button?.click()
    await tab.waitForSelector('pagemcp-access-indicator >>> dialog[open]')
    await tab.waitForSelector('pagemcp-access-indicator >>> pagemcp-access >>> tr[part=row]')
    await tab.evaluate(axe)
    assert.deepEqual(await violations(tab, 'pagemcp-access-indicator'), [])
    // The use ends while the dialog is open: the button stays as long as it has the focus.
    await tab.evaluate(() => {
      for (const name of ['Claude Code', 'Cursor', 'stdio']) fake.add(name, { lastUsed: 1 })
    })
    await tab.keyboard.press('Escape')
    await tab.waitForSelector('pagemcp-access-indicator >>> dialog:not([open])')
    await tab.waitForFunction(() => fake.listeners === 1) // that of the panel has ended
    await tab.focus('#next')
    await tab.waitForSelector('pagemcp-access-indicator >>> button[part=indicator][hidden]')
  },
)

inBrowsers('elements end with their engine, their element and their signal', async (browser) => {
  const tab = await panel(browser)
  const counts = await tab.evaluate(async () => {
    const found = [fake.listeners]
    const element = document.querySelector('pagemcp-access')
    const parent = element?.parentElement
    element?.remove()
    found.push(fake.listeners)
    if (element) parent?.append(element)
    found.push(fake.listeners)
    defineAccess(fake.host) // the same engine again
    found.push(fake.listeners)
    defineAccess(fake.host)() // disconnects
    found.push(fake.listeners)
    const stop = new AbortController()
    const states: unknown[] = []
    await new Promise<void>((resolve) => {
      watchAccess(
        fake.host,
        (state) => {
          states.push(state)
          resolve()
        },
        { signal: stop.signal },
      )
    })
    found.push(fake.listeners, states.length)
    stop.abort()
    found.push(fake.listeners)
    return found
  })
  assert.deepEqual(counts, [1, 0, 1, 1, 0, 1, 1, 0])
})

inBrowsers('an engine of an element is its own', async (browser) => {
  const tab = await open(browser)
  await tab.evaluate(() => {
    const element = document.querySelector('pagemcp-access') as HTMLElement & { mcp?: unknown }
    element.mcp = fake.host // before the element is defined
    fake.add('Claude Code')
    const other = { access: { grants: async () => [], mode: 'open' }, on: () => () => {} }
    defineAccess(other as never)
  })
  await tab.waitForSelector('pagemcp-access >>> tr[part=row]')
  assert.match(await row(tab, 0), /^Claude Code/)
})
