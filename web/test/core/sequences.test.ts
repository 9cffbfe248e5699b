// Several messages in one frame of the gateway's WebSocket.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { separator, sequences } from '../../src/sequences.ts'

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
