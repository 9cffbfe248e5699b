/** What connections are called, also those that are closed or came from a file: their rows stay. */

import { effect, type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { sessions } from './clients.ts'

/** How a connection is shown. */
export interface ClientName {
  /** `A`, `B` … */
  letter: string
  /** Whom it speaks with, for people. */
  title: string
}

const known = new Map<number, ClientName>()

/** Counts changes of names; read by what draws them. */
export const named: Signal<number> = signal(0)

/** Gives a connection without a session its name, such as one that a file was read into. */
export function setClientName(id: number, name: ClientName): void {
  known.set(id, name)
  named.value = named.peek() + 1
}

/** The name of a connection; of connection 0 the world's. */
export function clientName(id: number): ClientName {
  const name = known.get(id)
  if (name) return name
  return { letter: id === 0 ? '' : String(id), title: id === 0 ? t('timeline.world') : `#${id}` }
}

/** The connection of a letter, in either case; the newest, if there were several. */
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
