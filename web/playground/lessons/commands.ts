/** Commands of lessons and presentations. */

import type { Command } from '../base/commands.ts'
import { presenting } from '../base/state.ts'

export const lessonsCommands: readonly Command[] = [
  {
    id: 'lessons.present',
    title: 'lessons.present',
    keys: 'P',
    run: () => {
      presenting.value = !presenting.peek()
    },
  },
]
