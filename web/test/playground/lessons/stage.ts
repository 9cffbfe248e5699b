/** A stage without a page: connections and a store of its own, and the engine in Node. */

import { Connection } from '../../../playground/connections/connection.ts'
import { Session } from '../../../playground/connections/session.ts'
import type { PlayerHost } from '../../../playground/lessons/player.ts'
import type { Scenario } from '../../../playground/lessons/scenario.ts'
import {
  type ScenarioEngine,
  startScenarioEngine,
} from '../../../playground/lessons/scenario-engine.ts'
import { Store } from '../../../playground/messages/store.ts'
import { contents, start } from '../../../src/index.ts'
import { engineModule, goRuntime } from '../../core/load.ts'
import '../../core/worker.ts'

export interface TestStage extends PlayerHost {
  readonly store: Store
  readonly sessions: readonly Session[]
}

export function newStage(): TestStage {
  const store = new Store((run) => queueMicrotask(run))
  const sessions: Session[] = []
  return {
    store,
    sessions,
    connect(dialer, revision) {
      const connection = new Connection(dialer, String.fromCharCode(65 + sessions.length), store)
      const session = new Session(connection, revision)
      sessions.push(session)
      connection.open()
      return session
    },
    disconnect: (session) => session.connection.close(),
    recordEvent: (raw) => store.push({ connection: 0, direction: 'world', framing: 'world', raw }),
  }
}

/** The scenario's world, on an engine in Node. */
export async function sceneInNode(scenario: Scenario): Promise<ScenarioEngine> {
  await goRuntime()
  return startScenarioEngine(
    scenario,
    { start, contents },
    { urls: { wasm: await engineModule() } },
  )
}
