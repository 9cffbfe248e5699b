// The window notices that the engine's Worker is gone, and keeps out of the way of the back/forward cache.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import {
  type EngineState,
  type Life,
  supervise,
  watchAnswers,
  watchLock,
} from '../../src/supervisor.ts'

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

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

function life() {
  const stop = new AbortController()
  const died: string[] = []
  const own: Life = {
    signal: stop.signal,
    died(error) {
      died.push(error.message)
      stop.abort(error)
    },
  }
  return { own, died, stop }
}

test('a lock that is free means that the Worker has ended', () => {
  const { own, died } = life()
  watchLock('lock', own)
  waiting[0]?.free()
  assert.deepEqual(died, ["the engine's Worker has ended"])
  assert.deepEqual(waiting, [])
})

test('in the back/forward cache nothing waits for the lock', () => {
  const { own, died, stop } = life()
  watchLock('lock', own)
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

test('a Worker hangs if it has not answered for 8 s', async (t) => {
  mock.timers.enable({ apis: ['setInterval'] })
  t.after(() => mock.timers.reset())
  const { own, died } = life()
  let answer = () => {}
  let answers = true
  watchAnswers(
    () =>
      new Promise<void>((resolve) => {
        answer = resolve
        if (answers) resolve()
      }),
    own,
  )
  /** The window looks `times` times. */
  const pass = async (times: number) => {
    for (let i = 0; i < times; i++) {
      mock.timers.tick(250)
      await settled()
    }
  }
  await pass(100)
  answers = false
  await pass(31) // asked, and missed
  answer() // a long task was all
  await settled()
  await pass(32)
  assert.deepEqual(died, [])
  await pass(1)
  assert.deepEqual(died, ["the engine's Worker has not answered for 8 s"])
})

/** A supervisor whose Workers are started and ended by the test. */
function supervised() {
  const lives: (Life & { started(): void; failed(error: Error): void })[] = []
  const states: EngineState[] = []
  const lost: [string, boolean][] = []
  const { ready, close } = supervise({
    start: (own) =>
      new Promise((started, failed) => lives.push({ ...own, died: own.died, started, failed })),
    state: (state) => states.push(state),
    lost: ({ message }, isDown) => lost.push([message, isDown]),
  })
  return { lives, states, lost, ready, close }
}

test('a Worker that has ended is followed by another, three times within a minute', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { lives, states, lost, ready } = supervised()
  for (let n = 0; n < 4; n++) {
    lives[n]?.started()
    await ready
    await settled()
    lives[n]?.died(new Error(`end ${n}`))
    lives[n]?.died(new Error('again'))
    assert.equal(lives[n]?.signal.aborted, true)
    mock.timers.tick(1000)
  }
  assert.equal(lives.length, 4)
  assert.deepEqual(lost.at(-1), ['end 3', true])
  assert.deepEqual(states.slice(-3), ['restarting', 'running', 'down'])
})

test('a Worker that fails to start again counts as one that has ended', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { lives, states, ready } = supervised()
  lives[0]?.started()
  await ready
  lives[0]?.died(new Error('end'))
  mock.timers.tick(0)
  lives[1]?.failed(new Error('no memory'))
  await settled()
  mock.timers.tick(250)
  lives[2]?.started()
  await settled()
  assert.deepEqual(states, ['running', 'restarting', 'restarting', 'running'])
})

test('if the first Worker does not start, none follows', async () => {
  const { lives, states, lost, ready } = supervised()
  lives[0]?.failed(new Error('not found'))
  await assert.rejects(ready, /not found/)
  assert.deepEqual([lives.length, states, lost], [1, ['down'], [['not found', true]]])
})

test('closed, no Worker is started', async (t) => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] })
  t.after(() => mock.timers.reset())
  const { lives, lost, ready, close } = supervised()
  lives[0]?.started()
  await ready
  lives[0]?.died(new Error('end'))
  close()
  mock.timers.tick(1000)
  lives[0]?.died(new Error('late'))
  assert.deepEqual([lives.length, lost.length], [1, 1])
})
