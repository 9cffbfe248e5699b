/** Commands of connections. */

import { type Command, opens } from '../base/commands.ts'
import { embedded } from '../base/settings.ts'
import { active, connect, disconnect } from './clients.ts'
import { openCheck } from './open-check.ts'

export const connectionsCommands: readonly Command[] = [
  { id: 'check', title: 'check.title', when: () => !embedded, run: openCheck },
  opens('connect', {
    id: 'connections.connect',
    title: 'connections.connectTo',
    load: () => import('./connect-parts.ts').then((one) => one.Connect),
  }),
  {
    id: 'connections.another',
    title: 'connections.anotherClient',
    when: () => active.value !== undefined && !active.value.connection.dialer.readOnly,
    run() {
      const session = active.peek()
      if (session) connect(session.connection.dialer)
    },
  },
  {
    id: 'connections.reconnect',
    title: 'connections.reconnect',
    when: () => active.value?.connection.state.value === 'closed',
    run() {
      const session = active.peek()
      void session?.restart(session.revision.peek())
    },
  },
  {
    id: 'connections.disconnect',
    title: 'connections.disconnect',
    when: () => active.value !== undefined,
    run() {
      const session = active.peek()
      if (session) disconnect(session)
    },
  },
]
