/**
 * Options of the simulation: how often the demo's data changes, and which faults reads have. Changes of an
 * option are recorded as events, so that cause and effect are next to each other in the timeline.
 */

import { signal } from '@preact/signals'
import { demoPaused, selected } from '../base/state.ts'
import { active } from '../connections/clients.ts'
import { recordEvent, store } from '../messages/log.ts'

/** Automatic changes by name: ms between two; 0: none. */
export const changeRates = { still: 0, slow: 10_000, normal: 4000, fast: 250 } as const
export type ChangeRate = keyof typeof changeRates

export const simulation = signal({
  pace: 'normal' as ChangeRate,
  /** Delay of every read, ms. */
  latency: 0,
  /** Every read fails. */
  errors: false,
  /** Reads are never answered. */
  drop: false,
})

/** Sets options and records the changes. */
export function simulate(options: Partial<typeof simulation.value>): void {
  const before = simulation.peek()
  for (const [name, value] of Object.entries(options))
    if (before[name as never] !== value) recordEvent(`simulation ${name}: ${value}`)
  simulation.value = { ...before, ...options }
}

/** Applies delay and faults before a read. */
export async function simulateFaults(signal: AbortSignal): Promise<void> {
  const { latency, errors, drop } = simulation.peek()
  if (drop) {
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
  if (latency > 0) await new Promise((resolve) => setTimeout(resolve, latency))
  if (errors) throw new Error('the simulation fails all reads')
}

/** Time to read a result before the next automatic change. */
export const readingTime = 15_000 // ms

/** When the result of a read was shown, in ms since 1970; 0: none is, or the user does not wait. */
export const shownAt = signal(0)

/** Follows what the user looks at: the result of a read, or something else. @returns stops it */
const followReads = () =>
  selected.subscribe((row) => {
    const isRead =
      row !== undefined && store.kind(row) === 'result' && store.method(row) === 'resources/read'
    shownAt.value = isRead ? Date.now() : 0
  })

/**
 * Calls `change` at the chosen rate, unless the demo is paused, or another server is the active one. After a read, the
 * changes of the normal rate wait until the user has had time to read, or does something else.
 *
 * @returns stops it
 */
export function changePeriodically(change: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = () => {
    clearTimeout(timer)
    const { pace } = simulation.value
    const wait = changeRates[pace]
    const isElsewhere = active.value !== undefined && !active.value.connection.dialer.demo
    if (wait === 0 || demoPaused.value || isElsewhere) return
    const reading = pace === 'normal' ? shownAt.value + readingTime - Date.now() : 0
    timer = setTimeout(
      () => {
        change()
        next()
      },
      Math.max(wait, reading),
    )
  }
  const stops = [simulation, demoPaused, active, shownAt].map((one) => one.subscribe(next))
  stops.push(followReads())
  return () => {
    clearTimeout(timer)
    for (const stop of stops) stop()
  }
}
