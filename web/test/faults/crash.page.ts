// A renderer crashes with all its tabs, and they are loaded again: each tab keeps its name, and its URIs keep
// their meaning. gateway.md §3, "page reloads".

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { askUntil } from '../e2e/again.ts'
import { useGateway } from '../e2e/gateway.ts'
import { joined } from '../e2e/notes.ts'
import { inBrowsers } from '../harness/browsers.ts'
import { post } from '../harness/client.ts'

const gateway = useGateway()

const rounds = 2
const tabs = 3

/** Crashes a tab's renderer; all tabs of the same process go with it. */
async function crash(page: Page, others: readonly Page[]): Promise<void> {
  const gone = [page, ...others].map(
    (one) => new Promise<void>((resolve) => one.once('error', () => resolve())),
  )
  const session = await page.createCDPSession()
  session.send('Page.crash').catch(() => {}) // never answered
  await gone[0]
}

inBrowsers(
  'tabs whose renderer crashed have their names again when they are loaded again',
  async ({ open }) => {
    const { pages } = await gateway().fresh()
    const all: Page[] = [await open(pages.notes ?? '')]
    const names = [await joined(all[0] as Page)]
    for (let i = 1; i < tabs; i++) {
      const tab = await open(all[0]?.url() ?? '')
      all.push(tab)
      names.push(await joined(tab))
    }
    assert.equal(new Set(names).size, tabs)
    for (let round = 0; round < rounds; round++) {
      const [victim, ...others] = all as [Page, ...Page[]]
      await crash(victim, others)
      // In another order each time: names go by tab, not by who comes first.
      const order = all.map((_, i) => (i + round) % tabs)
      await Promise.all(order.map((i) => all[i]?.reload()))
      assert.deepEqual(await Promise.all(all.map(joined)), names, `after crash ${round + 1}`)
    }
    await askUntil(
      `resources of ${names.join(', ')} in the list`,
      () => post(gateway(), 'resources/list'),
      (listed) => names.every((name) => listed.includes(`"${name}+`)),
    )
  },
  { only: ['chromium'] },
)
