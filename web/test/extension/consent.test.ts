// What the user has decided, without a browser: a tick is for a tab and the site that it shows.

import assert from 'node:assert/strict'
import { test } from 'node:test'

const news = 'https://news.example'
const bank = 'https://bank.example'
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
    permissions: { contains: async () => true },
    tabs: {
      get: async (tab: number) => shown.find(({ id }) => id === tab),
      query: async ({ active }: { active?: boolean }) => (active ? [] : shown),
    },
  },
})
const { agree, tick } = await import('../../extension/consent.ts')
const { sharedTabs } = await import('../../extension/tabs.ts')

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
