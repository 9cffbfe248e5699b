/** The command that opens *Try your page*. */

import type { Command } from '../base/commands.ts'
import { embedded } from '../base/settings.ts'
import { dialog } from '../base/state.ts'

export const yourPageCommands: readonly Command[] = [
  {
    id: 'yourPage.open',
    title: 'yourPage.title',
    when: () => !embedded,
    run() {
      dialog.value = 'yourPage'
    },
  },
]
