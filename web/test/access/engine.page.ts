// What assistants meet in a page that asks, with the engine and the package as users get it.

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import type { PageMcp } from '../../src/start.ts'
import { servePages } from '../core/browser/built.ts'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { app } from './app.ts'
import { choose, isGone, isShown, opened, takesClicks } from './person.ts'

declare const mcp: PageMcp
declare const answers: Map<string, Answer>
declare const kit: { text(): string; isAsked(): boolean }
declare function send(id: string, who: string, method: string, params?: object): void
declare function loaded(): boolean
declare let isRunning: boolean
declare function contents(items: { uri: string; text: string }[]): object

interface Answer {
  resources?: { uri: string; name: string }[]
  tools?: { name: string }[]
  contents?: { text: string }[]
  content?: { text: string }[]
  error?: { code: number; message: string; data?: { reason?: string } }
  at: number
}

let last = 0
/** Sends a request, and returns the name of its answer. */
async function sent(tab: Page, who: string, method: string, params?: object): Promise<string> {
  const id = String(++last)
  await tab.evaluate(
    (id, who, method, params) => send(id, who, method, params),
    id,
    who,
    method,
    params,
  )
  return id
}
async function answered(tab: Page, id: string): Promise<Answer> {
  await tab.waitForFunction((id) => answers.has(id), { polling: 20 }, id)
  return tab.evaluate((id) => answers.get(id) as Answer, id)
}
const request = async (tab: Page, who: string, method: string, params?: object) =>
  answered(tab, await sent(tab, who, method, params))
const read = (tab: Page, who: string, uri = 'notes://1') =>
  request(tab, who, 'resources/read', { uri })

/** Serves the app on two origins, one of which is not this machine to the page. */
async function withApp(run: (url: (query: string) => string) => Promise<void>): Promise<void> {
  const site = await servePages({ '/app.html': app })
  try {
    await run((query) => `${site.origin}/app.html?${query}`)
  } finally {
    await site.close()
  }
}
const page = ({ open }: TestBrowser, url: string) => opened(open(url))

inBrowsers('an assistant asks at its first read, and then sees all', (browser) =>
  withApp(async (url) => {
    const tab = await page(browser, url('access=ask'))
    const before = await request(tab, 'claude-code', 'resources/list')
    assert.deepEqual(
      before.resources?.map(({ uri, name }) => [uri, name]),
      [['access:///read', 'notes: not shared with you yet']],
    )
    assert.deepEqual((await request(tab, 'claude-code', 'tools/list')).tools, [])
    assert.equal(await tab.evaluate(() => kit.isAsked()), false, 'connecting asks nothing')
    const reading = await sent(tab, 'claude-code', 'resources/read', { uri: 'access:///read' })
    await isShown(tab)
    assert.match(await tab.evaluate(() => kit.text()), /It calls itself Some Client/)
    await choose(tab, 'Allow this time')
    assert.match((await answered(tab, reading)).contents?.[0]?.text ?? '', /shared this page/)
    const after = await request(tab, 'claude-code', 'resources/list')
    assert.equal(after.resources?.length, 3)
    assert.equal((await read(tab, 'claude-code')).contents?.[0]?.text, 'text 1')
    assert.equal((await request(tab, 'page', 'resources/list')).resources?.length, 3)
    const counted = await request(tab, 'claude-code', 'tools/call', {
      name: 'count',
      arguments: {},
    })
    assert.equal(counted.content?.[0]?.text, '2', 'a tool that only reads')
    await tab.waitForFunction(async () => {
      const [own] = await mcp.access.grants()
      return own?.readsToday === 2 && own.callsToday === 1 // lists are no reads
    })
    const other = await request(tab, 'codex', 'resources/list')
    assert.equal(other.resources?.[0]?.uri, 'access:///read', 'others have their own decisions')
  }),
)

inBrowsers('a tool asks for its right, and a destructive one each time', (browser) =>
  withApp(async (url) => {
    const tab = await page(browser, url('access=ask'))
    await tab.evaluate(() => mcp.access.allow('claude-code', 'read'))
    const adding = await sent(tab, 'claude-code', 'tools/call', {
      name: 'add',
      arguments: { text: 'milk' },
    })
    await isShown(tab)
    const text = await tab.evaluate(() => kit.text())
    assert.match(text, /Tool: Add a note \(add\)/)
    assert.match(text, /"text": "milk"/)
    await choose(tab, 'Allow always')
    assert.equal((await answered(tab, adding)).content?.[0]?.text, 'added')
    for (const times of [1, 2]) {
      const wiping = await sent(tab, 'claude-code', 'tools/call', { name: 'wipe', arguments: {} })
      await choose(tab, 'Allow once')
      assert.equal((await answered(tab, wiping)).content?.[0]?.text, 'gone', String(times))
    }
    const wiping = await sent(tab, 'claude-code', 'tools/call', { name: 'wipe', arguments: {} })
    await choose(tab, 'Don’t allow')
    const { error } = await answered(tab, wiping)
    assert.equal(error?.data?.reason, 'declined')
    assert.match(error?.message ?? '', /The user declined. Do not try again unless they ask/)
  }),
)

inBrowsers('a read that waits fails when its assistant is revoked, within 100 ms', (browser) =>
  withApp(async (url) => {
    const tab = await page(browser, url('access=ask'))
    let fastest = Number.POSITIVE_INFINITY // other tests use the machine, too
    for (let times = 0; times < 3; times++) {
      await tab.evaluate(() => mcp.access.allow('claude-code', 'read', 'always'))
      await tab.evaluate(() => {
        isRunning = false
      })
      const slow = await sent(tab, 'claude-code', 'resources/read', { uri: 'notes://slow' })
      await tab.waitForFunction(() => isRunning)
      const began = await tab.evaluate(async () => {
        const now = performance.now()
        await mcp.access.revoke('claude-code')
        return now
      })
      const { error, at } = await answered(tab, slow)
      assert.equal(error?.data?.reason, 'revoked')
      fastest = Math.min(fastest, at - began)
    }
    assert.ok(fastest < 100, `${fastest} ms`)
    assert.equal((await read(tab, 'claude-code')).error?.data?.reason, 'declined')
    await tab.evaluate(() => mcp.access.pause())
    assert.equal((await read(tab, 'codex')).error?.data?.reason, 'paused')
    assert.equal((await read(tab, 'page')).contents?.length, 1, 'the page itself')
    await tab.waitForFunction(async () =>
      (await mcp.access.audit()).some(({ reason, allow }) => reason === 'paused' && !allow),
    )
  }),
)

inBrowsers('an open page loads nothing, until something is denied in any tab', (browser) =>
  withApp(async (url) => {
    const tab = await page(browser, url('')) // on this machine
    assert.equal(await tab.evaluate(() => mcp.access.mode), 'open')
    assert.equal((await read(tab, 'claude-code')).contents?.[0]?.text, 'text 1')
    assert.equal(await tab.evaluate(() => loaded()), false)
    const second = await page(browser, url(''))
    await second.evaluate(() => mcp.access.revoke('claude-code'))
    await tab.waitForFunction(() => loaded(), { polling: 50 })
    await tab.waitForFunction(
      async () => (await mcp.access.grants()).some(({ grants }) => grants.length === 2),
      { polling: 50 },
    )
    assert.equal((await read(tab, 'claude-code')).error?.data?.reason, 'declined')
    assert.equal((await read(tab, 'codex')).contents?.length, 1)
    await tab.reload()
    await tab.waitForFunction('window.ready', { polling: 50 })
    assert.equal((await read(tab, 'claude-code')).error?.data?.reason, 'declined')
    await tab.evaluate(() => mcp.access.forget('claude-code'))
    await tab.reload()
    await tab.waitForFunction('window.ready', { polling: 50 })
    assert.equal(await tab.evaluate(() => loaded()), false)
    assert.equal((await read(tab, 'claude-code')).contents?.length, 1)
  }),
)

inBrowsers('a page that cannot load what asks allows nothing', async (browser) => {
  const site = await servePages({ '/app.html': app }, undefined, {
    '/pagemcp/decisions.js': 'throw new Error("broken")',
  })
  try {
    const tab = await page(browser, `${site.origin}/app.html?access=ask`)
    assert.match((await tab.evaluate('errors.join()')) as string, /decisions.js did not load/)
    const { error } = await read(tab, 'claude-code')
    assert.equal(error?.data?.reason, 'unanswered')
    assert.equal((await request(tab, 'claude-code', 'tools/list')).tools?.length, 0)
    assert.equal((await read(tab, 'page')).contents?.length, 1)
  } finally {
    await site.close()
  }
})

inBrowsers('the element of the package shows what users have answered, and ends it', (browser) =>
  withApp(async (url) => {
    const tab = await page(browser, url('access=ask'))
    const reading = await sent(tab, 'cursor', 'resources/read', { uri: 'notes://1' })
    await choose(tab, 'Allow always')
    assert.ok((await answered(tab, reading)).contents)
    await tab.evaluate(async () => {
      const { defineAccess } = await import('/pagemcp/access.js' as string)
      defineAccess(mcp)
      document.body.append(document.createElement('page-mcp'))
    })
    await (await tab.waitForSelector('page-mcp >>> summary'))?.click()
    await tab.waitForSelector('page-mcp >>> ::-p-text(Reads: 1 ·)')
    const slow = await sent(tab, 'cursor', 'resources/read', { uri: 'notes://slow' })
    const stop = 'page-mcp >>> ::-p-aria([name="Stop: cursor"][role="button"])'
    await (await tab.waitForSelector(stop))?.click()
    assert.equal((await answered(tab, slow)).error?.data?.reason, 'revoked')
    await tab.waitForSelector('page-mcp >>> ::-p-text(Act: not allowed)')
  }),
)

inBrowsers(
  'a request that a question waits for can be cancelled by the end of its client',
  (browser) =>
    withApp(async (url) => {
      const tab = await page(browser, url('access=ask'))
      await sent(tab, 'claude-code', 'resources/read', { uri: 'notes://1' })
      await isShown(tab)
      await takesClicks(tab)
      await tab.evaluate(() => mcp.close())
      await isGone(tab)
    }),
)
