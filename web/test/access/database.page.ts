// The database of decisions is the one of keys: upgrades keep them, and versions of the package may share it.

import assert from 'node:assert/strict'
import { inBrowsers } from '../harness/browsers.ts'
import { serveKit } from '../harness/kit.ts'
import type { DatabaseKit } from './database.ts'
import { opened } from './person.ts'

declare const kit: DatabaseKit

const { url } = serveKit('access/database.ts')

inBrowsers('the upgrade from version 1 keeps the keys', async ({ open }) => {
  const tab = await opened(open(url()))
  await tab.evaluate(async () => {
    const old = await kit.open(1)
    await kit.keep(old)
    old.close()
  })
  assert.equal(await tab.evaluate(() => kit.find()), 'one')
  assert.deepEqual(await tab.evaluate(() => kit.decide()), [1, 1])
  await tab.evaluate(() => kit.save('two'))
  assert.equal(await tab.evaluate(() => kit.find()), 'two')
})

inBrowsers('a newer version of the database is used as it is', async ({ open }) => {
  const tab = await opened(open(url()))
  const found = await tab.evaluate(async () => {
    await kit.decide()
    const newer = await kit.open(4)
    await kit.keep(newer)
    newer.close()
    return [await kit.find(), await kit.decide()]
  })
  assert.deepEqual(found, ['one', [1, 1]])
})

inBrowsers('where nothing is stored, decisions are kept in memory', async ({ open }) => {
  const tab = await opened(open(url()))
  const decided = await tab.evaluate(async () => {
    Object.defineProperty(globalThis, 'indexedDB', {
      get() {
        throw new DOMException('not allowed', 'SecurityError')
      },
    })
    return [(await kit.find()) === undefined, await kit.decide()]
  })
  assert.deepEqual(decided, [true, [1, 0]], 'another document has its own')
})
