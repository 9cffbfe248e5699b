/** Times of rows: the time of day, or since the first row. */

import type { Signal } from '@preact/signals'
import { clockTime, sinceStart } from '../base/numbers.ts'
import { setting } from '../base/settings.ts'
import { store } from '../messages/log.ts'

export const clock: Signal<'wall' | 'start'> = setting<'wall' | 'start'>('timeline.clock', 'wall')

/** The time of a row in the chosen format. */
export const when = (row: number): string =>
  clock.value === 'start' ? sinceStart(store.time(row) - store.time(0)) : clockTime(store.time(row))
