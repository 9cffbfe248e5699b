/** Begins a connection that a person asked for: in the revision that is chosen, else in the one that the other side speaks. */

import { connect, revision, speak } from '../base/state.ts'
import { isModern, newest, type Revision } from '../protocol/revisions.ts'
import type { Reply, Session } from './session.ts'
import type { Dialer } from './transport.ts'

/** What most servers speak that do not speak the newest. */
const older: Revision = '2025-11-25'

/** Opens a lane. Whoever does not speak the chosen revision is asked once more, in the other era. */
export function begin(dialer: Dialer): Session {
  const session = connect(dialer, { greet: false })
  if (!dialer.readOnly) void greet(session)
  return session
}

async function greet(session: Session): Promise<void> {
  const other = otherEra(revision.peek(), await session.greet(revision.peek()))
  if (other === undefined || session.lane.state.peek() !== 'open') return
  session.lane.note(`begins again with ${other}`)
  speak(other)
}

/** The revision to try next, if an answer to the first message says that the first was not understood. */
export function otherEra(tried: Revision, { error }: Reply): Revision | undefined {
  if (error === undefined) return undefined
  if (isModern(tried)) return older
  const { supported } = (error.data ?? {}) as { supported?: unknown }
  return Array.isArray(supported) && supported.includes(newest) ? newest : undefined
}
