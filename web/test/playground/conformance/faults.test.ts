// Conformance: a good server fails nothing, and for each requirement there is a server that fails it.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { checkedIds } from '../../../playground/conformance/run.ts'
import type { PageMcp } from '../../../src/index.ts'
import { faults, faulty } from './faults.ts'
import { check, dialerOf, goodServer } from './server.ts'

let mcp: PageMcp
before(async () => {
  mcp = await goodServer()
})
after(() => mcp?.close())

test('a good server fails nothing, in either era', async () => {
  const { outcomes, stopped } = await check(dialerOf(mcp), { mayCall: true })
  assert.equal(stopped, '')
  assert.deepEqual(
    outcomes.filter(({ state }) => state === 'failed').map(({ id, reason }) => `${id} ${reason}`),
    [],
  )
  const eras = new Set(outcomes.flatMap(({ evidence }) => evidence.map(({ era }) => era)))
  assert.deepEqual([...eras].sort(), ['D', 'E'])
  const passed = outcomes.filter(({ state }) => state === 'passed').length
  assert.ok(passed >= 140, `${passed} passed`)
})

test('each requirement is failed by a server with a fault', async (t) => {
  const failedBySome = new Set<string>()
  for (const [ids, make] of faults) {
    await t.test(ids, async () => {
      const only = ids.split(' ')
      const { outcomes } = await check(faulty(dialerOf(mcp), make()), {
        only,
        mayCall: true,
        timeout: 150,
      })
      const failed = outcomes.filter(({ state }) => state === 'failed')
      for (const { id, evidence } of failed) {
        failedBySome.add(id)
        assert.ok(
          evidence.every(({ detail, row }) => detail !== '' && row >= 0),
          id,
        )
      }
      assert.deepEqual(
        only.filter((id) => !failed.some((one) => one.id === id)),
        [],
      )
    })
  }
  assert.deepEqual(
    checkedIds.filter((id) => !failedBySome.has(id)),
    [],
  )
})
