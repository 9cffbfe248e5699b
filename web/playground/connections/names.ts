/** What lanes are called, also those that are closed or came from a file: their rows stay. */

import { effect, type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { sessions } from './clients.ts'

/** How a lane is shown. */
export interface LaneName {
  /** `A`, `B` … */
  letter: string
  /** Whom it speaks with, for people. */
  title: string
}

const known = new Map<number, LaneName>()

/** Counts changes of names; read by what draws them. */
export const named: Signal<number> = signal(0)

/** Gives a lane without a session its name, such as one that a file was read into. */
export function nameLane(id: number, name: LaneName): void {
  known.set(id, name)
  named.value = named.peek() + 1
}

/** The name of a lane; of lane 0 the world's. */
export function laneName(id: number): LaneName {
  const name = known.get(id)
  if (name) return name
  return { letter: id === 0 ? '' : String(id), title: id === 0 ? t('timeline.world') : `#${id}` }
}

/** The lane of a letter, in either case; the newest, if there were several. */
export function laneOf(letter: string): number | undefined {
  let found: number | undefined
  for (const [id, name] of known) if (name.letter.toLowerCase() === letter.toLowerCase()) found = id
  return found
}

effect(() => {
  for (const { lane } of sessions.value) {
    if (!known.has(lane.id)) {
      nameLane(lane.id, { letter: lane.letter, title: lane.dialer.title })
    }
  }
})
