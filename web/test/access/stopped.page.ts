/**
 * What the user has stopped gives nothing, wherever and however the user has decided it, in whatever state the tab is, and
 * whatever is asked for. What engine and gateway do about it is tested without a browser, too
 * (`TestWhatIsStoppedGivesNothing`).
 */

import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { after, before } from 'node:test'
import { promisify } from 'node:util'
import type { Page } from 'puppeteer-core'
import { sessionTime } from '../../src/access/rules.ts'
import type { PageMcp } from '../../src/start.ts'
import { servePages } from '../core/browser/built.ts'
import { askUntil } from '../e2e/again.ts'
import { type Gateway, pageUrl, program, startGateway } from '../e2e/gateway.ts'
import { inBrowsers, inContext, type TestBrowser } from '../harness/browsers.ts'
import { fetchAnswer, post } from '../harness/client.ts'
import type { BrowserName } from '../harness/launch.ts'
import type { Served } from '../harness/serve.ts'
import { kit } from './app.ts'
import { choose, isGone, isShown } from './person.ts'

declare const mcp: PageMcp
declare const value: { set(text: string): void }
declare const saved: { emit(what: object): void }

const app = `${kit}
const { start } = await import('/pagemcp/index.js')
const mcp = window.mcp = await start({ name: 'notes', access: 'ask' })
window.value = mcp.resource('notes://value', { name: 'Value' }, 'the secret')
mcp.resource('notes://function', { name: 'Function' }, () => 'the secret')
mcp.tool('add', () => 'the secret')
mcp.tool('work', { task: 'optional' }, () => 'the secret')
window.saved = mcp.event('saved', { description: 'A note is saved.' })
saved.emit({ what: 'the secret' })
await mcp.connect(new URLSearchParams(location.search).get('gateway')).joined
window.ready = mcp.state.gateways.at(-1).name`

const assistant = 'unnamed' // the token has no name

let site: Served
let gateway: Gateway
before(async () => {
  site = await servePages({ '/app.html': app })
  gateway = await startGateway({ command: 'serve', args: [`--allow-origin=${site.origin}`] })
})
after(async () => {
  await gateway?.close()
  await site?.close()
})

/** A tab of the app that has joined. */
interface Tab {
  readonly page: Page
  readonly name: string
  /** The id of its last task. */
  task?: string
}

/** What a command prints. */
async function command(...args: string[]): Promise<string> {
  const all = [...args, `--state=${gateway.state}`]
  return (await promisify(execFile)(program, all, { timeout: 20_000 })).stdout.trim()
}

async function join(open: TestBrowser['open'], invitation = ''): Promise<Tab> {
  const at = `${site.origin}/app.html?gateway=${encodeURIComponent(pageUrl(gateway))}`
  const page = await open(`${at}${invitation}`)
  await page.waitForFunction('window.ready')
  return { page, name: String(await page.evaluate('ready')) }
}

/** Opens a tab in a browser that has not joined yet. */
const joinFirst = async (open: TestBrowser['open']) =>
  join(open, new URL(await command('pair', site.origin)).hash)

/** Closes a tab, and waits until the gateway knows. */
async function close({ page, name }: Tab): Promise<void> {
  await page.close()
  const status = async () => JSON.parse(await command('status', '--json'))
  await askUntil(`${name} to leave`, status, ({ pages }) =>
    pages.every((one: { name: string; connected: boolean }) => one.name !== name || !one.connected),
  )
}

const withTasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** What an assistant asks a page for, besides `subscriptions/listen`. */
const requests = {
  value: ['resources/read', { uri: 'notes://value' }],
  function: ['resources/read', { uri: 'notes://function' }],
  event: ['resources/read', { uri: 'event:///saved' }],
  tool: ['tools/call', { name: 'add', arguments: {} }],
  task: ['tasks/get', {}],
} as const
type What = keyof typeof requests
const all = Object.keys(requests) as What[]

/** The answer to a request, JSON text. */
function ask({ name, task }: Tab, what: What, signal?: AbortSignal): Promise<string> {
  const [method, params] = requests[what]
  const own = what === 'task' ? { taskId: task } : params
  return post(gateway, method, own, name, what === 'task' ? withTasks : {}, signal)
}

/** The rows: where the user decides, and what the browser does with the tab that is asked. */
interface State {
  readonly decides: 'asked' | 'other'
  readonly isInFront: 'asked' | 'other'
  /** What the tab still gives before the user decides. */
  readonly gives: readonly What[]
  /** Stops the tab before the user decides, and returns what brings it back. */
  readonly stop?: (tab: Tab) => Promise<(open: TestBrowser['open']) => Promise<Tab>>
  readonly only?: readonly BrowserName[]
}

const states: { readonly [state: string]: State } = {
  'a visible tab': { decides: 'asked', isInFront: 'asked', gives: all },
  'a hidden tab': { decides: 'asked', isInFront: 'other', gives: all },
  'a second tab': { decides: 'other', isInFront: 'asked', gives: all },
  'a frozen tab': {
    decides: 'other',
    isInFront: 'other',
    gives: ['value'], // from the gateway's memory
    async stop(tab) {
      await tab.page.evaluate(() => mcp.access.grants()) // Chromium freezes no page that has a transaction
      const session = await tab.page.createCDPSession()
      await session.send('Page.setWebLifecycleState', { state: 'frozen' })
      const isAsleep = (answer: string) => answer.includes('page-asleep')
      // On a busy machine the page may have no time to tell: the gateway notices after half a minute.
      await askUntil('the tab to be asleep', () => ask(tab, 'function'), isAsleep, 90_000)
      return async () => {
        await session.send('Page.setWebLifecycleState', { state: 'active' })
        return tab
      }
    },
    only: ['chromium'], // Firefox freezes no tab
  },
  'a closed tab': {
    decides: 'other',
    isInFront: 'other',
    gives: [],
    async stop(tab) {
      await close(tab)
      return join
    },
  },
}

/** Two tabs of the app, of which assistants ask one. */
interface World {
  readonly asked: Tab
  readonly deciding: Tab
  readonly inFront: Tab
}

/** The columns: how the user decides. */
const decisions: { readonly [decision: string]: (world: World) => Promise<unknown> } = {
  stop: ({ deciding }) => deciding.page.evaluate((who) => mcp.access.revoke(who), assistant),
  pause: ({ deciding }) => deciding.page.evaluate(() => mcp.access.pause()),
  async deny({ deciding, inFront }) {
    await deciding.page.evaluate((who) => mcp.access.forget(who), assistant)
    for (const what of ['function', 'tool'] as const) {
      const answer = ask(deciding, what)
      await choose(inFront.page, 'Don’t allow')
      assert.match(await answer, /declined/)
    }
  },
}

/** It has been allowed "this time" so long ago that it ends in a second. */
const allowEarlier = ({ page }: Tab) =>
  page.evaluate(
    async (who, ago) => {
      const { now } = Date
      Date.now = () => now() - ago
      await mcp.access.allow(who, 'read')
      await mcp.access.allow(who, 'act')
      Date.now = now
    },
    assistant,
    sessionTime - 1000, // ms
  )

const expiry = ({ deciding }: World) =>
  deciding.page.waitForFunction(
    async () => (await mcp.access.grants()).every(({ grants }) => grants.length === 0),
    { polling: 50 },
  )

/** Whether a request is answered with what the page has. If the user is asked, the client gives up. */
async function isGiven({ asked, inFront }: World, what: What): Promise<boolean> {
  const over = new AbortController()
  const { signal } = over
  const answer = ask(asked, what, signal)
  const question = isShown(inFront.page, signal).then(() => 'a question')
  try {
    return (await Promise.race([answer, question])).includes('the secret')
  } finally {
    over.abort()
    await Promise.allSettled([answer, question])
    await isGone(inFront.page)
  }
}

async function until(world: World, is: boolean): Promise<void> {
  for (const what of all) {
    const name = `${what} to be ${is ? 'given' : 'stopped'}`
    await askUntil(
      name,
      () => isGiven(world, what),
      (now) => now === is,
    )
  }
}

/** The messages of a listen, as far as they have come. */
async function listen({ name }: Tab): Promise<{ text: string }> {
  const notifications = { resourceSubscriptions: ['notes://value', 'event:///saved'] }
  const response = await fetchAnswer(gateway, 'subscriptions/listen', { notifications }, name)
  const stream = { text: '' }
  const read = async () => {
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
      stream.text += part
  }
  void read().catch(() => {}) // it ends with the gateway
  return stream
}

/** Changes what the tab has, for those who listen. */
const change = ({ page }: Tab) =>
  page.evaluate(() => {
    value.set(`the secret at ${performance.now()}`)
    saved.emit({ what: 'the secret' })
  })

const allow = ({ page }: Tab) =>
  page.evaluate(async (who) => {
    await mcp.access.resume()
    await mcp.access.forget(who)
    await mcp.access.allow(who, 'read', 'always')
    await mcp.access.allow(who, 'act', 'always')
  }, assistant)

/** Allows everything, and waits until it is given; returns what a listener gets. */
async function begin(world: World): Promise<{ text: string }> {
  const { asked, deciding, inFront } = world
  await inFront.page.bringToFront()
  await allow(deciding)
  const work = { name: 'work', arguments: {} }
  const call = () => post(gateway, 'tools/call', work, asked.name, withTasks)
  const created = await askUntil('a task', call, (answer) => answer.includes('taskId'))
  asked.task = JSON.parse(created).result.taskId
  await until(world, true)
  const stream = await listen(asked)
  const has = (...texts: string[]) =>
    askUntil(
      texts.join(),
      async () => stream.text,
      (text) => texts.every((one) => text.includes(one)),
    )
  await has('acknowledged')
  await change(asked)
  await has('"uri":"notes://value"', '"uri":"event:///saved"')
  return stream
}

for (const [state, { decides, isInFront, gives, stop, only }] of Object.entries(states)) {
  const run = async ({ name, context, open }: TestBrowser) =>
    inContext(context.browser(), name, async (profile) => {
      const empty = await context.newPage()
      const tabs = { asked: await joinFirst(open), other: await join(open) }
      await allow(await joinFirst(profile.open)) // another user, who goes on to allow everything
      for (const decision of [...Object.keys(decisions), 'expiry']) {
        const decide = decisions[decision] ?? expiry
        const world = { asked: tabs.asked, deciding: tabs[decides], inFront: tabs[isInFront] }
        const stream = await begin(world)
        if (decide === expiry) await allowEarlier(world.deciding)
        const bringBack = await stop?.(tabs.asked)
        if (decide !== expiry) {
          for (const what of gives)
            assert.ok(await isGiven(world, what), `${what} before ${decision}`)
        }
        await decide(world)
        await until(world, false)
        const heard = stream.text.length
        if (bringBack) {
          await empty.bringToFront() // else the browser wakes the tab that it shows next
          await close(tabs.other)
        } else {
          await change(tabs.asked)
        }
        const later = bringBack ? { ...world, inFront: { page: empty, name: '' } } : world
        for (const what of all) {
          assert.equal(await isGiven(later, what), false, `${what} after ${decision}`)
        }
        assert.doesNotMatch(stream.text.slice(heard), /updated/, `after ${decision}`)
        if (bringBack) {
          ;[tabs.asked, tabs.other] = await Promise.all([bringBack(open), join(open)])
        }
      }
    })
  inBrowsers(`what the user has stopped gives nothing in ${state}`, run, {
    timeout: 300_000, // a gateway waits 10 s for a closed tab, for each decision
    ...(only && { only }),
  })
}
