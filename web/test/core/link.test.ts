// Calls between two threads, over the two ends of a MessageChannel; their cancellation, and time limits.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import type { Port } from '../../src/link.ts'
import { type Handlers, link } from '../../src/link.ts'
import { deadlines } from '../../src/replies.ts'

type Own = Record<string, (args: never) => unknown>
type Theirs = Record<string, (args: unknown) => unknown>

function linked(t: { after(end: () => void): void }, handlers: Handlers<Own>) {
  const { port1, port2 } = new MessageChannel()
  const failures: unknown[] = []
  const caller = link<object, Theirs>(port1 as unknown as Port, {}, (error) => failures.push(error))
  link<Own, object>(port2 as unknown as Port, handlers, (error) => failures.push(error))
  t.after(() => port1.close())
  return { caller, failures }
}

/** A thenable as libraries make them: not a Promise. */
const thenable = (value: unknown) => ({
  // biome-ignore lint/suspicious/noThenProperty: this is the point
  then: (resolve: (value: unknown) => void) => resolve(value),
})

const answers: { [what: string]: [answer: () => unknown, expected: unknown] } = {
  'a value': [() => 1, 1],
  nothing: [() => undefined, undefined],
  'a promise': [async () => 'late', 'late'],
  'a thenable of a library': [() => thenable('late'), 'late'],
}
for (const [what, [answer, expected]] of Object.entries(answers)) {
  test(`a handler answers with ${what}`, async (t) => {
    const { caller } = linked(t, { ask: answer })
    assert.equal(await caller.request('ask', undefined), expected)
  })
}

const failures: { [what: string]: () => unknown } = {
  throws: () => {
    throw new RangeError('no')
  },
  rejects: () => Promise.reject(new RangeError('no')),
}
for (const [what, handler] of Object.entries(failures)) {
  test(`a handler that ${what} rejects the call`, async (t) => {
    const { caller } = linked(t, { ask: handler })
    await assert.rejects(caller.request('ask', undefined), { name: 'RangeError', message: 'no' })
  })
}

for (const [what, handler] of Object.entries({
  'at once': () => () => {},
  late: async () => () => {},
})) {
  test(`an answer that cannot be cloned, ${what}, rejects the call`, async (t) => {
    const { caller } = linked(t, { ask: handler })
    await assert.rejects(caller.request('ask', undefined), { name: 'DataCloneError' })
  })
}

test('a signal cancels a call on both sides', async (t) => {
  const seen = Promise.withResolvers<unknown>()
  const started = Promise.withResolvers<void>()
  const { caller } = linked(t, {
    ask: (_: unknown, signal) => {
      signal().addEventListener('abort', () => seen.resolve(signal().reason))
      started.resolve()
      return new Promise(() => {})
    },
  })
  const controller = new AbortController()
  const answer = caller.request('ask', undefined, controller.signal)
  await started.promise
  const reason = new Error('enough')
  controller.abort(reason)
  await assert.rejects(answer, reason)
  assert.equal(((await seen.promise) as Error).name, 'AbortError')
})

test('a call whose signal was aborted before is not made', async (t) => {
  let calls = 0
  const { caller } = linked(t, { ask: () => ++calls, other: () => calls })
  const reason = new Error('enough')
  await assert.rejects(caller.request('ask', undefined, AbortSignal.abort(reason)), reason)
  assert.equal(await caller.request('other', undefined), 0)
})

test('an abort after the answer does nothing', async (t) => {
  const { caller, failures } = linked(t, { ask: () => 1 })
  const controller = new AbortController()
  assert.equal(await caller.request('ask', undefined, controller.signal), 1)
  controller.abort(new Error('late'))
  assert.equal(await caller.request('ask', undefined), 1)
  assert.deepEqual(failures, [])
})

test('when the other side has ended, its calls are cancelled, and calls reject', async (t) => {
  const seen = Promise.withResolvers<unknown>()
  const { port1, port2 } = new MessageChannel()
  t.after(() => port1.close())
  const own: { link?: ReturnType<typeof link<Own, Theirs>> } = {}
  const hang = () => new Promise(() => {})
  const caller = link<Own, Theirs>(port1 as unknown as Port, { hang }, () => {})
  const reason = new Error('it has ended')
  own.link = link<Own, Theirs>(
    port2 as unknown as Port,
    {
      ask: (_: unknown, signal) => {
        signal().addEventListener('abort', () => seen.resolve(signal().reason))
        own.link?.end(reason)
        return new Promise(() => {})
      },
    },
    () => {},
  )
  const pending = own.link.request('hang', undefined)
  caller.request('ask', undefined).catch(() => {})
  await assert.rejects(pending, reason)
  await assert.rejects(own.link.request('late', undefined), reason)
  assert.equal(await seen.promise, reason)
})

test('each deadline fires once, at its time, unless it has ended', (t) => {
  mock.timers.enable({ apis: ['setTimeout'] })
  let now = 0
  t.mock.method(performance, 'now', () => now)
  t.after(() => mock.timers.reset())
  const pass = (ms: number) => {
    now += ms
    mock.timers.tick(ms)
  }
  const late: string[] = []
  const all = deadlines(1000)
  all.start(() => late.push('first'))
  pass(400)
  const ended = all.start(() => late.push('ended'))
  pass(100)
  all.start(() => late.push('third'))
  all.end(ended)
  pass(499)
  assert.equal(late.length, 0)
  pass(1)
  assert.equal(late.join(), 'first')
  pass(1000)
  assert.equal(late.join(), 'first,third')
  all.start(() => late.push('stopped'))
  all.stop()
  pass(2000)
  assert.equal(late.join(), 'first,third')
})
