/** Records what passes in this page, and opens what was recorded. */

import { sessions, store } from '../app/state.ts'
import { type Recorded, recordingName, recordingOf } from './record.ts'
import { recordingFrom } from './recording.ts'
import { type Scenario, writeScenario } from './scenario.ts'

export function startRecording(): void {
  recordingFrom.value = store.length
}

/** Ends the recording, and hands over what passed on the lanes that are open, the world included. */
export async function stopRecording(): Promise<Scenario | undefined> {
  const from = recordingFrom.peek()
  recordingFrom.value = undefined
  if (from === undefined || from >= store.length) return undefined
  const lanes: Recorded[] = sessions.peek().map(({ lane, peer }) => {
    const { name, title = name } = peer.peek() ?? { name: lane.dialer.title }
    return { lane: lane.id, title }
  })
  const heard = new Set<number>()
  for (let row = from; row < store.length; row++) heard.add(store.lane(row))
  const used = lanes.filter(({ lane }) => heard.has(lane))
  return recordingOf(store, used, from, store.length)
}

/** Saves a scenario as a file. */
export function save(scenario: Scenario): void {
  const file = new Blob([writeScenario(scenario)], { type: 'text/plain' })
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = recordingName(new Date())
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000) // ms; by then it is being saved
}
