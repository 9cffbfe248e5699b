/** Opens a connection that the user requested. If the server rejects the chosen revision, the other era is tried. */

import { isModern, newest, type Revision } from '../protocol/revisions.ts'
import { connect } from './clients.ts'
import type { Reply, Session } from './session.ts'
import type { Dialer } from './transport.ts'

/** The revision of most servers that do not support the newest one. */
const older: Revision = '2025-11-25'

/** Opens a connection. A server that rejects the chosen revision gets one more handshake, of the other era. */
export function openConnection(dialer: Dialer): Session {
  const session = connect(dialer, { handshake: false })
  if (!dialer.readOnly) void handshake(session)
  return session
}

async function handshake(session: Session): Promise<void> {
  const tried = session.revision.peek()
  const other = otherEra(tried, await session.handshake(tried))
  if (other === undefined || session.connection.state.peek() !== 'open') return
  session.connection.note(`retries with revision ${other}`)
  await session.restart(other)
}

/** The revision to try next, if an answer to the first message says that the first was not understood. */
export function otherEra(tried: Revision, { error }: Reply): Revision | undefined {
  if (error === undefined) return undefined
  if (isModern(tried)) return older
  const { supported } = (error.data ?? {}) as { supported?: unknown }
  return Array.isArray(supported) && supported.includes(newest) ? newest : undefined
}
