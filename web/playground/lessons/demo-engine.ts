/** The server of the demo as the engine of a scenario, so that it shows the page which the user sees. */

import { demo } from '../demo/demo.ts'
import type { ScenarioEngine } from './scenario-engine.ts'

/** Its only event is `write notes://… "text"`. It closes no one's connection: the demo goes on. */
export async function demoEngine(): Promise<ScenarioEngine> {
  const { mcp, notes } = await demo()
  return {
    port: () => mcp.port(),
    async event(verb, subject, value) {
      const [, id] = /^notes:\/\/(.+)$/.exec(subject) ?? []
      if (verb !== 'write' || id === undefined) {
        throw new Error(`the demo has no event "${verb} ${subject}"`)
      }
      await notes.put(id, JSON.parse(value))
    },
    close() {},
  }
}
