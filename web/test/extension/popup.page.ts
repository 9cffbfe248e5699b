/** The popup in each language, with all that it can show, in the width that it has. */

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'puppeteer-core'
import type { Overview, TabInfo } from '../../extension/messages.ts'
import { textsIn } from '../../extension/popup.texts.ts'
import { languages, say } from '../../src/translation.ts'
import { close, launch } from '../harness/launch.ts'
import { chromium } from './chromium.ts'
import { type Installed, timeout } from './person.ts'

/** The width of the popup, CSS pixels; popup.css. */
const width = 360

/** Names of the browser's languages. */
const tags = { en: 'en-US', de: 'de', ja: 'ja', 'zh-Hans': 'zh-CN' } as const

const news = 'https://news.example'
const bank = 'https://bank.example'
const tomorrow = new Date().setHours(24, 0, 0, 0)

const tab = (id: number, site: string, more: Partial<TabInfo>): TabInfo => ({
  id,
  title: `A title of a page that does not fit into one line of the popup, ${id}`,
  url: `${site}/a/path/that/does/not/fit/into/one/line/of/the/popup`,
  site,
  window: 1,
  front: false,
  active: false,
  audible: false,
  pinned: false,
  loading: false,
  discarded: false,
  ticked: false,
  shared: false,
  stopped: [],
  acting: [],
  ...more,
})

type Assistant = Overview['status']['assistants'][number]

const assistant = (name: string, isStopped: boolean): Assistant => ({
  assistant: name,
  callsItself: 'A Client of Another Name',
  readsToday: 1234,
  callsToday: 0,
  grants: isStopped
    ? [{ assistant: name, right: 'read', allow: false, until: tomorrow, lasts: 'always' }]
    : [],
})

/** Two sites with four assistants: one that reads, one without a name, one stopped here, one everywhere. */
const full: Overview = {
  on: true,
  tabs: [
    tab(1, news, { ticked: true, shared: true, stopped: ['codex', 'unnamed'], until: tomorrow }),
    tab(2, bank, { ticked: true, shared: true }),
    tab(3, 'https://other.example', {}),
  ],
  sites: [bank, news],
  uses: [
    { site: news, assistant: 'claude-code', time: 1, reads: 1234, actsUntil: tomorrow },
    { site: bank, assistant: 'claude-code', time: 1, reads: 1 },
    { site: news, assistant: 'codex', time: 1, reads: 12, isStopped: true },
  ],
  status: {
    gateway: { url: 'ws://127.0.0.1:8808/page', is: 'joined', name: 'browser' },
    assistants: [
      assistant('claude-code', false),
      assistant('codex', false),
      assistant('unnamed', false),
      assistant('gemini', true),
    ],
    pausedUntil: tomorrow,
  },
}

const refused: Overview = {
  ...full,
  tabs: [],
  status: { ...full.status, gateway: undefined, reason: 'refused' },
}

let installed: Installed
let browser: Browser

before(async () => {
  installed = await chromium.install([])
  browser = await launch('chromium', installed)
})
after(async () => {
  if (browser !== undefined) await close(browser)
  await installed?.remove()
})

/** Opens the popup of a browser in a language; its background answers with a state. */
async function popup(tag: string, overview: Overview): Promise<Page> {
  const page = await browser.newPage()
  page.setDefaultTimeout(timeout)
  await page.setViewport({ width, height: 600 })
  await page.evaluateOnNewDocument(
    (tag, value) => {
      chrome.i18n.getUILanguage = () => tag
      chrome.runtime.sendMessage = (async () => ({ value })) as typeof chrome.runtime.sendMessage
    },
    tag,
    overview,
  )
  await page.goto(`${chromium.origin}/popup.html`)
  await page.waitForSelector(overview.tabs.length > 0 ? '#tabs li' : '#no-tabs', { visible: true })
  await page.$eval('#sites-box', (box) => box.setAttribute('open', ''))
  return page
}

/** What is wider than the popup, and names of assistants that have no room. */
const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate((width) => {
    const wide = [...document.querySelectorAll<HTMLElement>('body *')].filter(
      (one) => one.getBoundingClientRect().right > width && one.offsetParent !== null,
    )
    const squeezed = [...document.querySelectorAll<HTMLElement>('.readers .title')].filter(
      (one) => one.clientWidth < 48,
    )
    const { scrollWidth } = document.documentElement
    return [
      ...(scrollWidth > width ? [`the document is ${scrollWidth} wide`] : []),
      ...wide.map((one) => `${one.outerHTML} is too wide`),
      ...squeezed.map((one) => `${one.textContent} has ${one.clientWidth} of ${one.scrollWidth}`),
    ]
  }, width)

const headline = (page: Page) => page.$eval('#share-text', (one) => one.textContent)

/** A link of another gateway than the usual one. */
const link = `http://127.0.0.1:9/#pagemcp=${Buffer.from(
  JSON.stringify({ url: 'ws://127.0.0.1:9/page', id: 'one', secret: 'c2VjcmV0' }),
).toString('base64url')}`

for (const language of languages) {
  test(`the popup is in ${language}, and fits its width`, async () => {
    const tag = tags[language]
    const text = textsIn(language)
    const hours = new Date(tomorrow).toLocaleTimeString(language === 'en' ? 'en-GB' : language, {
      hour: '2-digit',
      minute: '2-digit',
    })
    const filled = (text: Parameters<typeof say>[0], values: Parameters<typeof say>[1]) =>
      say(text, values, language)
    const page = await popup(tag, full)
    assert.equal(await page.$eval('html', ({ lang }) => lang), language)
    const shown = await page.$eval('body', ({ innerText }) => innerText)
    for (const one of [
      text.headline.paused,
      filled(text.connectedAs, { name: 'browser' }),
      text.mayBeRead,
      text.forAnHour,
      hours,
      filled(text.readsToday, { count: 1234 }),
      filled(text.mayReadAfter, { count: 1234 }),
      text.mayAct,
      text.stoppedHere,
      text.stoppedEverywhere,
      filled(text.sites, { count: 2 }),
    ]) {
      assert.ok(shown.includes(one), `${one} is not in ${shown}`)
    }
    const names = `claude-code${text.separator}${news}`
    const label = filled(text.about, { action: text.stopHere, names })
    assert.ok(await page.$(`#sites [aria-label="${label}"]`), label)
    assert.deepEqual(await tooWide(page), [])
    await page.close()

    const ticked = { ...full, status: { ...full.status, pausedUntil: undefined } }
    const sharing = await popup(tag, ticked)
    assert.equal(await headline(sharing), filled(text.sharingTabs, { count: 2 }))
    assert.deepEqual(await tooWide(sharing), [])
    await sharing.close()

    const off = await popup(tag, { ...ticked, on: false })
    assert.equal(await headline(off), text.headline.stopped)
    await off.close()

    const unticked = ticked.tabs.map((one) => ({ ...one, ticked: false, shared: false }))
    const empty = await popup(tag, { ...ticked, tabs: unticked })
    assert.equal(await headline(empty), text.headline.nothing)
    await empty.waitForSelector('#tick-a-tab', { visible: true })
    assert.deepEqual(await tooWide(empty), [])
    await empty.close()

    const alone = await popup(tag, refused)
    assert.equal(await headline(alone), text.headline.unpaired)
    await alone.$eval('#link', (field, link) => ((field as HTMLInputElement).value = link), link)
    await alone.click('#connect')
    await alone.waitForSelector('#confirm-gateway', { visible: true })
    const question = await alone.$eval('#confirm-gateway-text', (one) => one.textContent ?? '')
    assert.equal(question, text.otherGateway.replace('{gateway}', 'ws://127.0.0.1:9/page'))
    assert.equal(await alone.$eval('#gateway-advice', (one) => one.textContent), text.linkRefused)
    assert.deepEqual(await tooWide(alone), [])
    await alone.close()
  })
}
