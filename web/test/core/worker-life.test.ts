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

/** Watches a Worker that answers while `answers` says so; a held answer comes with `answer()`. */
function watched(answers: () => boolean, watch = watchWorker) {
  const died: string[] = []
  const stop = new AbortController()
  const held: (() => void)[] = []
  const prepared: { signal: AbortSignal; ready: () => void; failed: () => void }[] = []
  const watchLock = watch(
    () =>
      new Promise<void>((resolve) => {
        if (answers()) resolve()
        else held.push(resolve)
      }),
    (signal) =>
      new Promise<void>((ready, failed) =>
        prepared.push({ signal, ready, failed: () => failed() }),
      ),
    (why) => died.push(why),
    stop.signal,
  )
  watchLock('lock')
  const settled = () => new Promise<void>((resolve) => setImmediate(resolve))
  return {
    died,
    stop,
    prepared,
    settled,
    async answer() {
      for (const resolve of held.splice(0)) resolve()
      await settled()
    },
    /** The window looks `times` times. */
    async pass(times: number) {
      for (let i = 0; i < times; i++) {
        mock.timers.tick(250)
        await settled()
      }
    },
  }
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

const withClock = (name: string, run: () => Promise<void>) =>
  test(name, async () => {
    mock.timers.enable({ apis: ['setInterval'] })
    try {
      await run()
    } finally {
      mock.timers.reset()
    }
  })

withClock(
  'a Worker hangs if it has not answered for 5 s, nor while the next one starts',
  async () => {
    let answers = true
    const { died, prepared, pass, answer, settled } = watched(() => answers)
    await settled()
    answers = false
    await pass(20) // asked, and missed
    assert.equal(prepared.length, 0)
    await pass(1)
    assert.equal(prepared.length, 1)
    await pass(1)
    assert.deepEqual([prepared.length, prepared[0]?.signal.aborted, died.length], [1, false, 0])
    await answer() // a long task was all
    assert.equal(prepared[0]?.signal.aborted, true)
    prepared[0]?.ready()
    await settled()
    assert.deepEqual(died, [])

    await pass(21)
    assert.equal(prepared.length, 2)
    prepared[1]?.failed() // there is no next one: it hangs all the same
    await settled()
    assert.deepEqual(died, ["the engine's Worker has not answered for 5 s"])
    assert.deepEqual(waiting, [])
    await pass(40)
    assert.equal(died.length, 1)
  },
)
