// A Worker of the engine that hangs is replaced by one that was started meanwhile, and one that only took long is kept.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { supervised } from '../../src/supervised.ts'
import type { Thread, ThreadHost } from '../../src/thread.ts'

interface Launched {
  host: ThreadHost
  died(why: string): void
  prepare(answered: AbortSignal): Promise<unknown>
  started(): void
  failed(error: Error): void
  isDown: boolean
  mounted: number[]
  registered: number[]
  opened: unknown[]
  closed: boolean
}

const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

/** A supervisor whose first Worker serves. */
async function setting() {
  const launched: Launched[] = []
  const states: string[] = []
  const errors: string[] = []
  const host = {
    engineState: (state: string) => states.push(state),
    gatewayState() {},
    read() {},
    report: (error: Error) => errors.push(error.message),
  } as unknown as ThreadHost
  const launch = (
    own: ThreadHost,
    { died, prepare, isDown }: Pick<Launched, 'died' | 'prepare' | 'isDown'>,
  ): Promise<Thread> =>
    new Promise((resolve, failed) => {
      const [mounted, registered, opened]: [number[], number[], unknown[]] = [[], [], []]
      const one: Launched = {
        host: own,
        died,
        prepare,
        isDown,
        mounted,
        registered,
        opened,
        failed,
        closed: false,
        started() {
          own.engineState('running')
          resolve({
            mount: (number: number) => mounted.push(number),
            register: (first: number) => registered.push(first),
            open: (port: unknown) => opened.push(port),
            close: () => {
              one.closed = true
            },
          } as unknown as Thread)
        },
      }
      launched.push(one)
    })
  const starting = supervised(launch, host)
  await launched[0]?.prepare(new AbortController().signal) // nothing is prepared before it has started
  assert.equal(launched.length, 1)
  launched[0]?.started()
  const thread = await starting
  thread.mount(7, '', {} as never)
  thread.register(1, {} as never)
  return { thread, launched, states, errors, worker: (n: number) => launched[n] as Launched }
}

test('the next Worker starts when one may hang, and serves when that one has ended', async () => {
  const { worker, states, errors } = await setting()
  void worker(0).prepare(new AbortController().signal)
  worker(1).started()
  await settled()
  assert.deepEqual([states, worker(1).mounted], [['running'], []], 'it does not serve yet')
  worker(0).died('it hangs')
  await settled()
  assert.deepEqual(states, ['running', 'restarting', 'running'])
  assert.deepEqual([worker(1).mounted, errors], [[7], ['it hangs']])
  worker(0).host.engineState('down') // a late message of the one that is gone
  assert.equal(states.length, 3)
})

test('if a Worker answers after all, it goes on, and the next one is closed', async () => {
  const { worker, states } = await setting()
  const answered = new AbortController()
  void worker(0).prepare(answered.signal)
  answered.abort()
  worker(1).started()
  await settled()
  assert.equal(worker(1).closed, true)
  assert.deepEqual([states, worker(1).mounted], [['running'], []])
})

test('a prepared Worker that fails, or has ended, does not serve', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { worker, launched, errors } = await setting()
    void worker(0)
      .prepare(new AbortController().signal)
      .catch(() => {})
    worker(1).failed(new Error('no memory'))
    await settled()
    worker(0).died('it hangs')
    assert.equal(launched.length, 2)
    mock.timers.tick(0)
    worker(2).started()
    await settled()
    assert.deepEqual(worker(2).mounted, [7])

    void worker(2).prepare(new AbortController().signal)
    worker(3).started()
    worker(3).died('it was ended')
    worker(2).died('it hangs')
    await settled()
    assert.deepEqual([worker(3).mounted, errors.at(-1)], [[], 'it was ended'])
    mock.timers.tick(1000)
    worker(4).started()
    await settled()
    assert.deepEqual(worker(4).mounted, [7])
  } finally {
    mock.timers.reset()
  }
})

test('a Worker that hangs while it starts is not replaced before it has', async () => {
  const { worker, launched } = await setting()
  void worker(0).prepare(new AbortController().signal)
  await worker(1).prepare(new AbortController().signal)
  assert.equal(launched.length, 2)
})

test('after three ends, a Worker without an engine says that it is down; after that one nothing is open', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { thread, worker, launched, states } = await setting()
    for (let n = 0; n < 3; n++) {
      worker(n).died('it was ended')
      mock.timers.tick(1000)
      worker(n + 1).started()
      await settled()
      assert.deepEqual([worker(n + 1).isDown, worker(n + 1).registered], [false, [1]])
    }
    void worker(3).prepare(new AbortController().signal)
    worker(4).started()
    await settled()
    worker(3).died('it hangs')
    await settled()
    assert.equal(worker(4).closed, true, 'the prepared one has an engine')
    assert.equal(states.at(-1), 'down')
    const ports = [1, 2, 3].map(() => ({ postMessage() {}, closed: 0 }))
    const open = (n: number) =>
      thread.open(ports[n] as never, 'test', () => (ports[n] as { closed: number }).closed++)
    open(0)
    mock.timers.tick(0)
    assert.deepEqual([launched.length, worker(5).isDown], [6, true])
    worker(5).host.engineState('down')
    worker(5).started()
    await settled()
    assert.deepEqual([worker(5).opened, worker(5).registered], [[ports[0]], []])
    worker(5).died('it was ended')
    open(1)
    mock.timers.tick(60_000)
    assert.deepEqual([launched.length, ports[1]?.closed, states.at(-1)], [6, 1, 'down'])
  } finally {
    mock.timers.reset()
  }
})

test('closed, no prepared Worker is left', async () => {
  const { thread, worker } = await setting()
  void worker(0).prepare(new AbortController().signal)
  thread.close()
  worker(1).started()
  await settled()
  assert.deepEqual([worker(0).closed, worker(1).closed], [true, true])
})
