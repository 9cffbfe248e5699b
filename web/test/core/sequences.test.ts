// Several messages in one frame of the gateway's WebSocket, and several calls in one message between threads.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Port } from '../../src/link.ts'
import { link } from '../../src/link.ts'
import { separator, sequences } from '../../src/websocket.ts'

/** Echoes what is received; `late`: after some microtasks. */
function echo({ isAllowed = true, late = 0 } = {}) {
  const sent: string[] = []
  const got: string[] = []
  const answer = async (message: string) => {
    for (let i = 0; i < late; i++) await undefined
    frames.send(message.toUpperCase())
  }
  const receive = (message: string) => {
    got.push(message)
    void answer(message)
  }
  const frames = sequences(receive, (frame) => sent.push(frame), isAllowed)
  return { frames, sent, got, settled: () => new Promise((resolve) => setImmediate(resolve)) }
}
const frameOf = (...messages: string[]) => separator + messages.join(separator)

const cases: {
  [what: string]: {
    frame: string
    isAllowed?: boolean
    late?: number
    got: string[]
    sent: string[]
  }
} = {
  'one message': { frame: 'a', got: ['a'], sent: ['A'] },
  'several messages': {
    frame: frameOf('a', 'b', 'c'),
    got: ['a', 'b', 'c'],
    sent: [frameOf('A', 'B', 'C')],
  },
  'several messages, answered late': {
    frame: frameOf('a', 'b', 'c'),
    late: 5,
    got: ['a', 'b', 'c'],
    sent: [frameOf('A', 'B', 'C')],
  },
  'several messages to a gateway that reads one': {
    frame: frameOf('a', 'b'),
    isAllowed: false,
    got: ['a', 'b'],
    sent: ['A', 'B'],
  },
}
for (const [what, { frame, got, sent, ...options }] of Object.entries(cases)) {
  test(`a frame with ${what}`, async () => {
    const echoed = echo(options)
    echoed.frames.receive(frame)
    await echoed.settled()
    assert.deepEqual(echoed.got, got)
    assert.deepEqual(echoed.sent, sent)
  })
}

test('a sequence is no longer than 64 KiB, a message may be', async () => {
  const { frames, sent, settled } = echo()
  const half = 'x'.repeat(40_000)
  const large = 'y'.repeat(200_000)
  frames.receive(frameOf('a', half, half, 'b', large, 'c'))
  await settled()
  const upper = [half, large].map((text) => text.toUpperCase())
  assert.deepEqual(sent, [
    frameOf('A', upper[0] ?? ''),
    frameOf(upper[0] ?? '', 'B'),
    upper[1],
    'C',
  ])
})

/** Two threads; `messages` counts what is posted between them. */
function threads(t: { after(end: () => void): void }) {
  const { port1, port2 } = new MessageChannel()
  const counted = { there: 0, back: 0 }
  const counting = (port: MessagePort, which: 'there' | 'back') => {
    const post = port.postMessage.bind(port)
    port.postMessage = (...args: [unknown]) => {
      counted[which]++
      post(...args)
    }
    return port as unknown as Port
  }
  const failures: unknown[] = []
  const near = link<object, Record<string, (args: unknown) => unknown>>(
    counting(port1, 'there'),
    {},
    (error) => failures.push(error),
  )
  link<Record<string, (args: never) => unknown>, object>(
    counting(port2, 'back'),
    {
      double: (n: number) => 2 * n,
      late: async (n: number) => n,
      bad: () => () => {},
      throws: () => {
        throw new RangeError('no')
      },
      move: () => new Uint8Array(1),
    },
    (error) => failures.push(error),
  )
  t.after(() => port1.close())
  return { near, counted, failures }
}

test('calls that are made together cross together, and so do their answers', async (t) => {
  const { near, counted } = threads(t)
  let all: Promise<unknown[]> | undefined
  near.together(() => {
    all = Promise.all([1, 2, 3].map((n) => near.request('double', n)))
  })
  assert.deepEqual(await all, [2, 4, 6])
  assert.deepEqual(counted, { there: 1, back: 1 })
})

test('a call that fails does not harm those that it crosses with', async (t) => {
  const { near, failures } = threads(t)
  let all: Promise<PromiseSettledResult<unknown>[]> | undefined
  near.together(() => {
    const calls = [
      near.request('double', 1),
      near.request('bad', 1), // its answer cannot be cloned
      near.request('throws', 1),
      near.request('double', () => {}), // it cannot be cloned itself
      near.request('late', 5),
    ]
    near.notify('throws', undefined)
    all = Promise.allSettled(calls)
  })
  const outcomes = (await all)?.map((one) =>
    one.status === 'fulfilled' ? one.value : (one.reason as Error).name,
  )
  assert.deepEqual(outcomes, [2, 'DataCloneError', 'RangeError', 'DataCloneError', 5])
  assert.deepEqual(failures.map(String), ['RangeError: no'])
})

test('a call that moves something keeps its place', async (t) => {
  const { near } = threads(t)
  const order: number[] = []
  const done: Promise<unknown>[] = []
  near.together(() => {
    const seen = (n: number) => () => order.push(n)
    done.push(near.request('double', 1).then(seen(1)))
    near.notify('move', new ArrayBuffer(1), [new ArrayBuffer(1)])
    done.push(near.request('double', 2).then(seen(2)))
  })
  await Promise.all(done)
  assert.deepEqual(order, [1, 2])
})
