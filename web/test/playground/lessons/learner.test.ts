/** What happens with a learner: they send what they like, and the lesson looks at it. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { captionIn, filledCaption } from '../../../playground/lessons/caption.ts'
import { hintOf } from '../../../playground/lessons/hint.ts'
import type { Turn } from '../../../playground/lessons/learner-turn.ts'
import { type Player, play } from '../../../playground/lessons/player.ts'
import { readingTime } from '../../../playground/lessons/reading-time.ts'
import { parseScenario, type Scenario } from '../../../playground/lessons/scenario.ts'
import type { Revision } from '../../../playground/protocol/revisions.ts'
import { newStage, sceneInNode } from './stage.ts'

const timeout = 120_000 // ms; the first test may compile the engine

const lesson = (id: string) =>
  parseScenario(
    id,
    readFileSync(
      new URL(`../../../playground/lessons/scenarios/${id}.txtar`, import.meta.url),
      'utf8',
    ),
  )

/** Plays for a learner, and ends when the test does. */
async function teach(
  scenario: Scenario,
  act: (player: Player, stage: ReturnType<typeof newStage>) => Promise<void>,
  options: { revision?: Revision; patience?: number } = {},
) {
  const stage = newStage()
  const scene = () => sceneInNode(scenario)
  const player = play(scenario, { host: stage, engine: scene, learner: true, ...options })
  try {
    await act(player, stage)
  } finally {
    player.close()
  }
}

/** The turn that a step waits in. */
function turnOf(player: Player): Promise<Turn> {
  return new Promise((resolve) => {
    const stop = player.turn.subscribe((turn) => {
      if (turn === undefined) return
      queueMicrotask(() => stop())
      resolve(turn)
    })
  })
}

test('a learner has as many tries as they need, and is told what is missing', { timeout }, () =>
  teach(lesson('read'), async (player) => {
    await player.next()
    const step = player.next()
    const turn = await turnOf(player)
    const { session, off } = turn
    assert.equal(JSON.parse(turn.draft).params.uri, 'notes://')
    const said = (text: string) => {
      session.connection.send(text)
      return off.value && hintOf(off.value).key
    }
    assert.equal(said('{'), 'lessons.hintNoJson')
    assert.equal(said('{"jsonrpc":"2.0","method":"resources/read"}'), 'lessons.hintId')
    assert.equal(said('{"jsonrpc":"2.0","id":7,"method":"resources/list"}'), 'lessons.hintMethod')
    assert.equal(said('{"jsonrpc":"2.0","id":8,"method":"resources/read"}'), 'lessons.hintMissing')
    assert.equal(said(turn.draft), 'lessons.hintValue')
    assert.equal(off.value?.path, 'params.uri')
    session.connection.send(turn.solution())
    assert.equal(off.value, undefined)
    await step
    assert.equal(player.failure.value, undefined)
    assert.equal(player.played.value, 2)
  }),
)

test('ids are the learner’s, and what they send besides does not matter', { timeout }, () =>
  teach(lesson('subscribe'), async (player) => {
    await player.next()
    const step = player.next()
    const { session, solution } = await turnOf(player)
    const listen = { ...JSON.parse(solution()), id: 'mine' }
    session.request('resources/list')
    session.connection.send(JSON.stringify(listen))
    await step
    await player.next()
    assert.equal(player.failure.value, undefined, 'the notification names the learner’s id')
    const read = player.next()
    await turnOf(player)
    player.solve()
    await read
    const cancel = player.next()
    const turn = await turnOf(player)
    assert.equal(JSON.parse(turn.draft).params.requestId, 'mine')
    session.connection.send(turn.draft)
    await cancel
    assert.equal(player.failure.value, undefined)
  }),
)

test('what has to be broken may be broken in any way', { timeout }, () =>
  teach(lesson('errors'), async (player) => {
    await player.next()
    for (let i = 0; i < 3; i++) {
      const step = player.next()
      await turnOf(player)
      player.solve()
      await step
    }
    const step = player.next()
    const { session, off } = await turnOf(player)
    session.connection.send('{"jsonrpc":"2.0","id":9,"method":"resources/list"}')
    assert.equal(off.value && hintOf(off.value).key, 'lessons.hintBreakIt')
    session.connection.send('{"jsonrpc":"2.0","id":10,"method":"resources/list"')
    await step
    assert.equal(player.failure.value, undefined)
  }),
)

test('back shows less and sends nothing; what was played is not played again', { timeout }, () =>
  teach(lesson('hello'), async (player, stage) => {
    await player.next()
    const step = player.next()
    await turnOf(player)
    player.back()
    assert.equal(player.shown.value, 1)
    await player.next()
    assert.equal(player.shown.value, 2, 'the turn is still there')
    player.solve()
    await step
    const rows = stage.store.length
    assert.equal(player.rows.value.length, 2)
    player.back()
    player.back()
    assert.equal(player.rows.value.length, 0)
    await player.next()
    await player.next()
    assert.equal(player.rows.value.length, 2)
    assert.equal(stage.store.length, rows)
  }),
)

test('a server that does not answer as it should is no success', { timeout }, async () => {
  const silent = parseScenario(
    'silent',
    '-- transcript --\n-> {"jsonrpc":"2.0","method":"notifications/x"}\n<- {"id":1}\n-> {}\n',
  )
  await teach(
    silent,
    async (player) => {
      await player.next()
      assert.deepEqual(player.failure.value, { step: 0, line: '{"id":1}', difference: undefined })
      await player.next()
      assert.equal(player.shown.value, 1, 'it ends there')
    },
    { patience: 50 },
  )
  const event = parseScenario('event', '-- transcript --\n! write notes://x "y"\n')
  await teach(event, async (player) => {
    await player.next()
    assert.equal(player.failure.value?.problem, 'there is no notes://x')
  })
})

test('in a classic revision the handshake is done first, once for each client', { timeout }, () =>
  teach(
    lesson('two-clients'),
    async (player, stage) => {
      await player.next()
      assert.equal(player.failure.value, undefined)
      const methods = stage.sessions.map(({ connection }) =>
        player.rows.value
          .filter(
            (row) =>
              stage.store.connection(row) === connection.id && stage.store.direction(row) === 'out',
          )
          .map((row) => stage.store.method(row)),
      )
      const each = ['initialize', 'notifications/initialized', 'resources/list']
      assert.deepEqual(methods, [each, each])
    },
    { revision: '2025-06-18' },
  ),
)

test('a client as written speaks what its messages say', { timeout }, () =>
  teach(lesson('eras'), async (player, stage) => {
    await player.next()
    await player.next()
    const spoken = stage.sessions.map(({ revision }) => revision.value)
    assert.deepEqual(spoken, ['2025-11-25', '2026-07-28'])
  }),
)

test('a caption has the values of messages before it', { timeout }, () =>
  teach(lesson('assistant'), async (player) => {
    const { steps } = player
    while (player.shown.value < steps.length) await player.next()
    assert.equal(player.failure.value, undefined)
    assert.deepEqual(
      steps.map(({ speaker }, i) => [speaker, player.caption(i)]),
      [
        ['user', 'What do I still have to buy?'],
        ['assistant', 'This page offers 2 resources. One is the note `notes://today`.'],
        ['assistant', 'Your note says: milk, apples.'],
        ['assistant', 'I subscribe to the note. If it changes, the page tells me.'],
        [
          undefined,
          'The page changed, and the server sent a notification with the `uri`. The content is not in it.',
        ],
        ['assistant', 'The list is different now: milk, bread, lemons.'],
      ],
    )
  }),
)

test('an audience is not told what a learner does', () => {
  const said = (learner: boolean) => captionIn(lesson('subscribe'), 'listen', undefined, learner)
  assert.match(said(true), /press Send\./)
  assert.doesNotMatch(said(false), /Send|[[\]]/)
})

test('a value in a caption is cut, and a name without a value stays', () => {
  const values = new Map<string, unknown>([
    ['$long', 'a'.repeat(300)],
    ['$list', [1, 2]],
    ['$object', { a: 1 }],
  ])
  assert.equal(filledCaption('{list} {object} {no}', values), '2 {"a":1} {no}')
  assert.equal(filledCaption('{long}', values), `${'a'.repeat(200)}…`)
})

test('a text is left for as long as it takes to read it', () => {
  assert.equal(readingTime(''), 2000)
  assert.equal(readingTime('a'.repeat(50)), 5000)
  assert.equal(readingTime('字'.repeat(25)), 5000)
  assert.equal(readingTime('a'.repeat(1000)), 12_000)
})
