// Databases are opened one after the other, in all pages of an origin: a request to open that a page leaves behind when
// it goes into the back/forward cache would keep all later ones waiting, without an event.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { underLock } from '../../src/database.ts'

test('a database is opened by one at a time, and others are not waited for', async () => {
  let first = (_: number) => {}
  const one = underLock('a', 10_000, () => new Promise<number>((resolve) => (first = resolve)))
  let isBegun = false
  const two = underLock('a', 10_000, async () => {
    isBegun = true
    return 2
  })
  assert.equal(await underLock('b', 10_000, async () => 3), 3)
  assert.equal(isBegun, false)
  first(1)
  assert.deepEqual([await one, await two], [1, 2])
})

test('a request without an event ends in time, and gives the lock to the next', async () => {
  let over: AbortSignal | undefined
  const stuck = underLock('c', 50, (signal) => {
    over = signal
    return new Promise(() => {})
  })
  const next = underLock('c', 10_000, async () => 'open')
  await assert.rejects(stuck, { name: 'TimeoutError' })
  assert.equal(over?.aborted, true)
  assert.equal(await next, 'open')
  await assert.rejects(
    underLock('d', 10_000, () => Promise.reject(new Error('no'))),
    /no/,
  )
})

test('where locks are refused, or there are none, a database opens all the same', async () => {
  const { locks } = navigator
  for (const value of [undefined, { request: () => Promise.reject(new Error('opaque')) }]) {
    Object.defineProperty(navigator, 'locks', { value, configurable: true })
    assert.equal(await underLock('e', 10_000, async () => 1), 1)
  }
  Object.defineProperty(navigator, 'locks', { value: locks, configurable: true })
})
