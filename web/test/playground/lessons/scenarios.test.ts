/** Every scenario that the playground comes with, played to its end in each revision that it names. */

import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { play } from '../../../playground/lessons/player.ts'
import { parseScenario } from '../../../playground/lessons/scenario.ts'
import { newStage, sceneInNode } from './stage.ts'

const folder = new URL('../../../playground/lessons/scenarios/', import.meta.url)
const scenarios = readdirSync(folder)
  .filter((name) => name.endsWith('.txtar'))
  .map((name) =>
    parseScenario(name.replace('.txtar', ''), readFileSync(new URL(name, folder), 'utf8')),
  )

for (const scenario of scenarios) {
  for (const revision of scenario.options.revisions ?? [undefined]) {
    const title = `${scenario.id} is as it says, ${revision ?? 'as written'}`
    test(title, { timeout: 120_000 }, async () => {
      const stage = newStage()
      const scene = () => sceneInNode(scenario)
      const player = play(scenario, { host: stage, engine: scene, revision, strict: true })
      try {
        while (player.shown.value < player.steps.length) {
          await player.next()
          assert.equal(player.failure.value, undefined)
        }
        await Promise.all(stage.sessions.map((session) => session.request('ping')))
        assert.deepEqual(player.rest(), [], 'said, and not in the scenario')
      } finally {
        player.close()
      }
    })
  }
}
