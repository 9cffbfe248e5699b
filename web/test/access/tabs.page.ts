// The question over all tabs of an app, and how long its answers hold.

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers, type TestBrowser } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type { Kit } from './page.ts'
import { answer, ask, choose, isGone, isShown, opened } from './person.ts'

declare const kit: Kit

const { url, other } = serveKit('access/page.ts', {
  '/elsewhere.html': '<!doctype html><title>elsewhere</title>',
  '/framed.html': '<!doctype html><title>framed</title><iframe width="900" height="700"></iframe>',
})

const decisions = (tab: Page) =>
  tab.evaluate(() =>
    kit.table()?.grants.map(({ assistant, right, allow }) => [assistant, right, allow]),
  )
/** Waits until the table of a tab has so many decisions. */
const has = (tab: Page, count: number) =>
  tab.waitForFunction((count) => kit.table()?.grants.length === count, { polling: 20 }, count)

/** A tab that is hidden, since the second one is in front of it. */
async function twoTabs({ open }: TestBrowser): Promise<[hidden: Page, visible: Page]> {
  const first = await opened(open(url('/?q')))
  const second = await opened(open(url('/?q')))
  await second.bringToFront()
  await first.waitForFunction(() => document.hidden, { polling: 50 })
  return [first, second]
}

inBrowsers(
  'a hidden tab marks its title, and has the answer that another one gets',
  async (browser) => {
    const [hidden, visible] = await twoTabs(browser)
    await ask(hidden, 'a')
    await ask(visible, 'b')
    await isShown(visible)
    assert.equal(await hidden.title(), '(?) access')
    assert.equal(await hidden.evaluate(() => kit.isAsked()), false)
    await choose(visible, 'Allow this time')
    assert.deepEqual(await answer(visible, 'b'), { allow: true, reason: 'asked' })
    assert.equal((await answer(hidden, 'a')).allow, true)
    assert.equal(await hidden.title(), 'access')
    assert.deepEqual(await decisions(hidden), [['claude-code', 'read', true]])
  },
)

inBrowsers(
  'a tab that opens takes what others say once it knows the decisions, and ignores what is no message',
  async ({ open }) => {
    const first = await opened(open(url('/?q')))
    await first.evaluate(() => {
      const channel = new BroadcastChannel('pagemcp.access:notes')
      const messages = [null, 'x', { kind: 'asked' }, { kind: 'used' }]
      setInterval(() => {
        for (const one of [{ kind: 'changed' }, ...messages]) channel.postMessage(one)
      }, 1)
    })
    for (let i = 0; i < 3; i++) await opened(open(url('/?q'))) // an uncaught error fails the test
  },
  { only: ['chromium'] },
)

inBrowsers(
  '"this time" lasts for 8 hours in all tabs, or until a gateway has forgotten the app',
  async ({ open, context }) => {
    const first = await opened(open(url('/?q')))
    await ask(first, 'a')
    await choose(first, 'Allow this time')
    await answer(first, 'a')
    const until = await first.evaluate(() => (kit.table()?.grants[0]?.until ?? 0) - Date.now())
    assert.ok(until > 7.9 * 3_600_000 && until <= 8 * 3_600_000, `${until} ms`)
    await first.reload()
    await first.waitForFunction('window.ready')
    assert.deepEqual(await decisions(first), [['claude-code', 'read', true]])
    await context.newPage() // the browser stays
    await first.close()
    const later = await opened(open(url('/?q')))
    assert.deepEqual(await decisions(later), [['claude-code', 'read', true]])
    await later.evaluate(() => kit.access.allow('other', 'read', 'always'))
    await later.evaluate(() => kit.access.forgotten())
    await later.waitForFunction(() => kit.table()?.grants.length === 1, { polling: 20 })
    assert.deepEqual(await decisions(later), [['other', 'read', true]])
  },
)

inBrowsers(
  '"always" lasts when all tabs are closed, and so does a refusal',
  async ({ open }) => {
    const first = await opened(open(url('/?q')))
    await ask(first, 'a')
    await choose(first, 'Allow always')
    await ask(first, 'b', { assistant: 'other' })
    await choose(first, 'Don’t allow')
    await answer(first, 'b')
    await first.close()
    const later = await opened(open(url('/?q')))
    assert.deepEqual(await decisions(later), [
      ['claude-code', 'read', true],
      ['other', 'read', false],
    ])
    await ask(later, 'c', { assistant: 'other' })
    assert.equal((await answer(later, 'c')).reason, 'declined')
  },
  { only: ['chromium'] },
)

inBrowsers('revoke and pause hold in all tabs, a pause over reloads', async (browser) => {
  const [hidden, visible] = await twoTabs(browser)
  await visible.evaluate(() => kit.access.allow('claude-code', 'read', 'always'))
  await has(hidden, 1)
  await visible.evaluate(() => kit.access.revoke('claude-code'))
  await hidden.waitForFunction(() => kit.table()?.grants.every(({ allow }) => !allow), {
    polling: 20,
  })
  assert.deepEqual(await decisions(hidden), [
    ['claude-code', 'read', false],
    ['claude-code', 'act', false],
  ])
  await ask(visible, 'a')
  assert.equal((await answer(visible, 'a')).reason, 'revoked')

  await visible.evaluate(() => kit.access.pause())
  await hidden.waitForFunction(() => kit.table()?.pausedUntil !== undefined, { polling: 20 })
  await hidden.reload()
  await hidden.waitForFunction('window.ready', { polling: 50 })
  const until = await hidden.evaluate(() => kit.access.pausedUntil ?? 0)
  assert.ok(until > Date.now() + 3_500_000 && until < Date.now() + 3_700_000, String(until))
  await ask(hidden, 'b', { assistant: 'new' })
  assert.equal((await answer(hidden, 'b')).reason, 'paused')
  await hidden.evaluate(() => kit.access.resume())
  await visible.waitForFunction(() => kit.table()?.pausedUntil === undefined, { polling: 20 })
})

inBrowsers(
  'a revoke that cannot be stored holds, says so, and is stored later',
  async ({ open }) => {
    const tab = await opened(open(url('/?q')))
    await tab.evaluate(() => kit.access.allow('claude-code', 'read', 'always'))
    const said = await tab.evaluate(async () => {
      const { put } = IDBObjectStore.prototype
      IDBObjectStore.prototype.put = function (...args) {
        const request = put.apply(this, args)
        this.transaction.abort()
        return request
      }
      const said = await kit.access.revoke('claude-code').then(() => 'stored', String)
      IDBObjectStore.prototype.put = put
      return said
    })
    assert.match(said, /decisions about assistants cannot be stored: AbortError/)
    const denied = [
      ['claude-code', 'read', false],
      ['claude-code', 'act', false],
    ]
    assert.deepEqual(await decisions(tab), denied)
    await tab.evaluate(() => kit.access.refresh()) // reads what is stored
    assert.deepEqual(await decisions(tab), denied)
    await ask(tab, 'a')
    assert.equal((await answer(tab, 'a')).reason, 'revoked')
    await tab.evaluate(() => kit.access.allow('other', 'read'))
    await tab.reload()
    await tab.waitForFunction('window.ready', { polling: 50 })
    assert.deepEqual(await decisions(tab), [...denied, ['other', 'read', true]])
  },
)

inBrowsers('a newer version of the database is used as it is', async ({ open }) => {
  const tab = await opened(open(url('/?q')))
  await tab.evaluate(() => kit.access.allow('a', 'read'))
  await tab.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const opening = indexedDB.open('pagemcp', 9)
        opening.onsuccess = () => {
          opening.result.close()
          resolve()
        }
      }),
  )
  await tab.evaluate(() => kit.access.allow('b', 'read'))
  const later = await opened(open(url('/?q')))
  assert.equal((await decisions(later))?.length, 2)
})

inBrowsers('where nothing is stored, a document has decisions of its own', async ({ open }) => {
  const tab = await opened(open(url('/?nowhere')))
  await tab.evaluate(() => kit.access.allow('a', 'read'))
  assert.equal((await decisions(tab))?.length, 1)
  assert.equal((await decisions(await opened(open(url('/?q')))))?.length, 0)
})

inBrowsers(
  'a frozen tab keeps no other from deciding, and has the decisions when it goes on',
  async (browser) => {
    const [frozen, visible] = await twoTabs(browser)
    const session = await frozen.createCDPSession()
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    for (const assistant of ['a', 'b', 'c']) {
      await visible.evaluate((assistant) => kit.access.allow(assistant, 'read'), assistant)
    }
    assert.equal((await visible.evaluate(() => kit.access.grants())).length, 3)
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    await has(frozen, 3)
    await visible.evaluate(() => kit.access.allow('d', 'read'))
    await has(frozen, 4)
  },
  { only: ['chromium'] },
)

inBrowsers(
  'a question that waits is answered by revoke, allow and pause',
  async ({ open }) => {
    const tab = await opened(open(url('/?q')))
    await ask(tab, 'a')
    await isShown(tab)
    await tab.evaluate(() => kit.access.allow('claude-code', 'read'))
    assert.deepEqual(await answer(tab, 'a'), { allow: true, reason: 'grant' })
    await isGone(tab)
    await tab.evaluate(() => kit.access.forget('claude-code'))
    await ask(tab, 'b')
    await isShown(tab)
    await tab.evaluate(() => kit.access.revoke('claude-code', 'read'))
    assert.equal((await answer(tab, 'b')).reason, 'revoked')
    await isGone(tab)
    await ask(tab, 'c', { assistant: 'other' })
    await isShown(tab)
    await tab.evaluate(() => kit.access.pause(60_000))
    assert.equal((await answer(tab, 'c')).reason, 'paused')
    await isGone(tab)
  },
  { only: ['chromium'] },
)

/** Opens a document in frames, each within the one before. */
async function inFrames(open: TestBrowser['open'], ...urls: readonly [string, ...string[]]) {
  const tab = await open(urls[0])
  let frame = tab.mainFrame()
  for (const inner of urls.slice(1)) {
    const next = await (await frame.$('iframe'))?.contentFrame()
    assert.ok(next)
    await next.goto(inner)
    frame = next
  }
  return frame
}

for (const [behaviour, urls] of [
  ['in a frame of another origin nothing is asked', () => [url('/framed.html'), `${other()}?q`]],
  [
    'in a frame of another origin, which is in one of its own, nothing is asked',
    () => [url('/framed.html'), `${other()}framed.html`, url('/?q')],
  ],
] as const)
  inBrowsers(behaviour, async ({ open }) => {
    const frame = await inFrames(open, ...(urls() as [string, ...string[]]))
    await frame.waitForFunction('window.ready', { polling: 50 })
    await frame.evaluate(() => kit.ask('a'))
    await frame.waitForFunction(() => kit.answer('a') !== null, { polling: 20 })
    const result = await frame.evaluate(() => [kit.answer('a'), kit.isAsked()] as const)
    assert.equal(result[1], false)
    assert.equal(result[0]?.reason, 'unanswered')
    assert.match(result[0]?.message ?? '', /shown within another site/)
  })

inBrowsers(
  'the function of the app decides first, and a denial of the user before it',
  async ({ open }) => {
    const tab = await opened(open(url('/?policy=notes')))
    assert.equal((await tab.evaluate(() => kit.table()))?.policy, true)
    await ask(tab, 'a')
    assert.deepEqual(await answer(tab, 'a'), { allow: true, reason: 'policy' })
    assert.deepEqual(
      await tab.evaluate(() => kit.table()?.grants.map(({ right, allow }) => [right, allow])),
      [['list', true]],
    )
    await ask(tab, 'b', { uri: 'secret://1' })
    await choose(tab, 'Allow this time')
    assert.deepEqual(await answer(tab, 'b'), { allow: true, reason: 'asked' })
    await tab.evaluate(() => kit.access.revoke('claude-code', 'read'))
    await ask(tab, 'c')
    assert.equal((await answer(tab, 'c')).reason, 'revoked')

    const denies = await opened(open(url('/?policy=never')))
    await ask(denies, 'a', { assistant: 'other' })
    assert.deepEqual(await answer(denies, 'a'), { allow: false, reason: 'policy' })
    const throws = await opened(open(url('/?policy=throws')))
    await ask(throws, 'a', { assistant: 'other' })
    assert.deepEqual(await answer(throws, 'a'), { allow: false, reason: 'policy' })
    assert.deepEqual(await throws.evaluate(() => kit.errors), ['Error: the policy fails'])
  },
  { only: ['chromium'] },
)

inBrowsers(
  'use is counted over tabs, and each has the last entries of all',
  async (browser) => {
    const [first, second] = await twoTabs(browser)
    const note = (tab: Page, times: number, method = 'resources/read') =>
      tab.evaluate(
        (times, method) => {
          for (let i = 0; i < times; i++) {
            kit.access.decided({
              assistant: 'claude-code',
              callsItself: 'Claude',
              right: method === 'tools/call' ? 'act' : 'read',
              method,
              what: `notes://${i}`,
              allow: true,
              reason: 'grant',
              bytes: 10,
              ms: 1,
            })
          }
        },
        times,
        method,
      )
    await note(first, 700)
    await second.waitForFunction(async () => (await kit.access.audit()).length === 700)
    await note(second, 600)
    await note(second, 2, 'tools/call')
    const audit = await second.evaluate(() => kit.access.audit())
    assert.deepEqual(
      [audit.length, audit[0]?.method, audit[2]?.what],
      [1000, 'tools/call', 'notes://599'],
    )
    const [one] = await second.evaluate(() => kit.access.grants())
    assert.deepEqual(
      [one?.assistant, one?.callsItself, one?.readsToday, one?.callsToday],
      ['claude-code', 'Claude', 1300, 2],
    )
    await second.waitForFunction(() => kit.events() > 0, { polling: 50 })
  },
  { only: ['chromium'] },
)

inBrowsers(
  'who has consented at a hosted gateway is not asked again about reads',
  async ({ open }) => {
    const tab = await opened(open(url('/?q')))
    await tab.evaluate(() => kit.access.consented())
    const table = await tab.evaluate(() => kit.table())
    assert.equal(table?.asksLists, true, 'lists are asked about, too')
    assert.equal(table?.policy, undefined, 'what is in the table holds')
    const list = { method: 'resources/list', uri: undefined }
    await ask(tab, 'a', { assistant: 'client:claude', ...list })
    assert.deepEqual(await answer(tab, 'a'), { allow: true, reason: 'grant' })
    assert.deepEqual(
      await tab.evaluate(() =>
        kit.table()?.grants.map(({ assistant, right }) => [assistant, right]),
      ),
      [['client:claude', 'read']],
    )
    await ask(tab, 'b', { assistant: 'codex', ...list })
    assert.equal((await answer(tab, 'b')).reason, 'unanswered', 'a list asks nothing')
    await ask(tab, 'c', { assistant: 'client:claude', right: 'act', method: 'tools/call' })
    await choose(tab, 'Don’t allow')
    await tab.evaluate(() => kit.access.revoke('client:claude'))
    await ask(tab, 'd', { assistant: 'client:claude' })
    assert.equal((await answer(tab, 'd')).reason, 'revoked', 'the user is above the gateway')
    const reads = await tab.evaluate(() =>
      kit.table()?.grants.filter(({ right }) => right === 'read'),
    )
    assert.deepEqual(
      reads?.map(({ allow }) => allow),
      [false],
    )
  },
  { only: ['chromium'] },
)

inBrowsers('a page that comes back has its session, and hears of other tabs', async ({ open }) => {
  const tab = await opened(open(url('/?q')))
  await tab.evaluate(() => kit.access.allow('claude-code', 'read'))
  await tab.goto(url('/elsewhere.html'))
  await tab.goBack()
  await tab.waitForFunction('window.ready', { polling: 50 })
  assert.deepEqual(await decisions(tab), [['claude-code', 'read', true]])
  const second = await opened(open(url('/?q')))
  assert.deepEqual(await decisions(second), [['claude-code', 'read', true]])
  await second.evaluate(() => kit.access.revoke('claude-code', 'read'))
  await tab.waitForFunction(() => kit.table()?.grants[0]?.allow === false, { polling: 50 })
})
