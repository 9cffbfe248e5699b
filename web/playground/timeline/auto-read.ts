/** Reads a resource again whenever the server says that it has changed. At most one read is under way. */

import { type Signal, signal } from '@preact/signals'
import type { Session } from '../connections/session.ts'

const stops = new Map<string, () => void>()

/** What is read by itself: `connection uri`. */
export const reading: Signal<ReadonlySet<string>> = signal(new Set())

export const isAutoReading = (session: Session, uri: string): boolean =>
  reading.value.has(`${session.connection.id} ${uri}`)

/** Begins or ends it. It goes on until it is ended or the connection is closed. */
export function setAutoRead(session: Session, uri: string, on: boolean): void {
  const key = `${session.connection.id} ${uri}`
  stops.get(key)?.()
  stops.delete(key)
  if (on) stops.set(key, follow(session, uri))
  reading.value = new Set(stops.keys())
}

function follow(session: Session, uri: string): () => void {
  let seen = session.updates.peek().get(uri)?.count ?? 0
  let busy = false
  const read = async () => {
    if (busy) return
    busy = true
    // Whatever comes meanwhile is one more read, and not one each.
    while (seen < (session.updates.peek().get(uri)?.count ?? 0)) {
      seen = session.updates.peek().get(uri)?.count ?? 0
      await session.request('resources/read', { uri })
      if (session.connection.state.peek() === 'closed') break
    }
    busy = false
  }
  return session.updates.subscribe((updates) => {
    if ((updates.get(uri)?.count ?? 0) > seen) read()
  })
}
