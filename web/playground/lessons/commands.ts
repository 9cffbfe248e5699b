/** Commands of lessons and presentations. */

import type { Command } from '../base/commands.ts'
import { layout, show } from '../base/state.ts'

export const lessonsCommands: readonly Command[] = [
  {
    id: 'lessons.present',
    title: 'lessons.present',
    keys: 'P',
    run: () => {
      show({ presenting: !layout.peek().presenting })
    },
  },
]
