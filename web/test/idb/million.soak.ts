/** A million records: walked page by page, in constant memory, with an upgrade of the app in the midst. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.kit

const page = serveKit('idb/page.ts')
const records = 1_000_000
const batch = 50_000 // records of one transaction
const pageSize = 1000 // the most there is

/** Each page is faster than this, as soon as the machine does nothing else in its midst: the best of ten. */
const pageTime = 50 // ms
const attempts = 10

/** How much more JavaScript may hold after the walk than before. */
const growth = 20 << 20 // bytes

inBrowsers(
  `${records} records are walked page by page, and an upgrade is not kept waiting`,
  async ({ open, name }) => {
    const tab = await open(page.url())
    for (let from = 0; from < records; from += batch) {
      await tab.evaluate(
        async (from, batch) => {
          const db = await kit.open('big', { all: {} })
          await kit.write(db, 'all', (store) => {
            for (let i = from; i < from + batch; i++) store.put({ i }, i)
          })
          db.close()
        },
        from,
        batch,
      )
    }
    const heapBefore = await heap(tab, name)
    const times: number[] = []
    let cursor: string | undefined
    let count = 0
    let last = ''
    do {
      const part = await tab.evaluate(
        async (cursor, pageSize, pageTime, attempts) => {
          globalThis.big ??= kit.idb({ databases: { big: ['all'] } })
          const times: number[] = []
          let at = cursor
          let count = 0
          let last = ''
          do {
            let best = Infinity
            let listing: Awaited<ReturnType<typeof big.list>> = { resources: [] }
            for (let left = attempts; left > 0 && best > pageTime; left--) {
              const begun = performance.now()
              listing = await big.list(at, { pageSize, signal: kit.never })
              const ms = performance.now() - begun
              best = Math.min(best, ms)
            }
            times.push(best)
            count += listing.resources.length
            last = listing.resources.at(-1)?.uri ?? ''
            at = listing.nextCursor
          } while (at !== undefined && times.length < 50)
          return { times, at, count, last }
        },
        cursor,
        pageSize,
        pageTime,
        attempts,
      )
      times.push(...part.times)
      count += part.count
      last = part.last
      cursor = part.at
    } while (cursor !== undefined)
    assert.equal(count, records + 2) // and the schema, and the store
    assert.equal(last, `idb:///big/all/n.${records - 1}`)
    const heapAfter = await heap(tab, name)
    times.sort((a, b) => a - b)
    const at = (share: number) => (times[Math.floor((times.length - 1) * share)] ?? 0).toFixed(1)
    console.log(
      `${name}: ${times.length} pages of ${pageSize}; ms: median ${at(0.5)}, 99 % ${at(0.99)}, worst ${at(1)}`,
    )
    assert.ok(Number(at(1)) < pageTime, `a page took ${at(1)} ms`)
    if (heapBefore !== undefined && heapAfter !== undefined) {
      console.log(`${name}: ${((heapAfter - heapBefore) / 1024).toFixed(0)} KiB more in JavaScript`)
      assert.ok(heapAfter - heapBefore < growth, `${heapAfter - heapBefore} bytes more`)
    }

    // The longest reads there are, and an upgrade that comes upon them.
    const upgrade = await tab.evaluate(async () => {
      const reads = Array.from({ length: 10 }, () =>
        big.read('idb:///big/all', { signal: kit.never }),
      )
      reads.push(big.read('idb:///big/all/range?from=n.500000', { signal: kit.never }))
      const listing = big.list('idb:///big/all/n.700000', { pageSize: 1000, signal: kit.never })
      await big.read('idb:///big/all/n.1', { signal: kit.never })
      const begun = performance.now()
      const db = await kit.open('big', { added: {} }, 2)
      const ms = performance.now() - begun
      db.close()
      const texts = await Promise.all(reads)
      return { ms, read: texts.length, listed: (await listing).resources.length }
    })
    console.log(`${name}: the upgrade took ${upgrade.ms.toFixed(0)} ms`)
    assert.ok(upgrade.ms < 1000, `the upgrade took ${upgrade.ms} ms`)
    assert.deepEqual([upgrade.read, upgrade.listed], [11, 1000])
  },
  { timeout: 280_000 },
)

declare global {
  var big: ReturnType<typeof kit.idb>
}

/** What JavaScript holds, after a collection; where a browser says so. */
async function heap(tab: Page, name: string): Promise<number | undefined> {
  if (name !== 'chromium') return undefined
  const session = await tab.createCDPSession()
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  await session.detach()
  return usedSize
}
