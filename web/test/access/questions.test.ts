// The questions of several tabs, with a clock, locks and dialogs of the test.

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { setImmediate as settled } from 'node:timers/promises'
import { type Choice, questions, waitTime } from '../../src/access/decisions.ts'
import type { AccessAnswer, AccessRequest } from '../../src/page-access.ts'

/** Dialogs on all screens, with what answers them. */
interface Dialog {
  readonly tab: string
  readonly assistant: string
  readonly choose: (choice: Choice) => void
}

/** Tabs of one app, and what they share. */
function world() {
  const dialogs: Dialog[] = []
  const stored = new Map<string, boolean>() // by assistant
  let turn: Promise<void> = Promise.resolve()
  let most = 0

  const open = (tab: string, visible = true) => {
    const state = { isVisible: visible, isMarked: false }
    const own = questions({
      isVisible: () => state.isVisible,
      mark: (on) => {
        state.isMarked = on
      },
      alone(act) {
        turn = turn.then(act)
        return turn
      },
      show: ({ assistant }, signal) =>
        new Promise((resolve) => {
          const choose = (choice: Choice) => {
            dialogs.splice(dialogs.indexOf(dialog), 1)
            resolve(choice)
          }
          const dialog: Dialog = { tab, assistant, choose }
          dialogs.push(dialog)
          most = Math.max(most, dialogs.length)
          signal.addEventListener('abort', () => dialogs.includes(dialog) && choose('ended'))
        }),
      stored({ assistant }): AccessAnswer | undefined {
        const allow = stored.get(assistant)
        return allow === undefined ? undefined : { allow, reason: allow ? 'grant' : 'declined' }
      },
      async store({ assistant }, choice) {
        if (choice === 'session') stored.set(assistant, true)
      },
      place: () => `tab ${tab}`,
      report: (error) => {
        throw error
      },
    })
    return { ...own, state }
  }
  return {
    dialogs,
    open,
    most: () => most,
    async pass(ms: number) {
      mock.timers.tick(ms)
      await settled()
    },
  }
}

mock.timers.enable({ apis: ['setTimeout'] })

const never = new AbortController().signal
const request = (assistant: string, more: Partial<AccessRequest> = {}): AccessRequest => ({
  assistant,
  right: 'read',
  method: 'resources/read',
  ...more,
})
const wipe = { right: 'act', tool: { name: 'wipe', destructive: true } } as const

test('equal requests join one question, others wait for their turn', async () => {
  const { open, dialogs, most } = world()
  const tab = open('1')
  const answers = ['a', 'a', 'b', 'a'].map((name) => tab.ask(request(name), never))
  await settled()
  assert.deepEqual(
    dialogs.map(({ assistant }) => assistant),
    ['a'],
  )
  dialogs[0]?.choose('session')
  await settled()
  assert.deepEqual(
    dialogs.map(({ assistant }) => assistant),
    ['b'],
  )
  dialogs[0]?.choose('deny')
  const allowed = (await Promise.all(answers)).map(({ allow }) => allow)
  assert.deepEqual([allowed, most()], [[true, true, false, true], 1])
})

test('two tabs that are visible show one question, and a stored answer is for both', async () => {
  const { open, dialogs, most } = world()
  const [one, two] = [open('1'), open('2')]
  const answers = [one.ask(request('a'), never), two.ask(request('a'), never)]
  await settled()
  dialogs[0]?.choose('session')
  await Promise.all(answers)
  await settled()
  assert.deepEqual([most(), dialogs.length], [1, 0])
})

test('each call of a destructive tool is a question of its own', async () => {
  const { open, dialogs } = world()
  const tab = open('1')
  const first = tab.ask(request('a', wipe), never)
  const second = tab.ask(request('a', wipe), never)
  await settled()
  dialogs[0]?.choose('once')
  assert.equal((await first).allow, true)
  await settled()
  dialogs[0]?.choose('deny')
  assert.equal((await second).allow, false)
})

test('a request waits 45 s: hidden, shown, or behind another question', async () => {
  const { open, dialogs, pass } = world()
  const tab = open('1', false)
  const hidden = tab.ask(request('a'), never)
  await settled()
  assert.deepEqual([dialogs.length, tab.state.isMarked], [0, true])
  await pass(waitTime - 1)
  tab.state.isVisible = true
  tab.looked()
  await settled()
  assert.deepEqual([dialogs.length, tab.state.isMarked], [1, false])
  const behind = tab.ask(request('b'), never)
  await pass(1)
  assert.match((await hidden).message ?? '', /has not answered the question in tab 1/)
  await settled()
  assert.deepEqual(
    dialogs.map(({ assistant }) => assistant),
    ['b'],
    'the next one is shown',
  )
  await pass(waitTime)
  assert.equal((await behind).reason, 'unanswered')
  assert.equal(dialogs.length, 0)
})

test('the last request that leaves closes the question', async () => {
  const { open, dialogs } = world()
  const tab = open('1')
  const controllers = [new AbortController(), new AbortController()]
  const answers = controllers.map(({ signal }) => tab.ask(request('a'), signal))
  await settled()
  controllers[0]?.abort()
  await settled()
  assert.equal(dialogs.length, 1)
  controllers[1]?.abort()
  await settled()
  assert.equal(dialogs.length, 0)
  assert.deepEqual(
    (await Promise.all(answers)).map(({ reason }) => reason),
    ['unanswered', 'unanswered'],
  )
})

test('a tab that is hidden takes its question away, and shows it when it is visible', async () => {
  const { open, dialogs } = world()
  const tab = open('1')
  const answer = tab.ask(request('a'), never)
  await settled()
  for (const isVisible of [false, true]) {
    tab.state.isVisible = isVisible
    tab.looked()
    await settled()
    assert.deepEqual([dialogs.length, tab.state.isMarked], isVisible ? [1, false] : [0, true])
  }
  dialogs[0]?.choose('session')
  assert.equal((await answer).allow, true)
})

test('three refusals of an assistant end the questions about it, and about no other', async () => {
  const { open, dialogs, pass } = world()
  const tab = open('1')
  for (const right of ['read', 'act', 'read'] as const) {
    const answer = tab.ask(request('a', { right }), never)
    await settled()
    dialogs[0]?.choose('dismissed')
    assert.equal((await answer).reason, 'declined')
    await pass(1)
  }
  const { allow, reason, message = '' } = await tab.ask(request('a'), never)
  assert.deepEqual([allow, reason], [false, 'declined'])
  assert.match(message, /refused this assistant several times/)
  const other = tab.ask(request('b'), never)
  await settled()
  dialogs[0]?.choose('once')
  assert.equal((await other).allow, true, 'another assistant is asked about')
})

test('a closed question is a no for those that wait, and not for later ones', async () => {
  const { open, dialogs, pass } = world()
  const tab = open('1')
  const first = tab.ask(request('a'), never)
  await settled()
  dialogs[0]?.choose('dismissed')
  assert.equal((await first).reason, 'declined')
  await pass(1)
  void tab.ask(request('a'), never)
  await settled()
  assert.equal(dialogs.length, 1)
})
