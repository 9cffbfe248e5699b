import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before } from 'node:test'
import { inBrowsers } from '../../harness/browsers.ts'
import { type Served, serve } from '../../harness/serve.ts'

let served: Served

before(async () => {
  served = await serve({
    directories: {
      '/base/': join(import.meta.dirname, '../../../playground/base'),
      '/messages/': join(import.meta.dirname, '../../../playground/messages'),
    },
    files: { '/': '<!doctype html><title>archive</title>' },
  })
})

after(() => served.close())

/** Runs in a page: opens its archive, puts a block there, and says which pages have blocks. */
async function use(text: string) {
  const path = '/messages/archive.ts'
  const { openArchive } = (await import(
    path
  )) as typeof import('../../../playground/messages/archive.ts')
  const archive = await openArchive()
  await archive.put(3, [text, ''])
  const opening = indexedDB.open('pagemcp-playground-texts')
  const db = await new Promise<IDBDatabase>((resolve) => {
    opening.onsuccess = () => resolve(opening.result)
  })
  const keys = await new Promise<[string, number][]>((resolve) => {
    const request = db.transaction('blocks').objectStore('blocks').getAllKeys()
    request.onsuccess = () => resolve(request.result as [string, number][])
  })
  db.close()
  return { texts: await archive.get(3), pages: new Set(keys.map(([page]) => page)).size }
}

inBrowsers('texts of old rows are kept for as long as their page lives', async ({ open }) => {
  const first = await open(`${served.origin}/`)
  assert.deepEqual(await first.evaluate(use, 'milk'), { texts: ['milk', ''], pages: 1 })
  const second = await open(`${served.origin}/`)
  assert.deepEqual(await second.evaluate(use, 'bread'), { texts: ['bread', ''], pages: 2 })
  await first.close()
  const third = await open(`${served.origin}/`)
  // That a page has gone is known when its lock is free.
  await third.waitForFunction(async () => (await navigator.locks.query()).held?.length === 1)
  assert.deepEqual(await third.evaluate(use, 'pear'), { texts: ['pear', ''], pages: 2 })
})
