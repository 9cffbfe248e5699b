import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type {} from './page.ts' // declares globalThis.kit

const page = serveKit('idb/page.ts')

inBrowsers(
  'an upgrade of the app is not kept waiting, and reads go on after it',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      const before = await kit.open('app', { notes: {} })
      await kit.write(before, 'notes', (store) => store.put('kept', 1))
      before.close()
      const source = kit.idb({ databases: { app: ['notes', 'added'] } })
      const read = async () =>
        (await source.read('idb:///app/notes/n.1', { signal: kit.never }))[0]?.text
      const list = async () =>
        (await source.list(undefined, { pageSize: 10, signal: kit.never })).resources.length
      const first = [await read(), await list()]
      const reads = Array.from({ length: 50 }, read) // under way while the upgrade is asked for
      const blocked: boolean[] = []
      for (let version = 2; version < 7; version++) {
        const db = await new Promise<IDBDatabase>((resolve, reject) => {
          const request = indexedDB.open('app', version)
          request.onblocked = () => blocked.push(true)
          request.onupgradeneeded = () => {
            if (version === 2) request.result.createObjectStore('added')
          }
          request.onsuccess = () => resolve(request.result)
          request.onerror = () => reject(request.error)
        })
        reads.push(read())
        db.close()
      }
      return { first, reads: [...new Set(await Promise.all(reads))], list: await list(), blocked }
    })
    assert.deepEqual(got, { first: ['"kept"', 3], reads: ['"kept"'], list: 4, blocked: [] })
  },
)

inBrowsers(
  'a database that is deleted is gone, and one that is made again is there',
  async ({ open }) => {
    const tab = await open(page.url())
    const got = await tab.evaluate(async () => {
      const source = kit.idb({ databases: { app: ['notes'] } })
      const list = async () =>
        (await source.list(undefined, { pageSize: 10, signal: kit.never })).resources.length
      const counts: number[] = [await list()]
      for (let round = 0; round < 3; round++) {
        const db = await kit.open('app', { notes: {} })
        await kit.write(db, 'notes', (store) => store.put(round, 1))
        counts.push(await list())
        db.close()
        await kit.drop('app') // rejects if our connection blocks it
        counts.push(await list())
      }
      return { counts, databases: await indexedDB.databases() }
    })
    assert.deepEqual(got, { counts: [0, 3, 0, 3, 0, 3, 0], databases: [] })
  },
)

inBrowsers('reading while the app deletes its database makes no database', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    const source = kit.idb({ databases: { app: ['notes'] } })
    for (let round = 0; round < 20; round++) {
      ;(await kit.open('app', { notes: {} })).close()
      const signal = kit.never
      await Promise.all([source.list(undefined, { pageSize: 10, signal }), kit.drop('app')])
      await source.list(undefined, { pageSize: 10, signal })
    }
    return indexedDB.databases()
  })
  assert.deepEqual(got, [])
})

inBrowsers('a database that cannot be opened in time is a typed error', async ({ open }) => {
  const tab = await open(page.url())
  const got = await tab.evaluate(async () => {
    ;(await kit.open('app', { notes: {} })).close()
    const source = kit.idb({ databases: { app: ['notes'] } })
    // An upgrade that goes on until it is told to end.
    let done = false
    const upgraded = new Promise<void>((resolve, reject) => {
      const request = indexedDB.open('app', 2)
      request.onupgradeneeded = () => {
        const store = request.transaction?.objectStore('notes')
        const spin = () => {
          const step = store?.get(1)
          if (step !== undefined && !done) step.onsuccess = spin
        }
        spin()
      }
      request.onerror = () => reject(request.error)
      request.onsuccess = () => {
        request.result.close()
        resolve()
      }
    })
    const failed = await source
      .read('idb:///app/notes', { signal: kit.never })
      .catch((error: Error) => error)
    done = true
    await upgraded
    const after = await source.list(undefined, { pageSize: 10, signal: kit.never })
    return { error: String(failed), after: after.resources.length }
  })
  assert.deepEqual(got, {
    error:
      'DatabaseBusyError: open database "app": still busy after 5000 ms. Close other tabs of this site, or restart the browser',
    after: 2,
  })
})
