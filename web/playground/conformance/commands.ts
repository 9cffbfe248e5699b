/** Commands of the conformance check. */

import { type Command, opens } from '../base/commands.ts'
import { active } from '../connections/clients.ts'

export const conformanceCommands: readonly Command[] = [
  opens('conformance', {
    id: 'conformance.check',
    title: 'conformance.title',
    when: () => active.value !== undefined && !active.value.connection.dialer.readOnly,
    load: () => import('./conformance.tsx').then((one) => one.Conformance),
  }),
]
