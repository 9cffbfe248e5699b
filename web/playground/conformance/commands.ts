/** Commands of the conformance check. */

import { type Command, opens } from '../base/commands.ts'
import { active } from '../connections/clients.ts'

const canSend = () => active.value !== undefined && !active.value.connection.dialer.readOnly

export const conformanceCommands: readonly Command[] = [
  opens('conformance', {
    id: 'conformance.check',
    title: 'conformance.title',
    when: canSend,
    load: () => import('./conformance-parts.ts').then((one) => one.Conformance),
  }),
  opens('malformed', {
    id: 'conformance.set',
    title: 'conformance.set.title',
    when: canSend,
    load: () => import('./conformance-parts.ts').then((one) => one.MalformedSet),
  }),
]
