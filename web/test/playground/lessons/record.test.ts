/** A recording is a scenario that needs no server. */

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { play } from '../../../playground/lessons/player.ts'
import { recordingName, recordingOf } from '../../../playground/lessons/record.ts'
import { parseScenario } from '../../../playground/lessons/scenario.ts'
import { writeScenario } from '../../../playground/lessons/scenario-text.ts'
import { newStage, sceneInNode } from './stage.ts'

const timeout = 120_000 // ms; the first test may compile the engine

async function playAll(text: string, options: { scene: boolean }) {
  const scenario = parseScenario('x', text)
  const stage = newStage()
  const scene = () => {
    assert.ok(options.scene, 'a recording needs no server')
    return sceneInNode(scenario)
  }
  const player = play(scenario, { host: stage, engine: scene })
  while (player.shown.value < player.steps.length) {
    await player.next()
    assert.equal(player.failure.value, undefined)
  }
  return { player, stage }
}

/** What passed, connections counted from 0, without what is said when a connection closes. */
function passed({ store, sessions }: ReturnType<typeof newStage>) {
  const connections = new Map(sessions.map(({ connection }, i) => [connection.id, i]))
  return Array.from({ length: store.length }, (_, row) => ({
    connection: connections.get(store.connection(row)),
    direction: store.direction(row),
    raw: store.raw(row),
  }))
}

for (const id of ['eras', 'two-clients', 'errors']) {
  test(`${id} is played, recorded, written, read and played again`, { timeout }, async () => {
    const file = new URL(`../../../playground/lessons/scenarios/${id}.txtar`, import.meta.url)
    const first = await playAll(readFileSync(file, 'utf8'), { scene: true })
    const { store, sessions } = first.stage
    const before = passed(first.stage)
    const connections = sessions.map(({ connection }) => ({
      connection: connection.id,
      title: connection.dialer.title,
    }))
    const recording = recordingOf(store, connections, 0, store.length)
    first.player.close()

    const again = await playAll(writeScenario(recording), { scene: false })
    // What a connection says of itself is the world's in a recording.
    const worldly = before.map((row) =>
      row.direction === 'world' ? { ...row, connection: undefined } : row,
    )
    assert.deepEqual(passed(again.stage), worldly)
    again.player.close()
  })
}

test('a recording begins and ends where it was told to, with the connections it was given', () => {
  const { store, connect } = newStage()
  const dial = async () => ({ send() {}, close() {} })
  const dialer = { title: 'x', kind: 'in-page', url: '', framing: 'port', dial } as const
  const [a, b] = [
    connect(dialer, '2026-07-28').connection,
    connect(dialer, '2026-07-28').connection,
  ]
  const push = (connection: number, direction: 'in' | 'out', raw: string) =>
    store.push({ connection, direction, framing: 'port', raw })
  push(a.id, 'out', '{"jsonrpc":"2.0","id":1,"method":"m"}')
  const from = store.length
  push(a.id, 'in', '{"jsonrpc":"2.0","id":1,"result":{}}') // its question is not there
  push(b.id, 'out', '{"jsonrpc":"2.0","method":"other"}') // a connection that is not recorded
  push(a.id, 'out', '{\n  "secret": 1\n}')
  store.push({ connection: 0, direction: 'world', framing: 'world', raw: 'write notes://x "y"' })
  const to = store.length
  push(a.id, 'out', '{}')

  const redact = (raw: string) => raw.replace('secret', '…')
  const text = writeScenario(
    recordingOf(store, [{ connection: a.id, title: 'A' }], from, to, redact),
  )
  assert.match(text, /"recorded": true/)
  assert.deepEqual(text.split('-- transcript --\n')[1]?.split('\n'), [
    '->q "{\\n  \\"…\\": 1\\n}"',
    '! write notes://x "y"',
    '',
  ])
  assert.equal(recordingName(new Date(0)), 'recording-1970-01-01-0000.txtar')
})
