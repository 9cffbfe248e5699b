/** Commands of lessons and presentations. */

import type { Command } from '../base/commands.ts'
import { part } from '../base/part.ts'
import { presenting } from '../base/state.ts'
import { recordingFrom } from './recording.ts'

export const lessonsCommands: readonly Command[] = [
  {
    id: 'lessons.present',
    title: 'lessons.present',
    keys: 'P',
    run: () => {
      presenting.value = !presenting.peek()
    },
  },
  {
    id: 'lessons.record',
    title: 'lessons.record',
    when: () => recordingFrom.peek() === undefined,
    run: async () => (await part(import('./lesson-parts.ts'))).startRecording(),
  },
  {
    id: 'lessons.stopRecording',
    title: 'lessons.stopRecording',
    when: () => recordingFrom.peek() !== undefined,
    run: async () => (await part(import('./lesson-parts.ts'))).finishRecording(),
  },
]
