/** What others write: tabs, and pages that were frozen meanwhile. */

import assert from 'node:assert/strict'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { head, serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.kit

const notes = 'idb:///app/notes'
const all = [notes, `${notes}/*`, 'idb:///app', 'list']

const page = serveKit('idb/page.ts', {
  '/bare': head,
})

/** A tab that serves the store and listens: `globalThis.heard` has the notifications that it receives. */
async function listening(open: (url: string) => Promise<Page>): Promise<Page> {
  const tab = await open(page.url())
  await tab.evaluate(async () => {
    const db = await kit.open('app', { notes: {}, other: {} }, 10)
    await kit.write(db, 'notes', (store) => store.put('first', 0))
    db.close()
    globalThis.heard = kit.changes(kit.idb({ databases: { app: ['notes'] } }))
  })
  return tab
}

declare global {
  var heard: ReturnType<typeof kit.changes>
}

/** Resolves with what a tab has received, once that includes all of `wanted`. */
const until = (tab: Page, ...wanted: string[]) =>
  tab.evaluate((wanted) => heard.until(...wanted), wanted)

/** Puts a value by IndexedDB alone. */
const put = (tab: Page, store: string, value: unknown, key?: IDBValidKey) =>
  tab.evaluate(
    async (store, value, key) => {
      const request = indexedDB.open('app')
      await new Promise((resolve) => {
        request.onsuccess = resolve
      })
      const transaction = request.result.transaction(store, 'readwrite')
      transaction.objectStore(store).put(value, key)
      await new Promise((resolve) => {
        transaction.oncomplete = resolve
      })
      request.result.close()
    },
    store,
    value,
    key as never,
  )

inBrowsers('another tab that serves the store tells of its writes', async ({ open }) => {
  const tab = await listening(open)
  const other = await listening(open)
  await put(other, 'other', 'x', 1) // not served: nothing is told
  await put(other, 'notes', 'x', 's')
  assert.deepEqual(await until(tab, `${notes}/s.s`, 'idb:///app'), [
    'idb:///app',
    notes,
    `${notes}/s.s`,
    'list',
  ])
  await other.evaluate(async () => {
    const db = await kit.open('app', {}, 10)
    await kit.write(db, 'notes', (store) => {
      for (let i = 0; i < 1001; i++) store.put(i, i)
    })
  })
  assert.deepEqual(await until(tab, ...all), [...all].sort()) // too many to name
})

inBrowsers(
  "a message that is nobody's says nothing",
  async ({ open }) => {
    const tab = await listening(open)
    const other = await open(page.url('/bare'))
    await other.evaluate(async () => {
      const wrong: unknown[] = [
        null,
        'x',
        1,
        {},
        { database: 'app' },
        { database: 'app', keys: 'x' },
      ]
      const told = { database: 'app', store: 'notes', list: true, all: false }
      wrong.push(
        { ...told, keys: [1] },
        { ...told, keys: [], store: 7 },
        { ...told, database: 'no', keys: [] },
      )
      const ours = new BroadcastChannel('io.github.pagemcp/idb')
      for (const message of wrong) ours.postMessage(message)
      ours.postMessage({ ...told, keys: [], all: true })
    })
    assert.deepEqual(await until(tab, `${notes}/*`), [notes, `${notes}/*`, 'list'])
  },
  { only: ['chromium'] },
)

inBrowsers(
  'a page that was frozen closes its channels, and says that it may have missed something',
  async ({ open }) => {
    const tab = await listening(open)
    const other = await listening(open)
    await tab.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pagehide', { persisted: true }))
    })
    await put(other, 'notes', 'x', 'frozen')
    await other.evaluate(() => heard.until('idb:///app/notes/s.frozen'))
    await tab.evaluate(() => {
      dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true }))
    })
    assert.deepEqual(await until(tab, ...all), [...all].sort()) // and s.frozen is not among it
    await put(other, 'notes', 'x', 'thawed')
    assert.deepEqual(await until(tab, `${notes}/s.thawed`), [notes, `${notes}/s.thawed`, 'list'])
  },
)
