/** Commands of the conformance check. */

import type { Command } from '../base/commands.ts'
import { dialog } from '../base/state.ts'
import { active } from '../connections/clients.ts'

export const conformanceCommands: readonly Command[] = [
  {
    id: 'conformance.check',
    title: 'conformance.title',
    when: () => active.value !== undefined && !active.value.connection.dialer.readOnly,
    run() {
      dialog.value = 'conformance'
    },
  },
]
