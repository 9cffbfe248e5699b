/** The command that opens *Access and audit*. */

import { type Command, opens } from '../base/commands.ts'
import { embedded } from '../base/settings.ts'

export const auditCommands: readonly Command[] = [
  opens('audit', {
    id: 'audit.open',
    title: 'audit.title',
    when: () => !embedded,
    async load() {
      const [{ auditOf }, gateway] = await Promise.all([
        import('./audit.tsx'),
        import('../connections/connect-parts.ts'),
      ])
      return auditOf(gateway)
    },
  }),
]
