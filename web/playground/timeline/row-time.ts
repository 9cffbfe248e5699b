/** Times of rows: the time of day, or since the first row. */

import { clockTime, sinceStart } from '../base/numbers.ts'
import { change, settings } from '../base/settings.ts'
import { store } from '../messages/log.ts'

export const changeClock = (): void =>
  change({ clock: settings.peek().clock === 'wall' ? 'start' : 'wall' })

/** The time of a row in the chosen format. */
export const when = (row: number): string =>
  settings.value.clock === 'start'
    ? sinceStart(store.time(row) - store.time(0))
    : clockTime(store.time(row))
