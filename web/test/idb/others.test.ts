/** What others write: tabs, workers, Dexie, and whoever tells nobody. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { Page } from 'puppeteer-core'
import { inBrowsers } from '../harness/browsers.ts'
import { head, serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.kit

const notes = 'idb:///app/notes'
const all = [notes, `${notes}/*`, 'idb:///app', 'list']

const page = serveKit('idb/page.ts', {
  '/bare': head,
  '/dexie.js': readFileSync(
    `${import.meta.dirname}/../../node_modules/dexie/dist/modern/dexie.mjs`,
    'utf8',
  ),
  '/worker.js': `
        import { observeIdb } from '/src/sources/idb-observe.ts'
        const stop = observeIdb({ databases: ['app'] })
        onmessage = ({ data: [store, value, key] }) => {
          if (store === undefined) return stop()
          const open = indexedDB.open('app')
          open.onsuccess = () => {
            const transaction = open.result.transaction(store, 'readwrite')
            transaction.objectStore(store).put(value, key)
            transaction.oncomplete = () => open.result.close()
          }
        }
        postMessage('ready')`,
})

/** A tab that serves the store and listens: `globalThis.heard` has the notifications that it receives. */
async function listening(
  open: (url: string) => Promise<Page>,
  { dexie = false }: { dexie?: boolean } = {},
): Promise<Page> {
  const tab = await open(page.url())
  await tab.evaluate(
    async (keyPath) => {
      const db = await kit.open('app', { notes: keyPath ? { keyPath } : {}, other: {} }, 10)
      await kit.write(db, 'notes', (store) => {
        if (keyPath) store.put({ id: 0 })
        else store.put('first', 0)
      })
      db.close()
      globalThis.heard = kit.changes(kit.idb({ databases: { app: ['notes'] } }))
    },
    dexie ? 'id' : undefined,
  )
  return tab
}

declare global {
  var opened: number
  var heard: ReturnType<typeof kit.changes>
  var quietOne: ReturnType<typeof kit.changes>
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
  'a worker without an engine tells of its writes, until it is told to stop',
  async ({ open }) => {
    const tab = await listening(open)
    await tab.evaluate(`
    globalThis.worker = new Worker('/worker.js', { type: 'module' })
    new Promise((resolve) => { worker.onmessage = resolve })`)
    await tab.evaluate(`worker.postMessage(['notes', 'x', 5])`)
    assert.deepEqual(await until(tab, `${notes}/n.5`), [notes, `${notes}/n.5`, 'list'])
    await tab.evaluate(`
    worker.postMessage([])
    worker.postMessage(['notes', 'x', 6])`)
    await tab.waitForFunction(async () => {
      const source = kit.idb({ databases: { app: ['notes'] } })
      const read = source.read('idb:///app/notes/n.6', { signal: kit.never })
      return read.then(
        () => true,
        () => false,
      )
    })
    await put(tab, 'notes', 'x', 7)
    assert.deepEqual(await until(tab, `${notes}/n.7`), [notes, `${notes}/n.7`, 'list']) // of 6 nothing
  },
  { alike: true },
)

inBrowsers('a database that others delete or upgrade has changed as a whole', async ({ open }) => {
  const tab = await open(page.url())
  await tab.evaluate(async () => {
    const db = await kit.open('app', { notes: {} }, 10)
    db.close()
    globalThis.opened = 0
    const { open } = IDBFactory.prototype
    IDBFactory.prototype.open = function (...args) {
      const request = open.apply(this, args)
      request.addEventListener('success', () => globalThis.opened++)
      return request
    }
    globalThis.heard = kit.changes(kit.idb({ databases: { app: ['notes'] } }))
  })
  const other = await open(page.url('/bare')) // as developer tools: nothing there observes
  await tab.waitForFunction(() => opened === 1)
  await other.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open('app', 11)
        request.onupgradeneeded = () => request.result.createObjectStore('more')
        request.onsuccess = () => resolve(request.result.close())
        request.onerror = () => reject(request.error)
      }),
  )
  assert.deepEqual(await until(tab, ...all), [...all].sort())
  await tab.waitForFunction(() => opened === 2)
  await other.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase('app')
        request.onsuccess = resolve
        request.onerror = () => reject(request.error)
      }),
  )
  assert.deepEqual(await until(tab, ...all), [...all].sort())
})

inBrowsers(
  'what Dexie writes in a tab without PageMCP is noticed',
  async ({ open }) => {
    const tab = await listening(open, { dexie: true })
    const other = await open(page.url('/bare'))
    await other.evaluate(`import('/dexie.js').then(async ({ Dexie }) => {
    globalThis.db = new Dexie('app')
    db.version(1).stores({ notes: 'id', other: '' })
    await db.notes.put({ id: 'new' })
  })`)
    assert.deepEqual(await until(tab, `${notes}/s.new`), [notes, `${notes}/s.new`, 'list'])
    await other.evaluate(`db.notes.update('new', { text: 'changed' })`)
    assert.deepEqual(await until(tab, `${notes}/s.new`), [notes, `${notes}/s.new`, 'list'])
    await other.evaluate(`db.notes.bulkDelete(['new', 0])`)
    assert.ok((await until(tab, `${notes}/n.0`)).includes(`${notes}/s.new`))
    await other.evaluate(`db.notes.bulkAdd(Array.from({ length: 500 }, (_, id) => ({ id })))`)
    await until(tab, notes, 'list')
    await other.evaluate(`db.notes.clear()`)
    assert.deepEqual(await until(tab, `${notes}/*`), [notes, `${notes}/*`, 'list'])
    await other.evaluate(`db.other.put('x', 1).then(() => db.notes.put({ id: 9 }))`)
    assert.deepEqual(await until(tab, `${notes}/n.9`), [notes, `${notes}/n.9`, 'list'])
  },
  { alike: true },
)

inBrowsers(
  'what Dexie writes in a tab with PageMCP is announced once in each tab',
  async ({ open }) => {
    const tabs = [await listening(open, { dexie: true }), await listening(open, { dexie: true })]
    for (const tab of tabs) await until(tab) // what made the database is no write of Dexie
    await tabs[0]?.evaluate(`import('/dexie.js').then(async ({ Dexie }) => {
    const db = new Dexie('app')
    db.version(1).stores({ notes: 'id', other: '' })
    await db.notes.put({ id: 'new' })
    await db.notes.update('new', { text: 'changed' })
    await db.notes.delete(0)
    const last = new BroadcastChannel('x-storagemutated-1') // Dexie's own messages arrive before it
    last.postMessage({ 'idb://app/notes/': { from: 'last', to: 'last' } })
  })`)
    for (const tab of tabs) {
      await until(tab, `${notes}/s.last`)
      const log = await tab.evaluate(() => heard.log)
      const count = (uri: string) => log.filter((one) => one === uri).length
      assert.deepEqual([count(`${notes}/s.new`), count(`${notes}/n.0`)], [2, 1])
    }
  },
  { alike: true },
)

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
      const dexie = new BroadcastChannel('x-storagemutated-1')
      for (const message of wrong) {
        ours.postMessage(message)
        dexie.postMessage(message)
      }
      dexie.postMessage({
        'idb://app/notes2/': { from: 1, to: 1 },
        'idb://other/notes/': { from: 1, to: 1 },
      })
      const wild = { from: -Infinity, to: [[]], l: { from: null, to: null } }
      dexie.postMessage({ 'idb://app/notes/': wild })
    })
    assert.deepEqual(await until(tab, `${notes}/*`), [notes, `${notes}/*`, 'list'])
  },
  { alike: true },
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

inBrowsers(
  'a poll notices what nobody tells of, and is off unless it is asked for',
  async ({ open }) => {
    const tab = await listening(open)
    await tab.evaluate(async () => {
      globalThis.quietOne = heard
      globalThis.heard = kit.changes(kit.idb({ databases: { app: ['notes'] }, poll: 1000 }))
    })
    const other = await open(page.url('/bare'))
    await tab.bringToFront() // a hidden page looks less often
    // Again and again, for nobody says when the first look was.
    await other.evaluate(`
    const request = indexedDB.open('app')
    let last = 100
    request.onsuccess = () => setInterval(() => {
      request.result.transaction('notes', 'readwrite').objectStore('notes').put('x', ++last)
    }, 200); 0`)
    assert.deepEqual(await until(tab, ...all), [...all].sort())
    assert.deepEqual(await tab.evaluate(() => quietOne.log), [])
  },
  { alike: true },
)
