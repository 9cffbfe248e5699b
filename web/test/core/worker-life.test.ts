// The window notices that the engine's Worker is gone, and keeps out of the way of the back/forward cache.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { watchWorker } from '../../src/worker-life.ts'

let waiting: { free: () => void; signal: AbortSignal }[] = []
Object.defineProperty(navigator, 'locks', {
  value: {
    request: (_: string, { signal }: { signal: AbortSignal }, granted: () => void) =>
      new Promise((_, reject) => {
        const one = { free: granted, signal }
        waiting.push(one)
        signal.addEventListener('abort', () => {
          waiting = waiting.filter((other) => other !== one)
          reject(signal.reason)
        })
      }),
  },
})
const window = new EventTarget()
Object.assign(globalThis, { addEventListener: window.addEventListener.bind(window) })
const transition = (type: string, persisted = true) =>
  window.dispatchEvent(Object.assign(new Event(type), { persisted }))

/** Watches a Worker that answers while `answers` says so. */
function watched(answers: () => boolean) {
  const died: string[] = []
  const stop = new AbortController()
  const ask = () => (answers() ? Promise.resolve() : new Promise(() => {}))
  watchWorker('lock', ask, (why) => died.push(why), stop.signal)
  return { died, stop }
}

test('a lock that is free means that the Worker has ended, once', () => {
  const { died } = watched(() => true)
  waiting[0]?.free()
  assert.deepEqual(died, ["the engine's Worker has ended"])
  assert.deepEqual(waiting, [])
})

test('in the back/forward cache nothing waits for the lock', () => {
  const { died, stop } = watched(() => true)
  transition('pagehide', false)
  assert.equal(waiting.length, 1)
  transition('pagehide')
  assert.equal(waiting.length, 0)
  transition('pageshow')
  assert.equal(waiting.length, 1)
  stop.abort()
  assert.equal(waiting.length, 0)
  transition('pageshow')
  assert.equal(waiting.length, 0)
  assert.deepEqual(died, [])
})

test('a Worker that misses one question is late, one that misses two hangs', async () => {
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    let answers = true
    const { died } = watched(() => answers)
    const pass = async (ms: number) => {
      mock.timers.tick(ms)
      await Promise.resolve()
      await Promise.resolve()
    }
    for (let i = 0; i < 10; i++) await pass(2_500)
    assert.deepEqual(died, [])
    answers = false
    await pass(2_500) // asked, and not answered
    await pass(2_500)
    assert.deepEqual(died, [])
    await pass(2_500)
    assert.deepEqual(died, ["the engine's Worker has not answered for 5 s"])
    assert.deepEqual(waiting, [])
  } finally {
    mock.timers.reset()
  }
})
