/** When the data of the demo changes by itself. */

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { selected } from '../../../playground/base/state.ts'
import { connect, disconnect } from '../../../playground/connections/clients.ts'
import {
  changePeriodically,
  changeRates,
  readingTime,
  simulate,
} from '../../../playground/demo/simulation.ts'
import { store } from '../../../playground/messages/log.ts'
import { serverOf } from '../stored.ts'

const dialer = (demo: boolean) => serverOf(undefined, { demo })

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

test('after a read nothing changes until there was time to read, or the user looks at something else', () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  let changes = 0
  const own = connect(dialer(true), { handshake: false })
  const push = (direction: 'in' | 'out', message: object) =>
    store.push({
      connection: own.connection.id,
      direction,
      framing: 'port',
      raw: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    })
  const request = push('out', { method: 'resources/read', params: { uri: 'notes://today' } })
  const result = push('in', { result: { contents: [] } })
  const stop = changePeriodically(() => changes++)

  selected.value = result
  mock.timers.tick(readingTime - 1)
  assert.equal(changes, 0)
  mock.timers.tick(1)
  assert.equal(changes, 1)
  mock.timers.tick(changeRates.normal)
  assert.equal(changes, 2)

  selected.value = request // something else
  selected.value = result
  mock.timers.tick(changeRates.normal)
  assert.equal(changes, 2)
  selected.value = request
  mock.timers.tick(changeRates.normal)
  assert.equal(changes, 3)

  selected.value = result
  simulate({ pace: 'fast' }) // the user wants to see many
  mock.timers.tick(changeRates.fast)
  assert.equal(changes, 4)

  simulate({ pace: 'normal' })
  selected.value = undefined
  stop()
  disconnect(own)
  mock.timers.reset()
})
