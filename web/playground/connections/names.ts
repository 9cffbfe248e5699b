/** Names of connections, also of closed and imported ones: their rows remain. */

import { effect, type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { sessions } from './clients.ts'

/** The name of a client. */
export interface ClientName {
  /** `A`, `B` … */
  letter: string
  /** The server's name. */
  title: string
}

const known = new Map<number, ClientName>()

/** Counts changes of names: components read it to be redrawn. */
export const named: Signal<number> = signal(0)

/** Names a connection without a session, such as an imported one. */
export function setClientName(id: number, name: ClientName): void {
  known.set(id, name)
  named.value = named.peek() + 1
}

/** The name of a connection; 0 are the events of the demo. */
export function clientName(id: number): ClientName {
  const name = known.get(id)
  if (name) return name
  return { letter: id === 0 ? '' : String(id), title: id === 0 ? t('timeline.world') : `#${id}` }
}

/** The newest connection with a letter, in either case. */
export function connectionOf(letter: string): number | undefined {
  let found: number | undefined
  for (const [id, name] of known) if (name.letter.toLowerCase() === letter.toLowerCase()) found = id
  return found
}

effect(() => {
  for (const { connection } of sessions.value) {
    if (!known.has(connection.id)) {
      setClientName(connection.id, { letter: connection.letter, title: connection.dialer.title })
    }
  }
})
