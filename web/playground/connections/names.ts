/** Names of connections, also of closed and imported ones: their rows remain. And names of assistants. */

import { effect, type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { sessions } from './clients.ts'

/** The name of a client. */
export interface ClientName {
  /** `A`, `B` … */
  letter: string
  /** The server's name. */
  title: string
  /** The client's name, if it has another than its letter. */
  client?: string
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

/** How the gateway names clients without a name of their own. */
const unnamed: readonly string[] = ['token', 'stdio', 'anyone']

/** Whether the gateway vouches for a name: that of a token, or of `pagemcp stdio --as`. */
export const isVouched = (who: string): boolean => !unnamed.includes(who)

/** The name that the gateway vouches for, else what the assistant calls itself, else how it was authenticated. */
export const assistantOf = ({ client, who }: { client: string; who: string }): string =>
  isVouched(who) ? who : client || who

effect(() => {
  for (const { connection } of sessions.value) {
    const { letter, dialer } = connection
    const { title } = dialer // of the demo, it depends on the language
    if (known.get(connection.id)?.title !== title) setClientName(connection.id, { letter, title })
  }
})
