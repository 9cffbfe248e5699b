/** Reads a resource at each update. At most one read is in flight. */

import { type Signal, signal } from '@preact/signals'
import { selected } from '../base/state.ts'
import type { Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'

const stops = new Map<string, () => void>()

/** Resources that are read automatically: `connection uri`. */
export const reading: Signal<ReadonlySet<string>> = signal(new Set())

export const isAutoReading = (session: Session, uri: string): boolean =>
  reading.value.has(`${session.connection.id} ${uri}`)

/** Starts or stops reading. It also stops when the connection closes. */
export function setAutoRead(session: Session, uri: string, on: boolean): void {
  const key = `${session.connection.id} ${uri}`
  stops.get(key)?.()
  stops.delete(key)
  if (on) stops.set(key, follow(session, uri))
  reading.value = new Set(stops.keys())
}

function follow(session: Session, uri: string): () => void {
  let processed = session.updates.peek().get(uri)?.count ?? 0
  let busy = false
  const read = async () => {
    if (busy) return
    busy = true
    // All updates during a read cause one more read.
    while (processed < (session.updates.peek().get(uri)?.count ?? 0)) {
      processed = session.updates.peek().get(uri)?.count ?? 0
      const { row } = await session.request('resources/read', { uri })
      if (row >= 0 && mayFollow(uri)) selected.value = row
      if (session.connection.state.peek() === 'closed') break
    }
    busy = false
  }
  return session.updates.subscribe((updates) => {
    if ((updates.get(uri)?.count ?? 0) > processed) read()
  })
}

/** Inspect follows the resource unless it shows something else. */
function mayFollow(uri: string): boolean {
  const row = selected.peek()
  if (row === undefined || row >= store.length) return true
  return store.method(row) === 'resources/read' && store.target(row) === uri
}
