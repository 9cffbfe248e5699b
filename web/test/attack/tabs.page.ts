/**
 * A script of this origin that is no tab of ours posts to the channel of tabs (security.md, T8): it gets no
 * text of a tab that names no selectors, whatever it says of that tab, and what it says of its own is bounded and clean.
 */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { openTab, servePage } from '../tabs/serving.ts'

const site = servePage()

/** A document that joins the channel by hand; returns the texts that tabs have sent to it. */
const attacker = (page: Page) =>
  page.evaluate(() => {
    const channel = new BroadcastChannel('pagemcp.tabs')
    const heard: Record<string, unknown>[] = []
    channel.onmessage = ({ data }) => heard.push(data)
    Object.assign(window, { channel, heard })
  })
declare const channel: BroadcastChannel
declare const heard: { is: string; tab?: { id: string }; answer?: unknown }[]

inBrowsers(
  'a tab that names no selectors sends no text, whatever is asked or said of it',
  async (browser) => {
    const victim = await openTab(browser, site.url('/text?mute'))
    const reader = await openTab(browser, site.url('/a'))
    const evil = await browser.open(site.url('/plain'))
    await reader.evaluate(() => tabKit.untilTitles('a', 'text'))
    await attacker(evil)
    const id = await victim.evaluate(async () => (await tabKit.own()).id)
    // The state of the victim with `text: true`, as if the victim had sent it, and requests for the text.
    await evil.evaluate(async (id) => {
      channel.postMessage({
        is: 'new',
        tab: {
          id: 'evil',
          title: 'evil',
          url: 'http://x/',
          visibility: 'visible',
          focused: false,
          lastFocus: 0,
          text: false,
          edits: 0,
        },
      })
      const state = () => heard.find(({ is, tab }) => is === 'here' && tab?.id === id)?.tab
      while (state() === undefined) await new Promise(requestAnimationFrame)
      channel.postMessage({ is: 'here', tab: { ...state(), text: true, title: 'text', edits: 1 } })
      for (let number = 0; number < 100; number++) {
        channel.postMessage({ is: 'ask', to: id, from: 'evil', number })
      }
      while (heard.filter(({ is }) => is === 'text').length < 100) {
        await new Promise(requestAnimationFrame)
      }
    }, id)
    const answers = await evil.evaluate(() =>
      heard.filter(({ is }) => is === 'text').map(({ answer }) => answer ?? 'none'),
    )
    assert.deepEqual(new Set(answers), new Set(['none']))
    const read = await reader.evaluate(
      (id) => tabKit.read(`tab:///${id}/text`).catch(({ name }) => name),
      id,
    )
    assert.equal(read, 'NotFoundError')
  },
)

inBrowsers(
  'what another script says of a tab is bounded, clean and without secrets',
  async (browser) => {
    const reader = await openTab(browser, site.url('/a'))
    const evil = await browser.open(site.url('/plain'))
    await attacker(evil)
    await evil.evaluate(async () => {
      await new Promise<void>((held) => {
        void navigator.locks.request('pagemcp:evil', () => {
          held()
          return new Promise(() => {})
        })
      })
      channel.onmessage = ({ data }) => {
        if (data.is !== 'ask') return
        const answer = { text: '😀'.repeat(500_000), cut: false }
        channel.postMessage({ is: 'text', to: data.from, number: data.number, answer })
      }
      channel.postMessage({
        is: 'here',
        tab: {
          id: 'evil',
          title: `evil\u202e\u0007${'x'.repeat(1_000_000)}`,
          url: `https://user:password@a.example/?token=s3cret&x=${'y'.repeat(1_000_000)}`,
          visibility: 'hidden',
          focused: false,
          lastFocus: 0,
          text: true,
          edits: 0,
          more: 'w'.repeat(1_000_000),
        },
      })
    })
    const got = await reader.evaluate(async () => {
      await tabKit.until('tab:///evil')
      const text = await tabKit.source?.read('tab:///evil/text', {
        signal: new AbortController().signal,
      })
      const all = await tabKit.read('tab:///')
      const { tabs } = JSON.parse(all) as { tabs: Record<string, string>[] }
      const part = await tabKit.source?.list(undefined, {
        pageSize: 100,
        signal: new AbortController().signal,
      })
      return {
        all: all.length,
        list: JSON.stringify(part).length,
        tab: tabs.find(({ id }) => id === 'evil'),
        text: text?.[0]?.text?.length,
        meta: Object.keys(text?.[0]?._meta ?? {}),
        isWellFormed: text?.[0]?.text?.isWellFormed(),
      }
    })
    assert.ok(got.all < 10_000, `tab:/// has ${got.all} characters`)
    assert.ok(got.list < 20_000, `the list has ${got.list} characters`)
    assert.match(got.tab?.title ?? '', /^evilx+…$/)
    assert.doesNotMatch(got.tab?.url ?? '', /s3cret|password/)
    assert.equal(got.tab?.visibility, 'hidden')
    assert.equal(got.text, 200_000)
    assert.ok(got.isWellFormed)
    assert.ok(got.meta.includes('io.github.pagemcp/lossy'), got.meta.join())
  },
)

inBrowsers('only an array of selectors shares text: no other value does', async (browser) => {
  const page = await openTab(browser, site.url('/a'))
  const errors = await page.evaluate(() =>
    [true, 'main', [], [''], ['main', 1], {}, null, 0].map((text) => {
      try {
        tabKit.tabs({ text: text as never })
        return `accepted ${JSON.stringify(text)}`
      } catch (error) {
        return (error as Error).name
      }
    }),
  )
  assert.deepEqual(errors, [
    'TypeError',
    'TypeError',
    'TypeError',
    'SyntaxError',
    'TypeError',
    'TypeError',
    'TypeError',
    'TypeError',
  ])
})
