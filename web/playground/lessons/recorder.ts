/** Records messages of this page, and opens recordings. */

import { saveFile } from '../base/save-file.ts'
import { clientName } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { redact } from '../share/redact.ts'
import { type Recorded, recordingName, recordingOf } from './record.ts'
import { recordingFrom } from './recording.ts'
import type { Scenario } from './scenario.ts'
import { writeScenario } from './scenario-text.ts'

export function startRecording(): void {
  recordingFrom.value = store.length
}

/** Ends the recording and returns its messages and events. */
export async function stopRecording(): Promise<Scenario | undefined> {
  const from = recordingFrom.peek()
  recordingFrom.value = undefined
  if (from === undefined || from >= store.length) return undefined
  const recorded = new Set<number>()
  for (let row = from; row < store.length; row++) recorded.add(store.connection(row))
  recorded.delete(0) // events are always recorded
  const connections = [...recorded].map(
    (connection): Recorded => ({ connection, title: clientName(connection).title }),
  )
  return recordingOf(store, connections, from, store.length, redact)
}

/** Saves a scenario as a file. */
export function save(scenario: Scenario): void {
  saveFile(recordingName(new Date()), 'text/plain', writeScenario(scenario))
}
