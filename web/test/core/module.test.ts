/** Modules that are loaded on demand. */

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loader } from '../../src/module.ts'

test('uses that begin while a module loads share one load, and run in their order', async () => {
  const loads: PromiseWithResolvers<string>[] = []
  const load = loader(() => {
    const loading = Promise.withResolvers<string>()
    loads.push(loading)
    return loading.promise
  })
  const uses: number[] = []
  const all = [1, 2, 3].map((use) => load().then(() => uses.push(use)))
  for (const loading of loads.toReversed()) loading.resolve('module') // the last one is there first
  await Promise.all(all)
  assert.deepEqual(uses, [1, 2, 3])
  assert.equal(loads.length, 1)
})

test('a load that has failed is tried again by the next use', async () => {
  let attempts = 0
  const load = loader(async () => {
    if (++attempts === 1) throw new Error('not there')
    return 'module'
  })
  await assert.rejects(load(), /not there/)
  assert.equal(await load(), 'module')
  assert.equal(await load(), 'module')
  assert.equal(attempts, 2)
})
