/** When the data of the demo changes by itself. */

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { connect, disconnect } from '../../../playground/connections/clients.ts'
import type { Dialer } from '../../../playground/connections/transport.ts'
import { changePeriodically, changeRates } from '../../../playground/demo/simulation.ts'

const dialer = (demo: boolean): Dialer => ({
  title: 'server',
  kind: 'in-page',
  url: '',
  framing: 'port',
  demo,
  dial: async () => ({ send() {}, close() {} }),
})

test('the demo changes while its own server is the active one, and rests beside another', () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  let changes = 0
  const own = connect(dialer(true))
  const stop = changePeriodically(() => changes++)
  const pass = () => mock.timers.tick(changeRates.normal)
  pass()
  assert.equal(changes, 1)
  const other = connect(dialer(false))
  pass()
  pass()
  assert.equal(changes, 1)
  disconnect(other)
  pass()
  assert.equal(changes, 2)
  stop()
  disconnect(own)
  mock.timers.reset()
})
