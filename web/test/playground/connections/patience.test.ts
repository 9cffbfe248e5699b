/** Waiting in parts: a process that stands still does not use up the time. */

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { afterPatience } from '../../../playground/base/patience.ts'

/** Nothing runs for so long. */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

test('what came while the process stood still is handled before the time is over', async () => {
  const { port1, port2 } = new MessageChannel()
  const order: string[] = []
  const late = new Promise<void>((resolve) => {
    afterPatience(() => {
      order.push('late')
      resolve()
    }, 100)
  })
  const came = once(port2, 'message').then(() => order.push('message'))
  setImmediate(() => {
    port1.postMessage('')
    standStill(300)
  })
  await Promise.all([late, came])
  port1.close()
  assert.deepEqual(order, ['message', 'late'])
})

test('it ends, and can be stopped', async () => {
  let stopped = true
  const stop = afterPatience(() => {
    stopped = false
  }, 20)
  stop()
  await new Promise<void>((resolve) => {
    afterPatience(resolve, 40)
  })
  assert.ok(stopped)
})
