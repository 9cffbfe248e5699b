// What the user has decided, without a browser: a tick is for a tab and the site that it shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'

const news = 'https://news.example'
const bank = 'https://bank.example'
let script: () => Promise<object> = async () => ({})
let shown: { id: number; url: string; title: string; windowId: number }[] = []
const area = () => {
  const stored: Record<string, unknown> = {}
  return {
    get: async (wanted: object) =>
      Array.isArray(wanted) ? { ...stored } : { ...wanted, ...stored },
    set: async (change: object) => void Object.assign(stored, structuredClone(change)),
    remove: async (key: string) => void delete stored[key],
  }
}
Object.assign(globalThis, {
  chrome: {
    storage: { session: area(), local: area() },
    permissions: { contains: async () => true, remove: async () => true },
    tabs: {
      get: async (tab: number) => shown.find(({ id }) => id === tab),
      query: async ({ active }: { active?: boolean }) => (active ? [] : shown),
    },
    scripting: { executeScript: async () => [{ result: await script() }] },
  },
})
const { agree, changeSite, endActing, endOf, forget, local, mayAct, session, tick, untick, used } =
  await import('../../extension/consent.ts')
const { sharedTabs, textOf } = await import('../../extension/tabs.ts')

const tab = (id: number, site: string) => ({ id, url: `${site}/`, title: site, windowId: 1 })
const shared = async () => (await sharedTabs()).map(({ id, site }) => `${id} ${site}`)

test('a ticked tab that goes to another site is not read, although the user has agreed to it elsewhere', async () => {
  shown = [tab(1, news), tab(2, bank)]
  await agree({ tab: 1, site: news })
  await agree({ tab: 2, site: bank })
  assert.deepEqual(await shared(), [`1 ${news}`, `2 ${bank}`])
  shown = [tab(1, bank), tab(2, bank)]
  assert.deepEqual(await shared(), [`2 ${bank}`])
  await tick({ tab: 1, site: news }) // the popup showed that when the user clicked
  assert.deepEqual(await shared(), [`2 ${bank}`])
  await tick({ tab: 1, site: bank })
  assert.deepEqual(await shared(), [`1 ${bank}`, `2 ${bank}`])
  shown = [tab(1, news), tab(2, bank)]
  assert.deepEqual(await shared(), [`2 ${bank}`])
})

test('a tick for a time ends by itself, to the millisecond', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: new Date(2026, 10, 26, 22, 30).getTime() })
  shown = [tab(1, news), tab(2, bank)]
  await untick(() => true)
  await agree({ tab: 1, site: news })
  await agree({ tab: 2, site: bank })
  await tick({ tab: 1, site: news, until: endOf('hour', Date.now()) })
  await tick({ tab: 2, site: bank, until: endOf('today', Date.now()) })
  assert.deepEqual(await shared(), [`1 ${news}`, `2 ${bank}`])
  t.mock.timers.setTime(new Date(2026, 10, 26, 23, 29, 59, 999).getTime())
  assert.deepEqual(await shared(), [`1 ${news}`, `2 ${bank}`])
  t.mock.timers.setTime(new Date(2026, 10, 26, 23, 30).getTime())
  assert.deepEqual(await shared(), [`2 ${bank}`])
  t.mock.timers.setTime(new Date(2026, 10, 27).getTime())
  assert.deepEqual(await shared(), [])
  await tick({ tab: 2, site: bank, until: endOf('session', Date.now()) })
  assert.deepEqual((await session()).ticks.at(-1), { tab: 2, site: bank })
  assert.deepEqual(await shared(), [`2 ${bank}`])
})

test('reads are counted by site and assistant, and forgotten with the site', async () => {
  await used([
    { site: news, assistant: 'claude', time: 1, reads: 1 },
    { site: bank, assistant: 'claude', callsItself: 'Claude', time: 2, reads: 1 },
    { site: 'https://taken.example', assistant: 'claude', time: 3, reads: 1 },
  ])
  await used([{ site: news, assistant: 'claude', time: 4, reads: 2 }])
  assert.deepEqual((await local()).uses, [
    { site: news, assistant: 'claude', time: 4, reads: 3 },
    { site: bank, assistant: 'claude', callsItself: 'Claude', time: 2, reads: 1 },
  ])
  await used(
    Array.from({ length: 300 }, (_, i) => ({ site: news, assistant: `a${i}`, time: i, reads: 1 })),
  )
  assert.equal((await local()).uses.length, 200)
  await forget(news)
  assert.ok((await local()).uses.every(({ site }) => site === bank))
})

test('an assistant is stopped at one site, until it is allowed there or the site is revoked', async () => {
  shown = [tab(1, news), tab(2, bank)]
  await agree({ tab: 1, site: news })
  await agree({ tab: 2, site: bank })
  const stopped = async () =>
    Object.fromEntries((await sharedTabs()).map((one) => [one.site, one.stopped]))
  const stop = (site: string, assistant: string, stop = true) =>
    changeSite({ site, assistant, stop })
  await used([{ site: bank, assistant: 'codex', time: 9, reads: 2 }])
  await stop(bank, 'codex')
  await stop(bank, 'claude')
  await stop('https://taken.example', 'claude') // there is no consent
  assert.deepEqual(await stopped(), { [news]: [], [bank]: ['claude', 'codex'] })
  await used([{ site: bank, assistant: 'codex', time: 10, reads: 1 }]) // read before, stored after
  assert.deepEqual(await stopped(), { [news]: [], [bank]: ['claude', 'codex'] })
  shown = [tab(1, news), tab(2, news)]
  await tick({ tab: 2, site: news }) // the decision is about the site, not about the tab
  assert.deepEqual(await stopped(), { [news]: [] })
  shown = [tab(1, bank), tab(2, news)]
  await tick({ tab: 1, site: bank })
  assert.deepEqual(await stopped(), { [bank]: ['claude', 'codex'], [news]: [] })
  await stop(bank, 'codex', false)
  assert.deepEqual(await stopped(), { [bank]: ['claude'], [news]: [] })
  await stop(bank, 'claude', false)
  const ofBank = async () => (await local()).uses.filter(({ site }) => site === bank)
  assert.deepEqual(
    (await ofBank()).find(({ assistant }) => assistant === 'codex'),
    { site: bank, assistant: 'codex', time: 10, reads: 3 },
  )
  await stop(bank, 'claude')
  await forget(bank)
  assert.deepEqual(await ofBank(), [])
})

test('a text is not returned to an assistant that was stopped while the tab was read', async () => {
  shown = [tab(1, news)]
  await agree({ tab: 1, site: news })
  const text = { site: news, text: 'Leek.', cut: false }
  script = async () => text
  assert.deepEqual(await textOf(1, news, 'claude'), { text: 'Leek.', cut: false })
  script = async () => {
    await changeSite({ site: news, assistant: 'claude', stop: true })
    return text
  }
  await assert.rejects(textOf(1, news, 'claude'), { name: 'NotAllowedError' })
  script = async () => text
  assert.deepEqual(await textOf(1, news, 'codex'), { text: 'Leek.', cut: false })
  script = async () => assert.fail('the tab is not read')
  await assert.rejects(textOf(1, news, 'claude'), { name: 'NotAllowedError' })
})

test('decisions outlast uses, and one too many revokes its site', async () => {
  shown = [tab(1, news), tab(2, bank)]
  await agree({ tab: 2, site: bank })
  for (let i = 0; i < 499; i++) {
    await changeSite({ site: news, assistant: `stopped ${i}`, stop: true })
  }
  await used(
    Array.from({ length: 300 }, (_, i) => ({ site: news, assistant: `a${i}`, time: 99, reads: 1 })),
  )
  const { uses } = await local()
  assert.equal(uses.filter(({ isStopped }) => isStopped).length, 500) // with claude
  assert.equal(uses.length, 700)
  await changeSite({ site: bank, assistant: 'claude', stop: true })
  assert.deepEqual((await local()).sites, [news])
  assert.deepEqual(await shared(), [`1 ${news}`])
})

test('an assistant may use the tools of a site for 8 hours, until it is stopped there or everywhere', async (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: new Date(2026, 10, 26, 9).getTime() })
  shown = [tab(1, news), tab(2, bank)]
  await forget(news) // with the decisions about it
  await agree({ tab: 1, site: news })
  await agree({ tab: 2, site: bank })
  const acting = async () =>
    Object.fromEntries((await sharedTabs()).map((one) => [one.site, one.acting]))
  await mayAct(news, 'gemini')
  await used([{ site: news, assistant: 'gemini', time: 1, reads: 1 }])
  await mayAct('https://taken.example', 'gemini') // there is no consent
  assert.deepEqual(await acting(), { [news]: ['gemini'], [bank]: [] })
  await changeSite({ site: news, assistant: 'gemini', stop: true })
  await changeSite({ site: news, assistant: 'gemini', stop: false })
  assert.deepEqual(await acting(), { [news]: [], [bank]: [] })
  await mayAct(news, 'gemini')
  await mayAct(bank, 'opencode')
  await endActing('gemini')
  assert.deepEqual(await acting(), { [news]: [], [bank]: ['opencode'] })
  t.mock.timers.tick(8 * 3_600_000)
  assert.deepEqual(await acting(), { [news]: [], [bank]: [] })
})
