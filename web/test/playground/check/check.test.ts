// A good server fails nothing, and for each of these faults there is a check that fails.

import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseChecks } from '../../../playground/check/parse.ts'
import type { PageMcp } from '../../../src/index.ts'
import { faults, faulty } from './faults.ts'
import { check, checks, dialerOf, goodServer } from './server.ts'

let mcp: PageMcp
before(async () => {
  mcp = await goodServer()
})
after(() => mcp?.close())

const failed = ({ outcomes }: Awaited<ReturnType<typeof check>>) =>
  outcomes.filter(({ state }) => state === 'failed')

test('a good server fails nothing, in either era', async () => {
  const report = await check(dialerOf(mcp), { mayCall: true })
  assert.equal(report.stopped, '')
  assert.deepEqual(failed(report), [])
  const eras = report.outcomes.flatMap(({ evidence }) => evidence.map((one) => one.revision))
  assert.deepEqual([...new Set(eras)].sort(), ['2025-11-25', '2026-07-28'])
  const passed = report.outcomes.filter(({ state }) => state === 'passed').length
  assert.ok(passed >= 130, `${passed} passed`)
})

test('each requirement is failed by a server with a fault', async (t) => {
  for (const [ids, make] of faults) {
    const wanted = ids.split(' ')
    await t.test(ids, async () => {
      const report = await check(
        faulty(dialerOf(mcp), make()),
        { mayCall: true, timeout: 150 },
        // Rules need messages: some errors, and a subscription.
        checks.filter(({ ids }) =>
          [...wanted, 'R-014', 'R-037', 'R-154'].some((id) => ids.includes(id)),
        ),
      )
      const found = failed(report).map(({ id }) => id)
      assert.deepEqual(
        wanted.filter((id) => !found.includes(id)),
        [],
      )
    })
  }
})

test('a ping of the server is answered, as by every client', async () => {
  const answers: unknown[] = []
  let isAsked = false
  const pings = faulty(dialerOf(mcp), {
    send({ id, result }) {
      if (id === 'are you there') answers.push(result)
      if (isAsked) return id === 'are you there' ? false : undefined
      isAsked = true
      return [{ jsonrpc: '2.0', id: 'are you there', method: 'ping' }]
    },
  })
  await check(pings, {}, checks.slice(0, 1))
  assert.deepEqual(answers, [{}])
})

test('a line that is no line of a check is refused', () => {
  assert.throws(() => parseChecks('-- x --\n= R-001\n-? {}\n'), /not a line/)
})
