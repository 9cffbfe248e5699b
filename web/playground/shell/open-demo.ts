/** The client of the demo, and its introduction. */

import { t } from '../base/i18n.ts'
import { part } from '../base/part.ts'
import { change } from '../base/settings.ts'
import { connect } from '../connections/clients.ts'
import { inPage } from '../connections/in-page.ts'
import type { Session } from '../connections/session.ts'

/** Opens another client of the demo. The engine is far larger than the shell: messages wait until it is loaded. */
export function openDemo(): Session {
  const dialer = inPage('', async (closed) =>
    (await part(import('../demo/demo-parts.ts'))).demoPort(closed),
  )
  demoSession = connect({
    ...dialer,
    demo: true,
    // The language is loaded later, and may change.
    get title() {
      return t('shell.demo')
    },
  })
  return demoSession
}

let demoSession: Session | undefined

/** Shows the introduction again, on the client of the demo. */
export async function replayIntroduction(): Promise<void> {
  change({ bench: true })
  const { introduce } = await part(import('../demo/demo-parts.ts'))
  const closed = demoSession?.connection.state.peek() === 'closed'
  await introduce(demoSession && !closed ? demoSession : openDemo())
}
