/**
 * Options of the simulation: how often the demo's data changes, and which faults reads have. Changes of an
 * option are recorded as events, so that cause and effect are next to each other in the timeline.
 */

import { type Signal, signal } from '@preact/signals'
import { demoPaused } from '../base/state.ts'
import { active } from '../connections/clients.ts'
import { recordEvent } from '../messages/log.ts'

/** Automatic changes by name: ms between two; 0: none. */
export const changeRates = { still: 0, slow: 10_000, normal: 4000, fast: 250 } as const
export type ChangeRate = keyof typeof changeRates

export const changeRate: Signal<ChangeRate> = signal('normal')

/** Delay of every read, ms. */
export const latency = signal(0)

/** Every read fails. */
export const failing = signal(false)

/** Reads are never answered. */
export const dropping = signal(false)

/** Sets an option and records the change. */
export function setOption<T extends string | number | boolean>(
  option: Signal<T>,
  name: string,
  value: T,
) {
  if (option.peek() === value) return
  option.value = value
  recordEvent(`simulation ${name}: ${value}`)
}

/** Applies delay and faults before a read. */
export async function simulateFaults(signal: AbortSignal): Promise<void> {
  if (dropping.peek()) {
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
  const wait = latency.peek()
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  if (failing.peek()) throw new Error('the simulation fails all reads')
}

/**
 * Calls `change` at the chosen rate, unless the demo is paused, or another server is the active one.
 *
 * @returns stops it
 */
export function changePeriodically(change: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = () => {
    clearTimeout(timer)
    const wait = changeRates[changeRate.value]
    const isElsewhere = active.value !== undefined && !active.value.connection.dialer.demo
    if (wait === 0 || demoPaused.value || isElsewhere) return
    timer = setTimeout(() => {
      change()
      next()
    }, wait)
  }
  const stops = [changeRate, demoPaused, active].map((one) => one.subscribe(next))
  return () => {
    clearTimeout(timer)
    for (const stop of stops) stop()
  }
}
