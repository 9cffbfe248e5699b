/**
 * The knobs of the world: how fast it lives, and what goes wrong in it. Each is a situation of the
 * specification, and turning one is written to the timeline, so that cause and effect stand together.
 */

import { type Signal, signal } from '@preact/signals'
import { demoPaused } from '../base/state.ts'
import { recordEvent } from '../messages/log.ts'

/** Changes by themselves, by name: ms between two. 0: none. */
export const changeRates = { still: 0, slow: 10_000, normal: 4000, fast: 250 } as const
export type ChangeRate = keyof typeof changeRates

export const changeRate: Signal<ChangeRate> = signal('normal')

/** How long every read takes: ms. */
export const latency = signal(0)

/** Every read fails. */
export const failing = signal(false)

/** Reads are never answered. */
export const dropping = signal(false)

/** Turns a knob and says so. */
export function setOption<T extends string | number | boolean>(
  option: Signal<T>,
  name: string,
  value: T,
) {
  if (option.peek() === value) return
  option.value = value
  recordEvent(`simulation ${name}: ${value}`)
}

/** Does what the knobs say before something is read. */
export async function simulateFaults(signal: AbortSignal): Promise<void> {
  if (dropping.peek()) {
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
  const wait = latency.peek()
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
  if (failing.peek()) throw new Error('the knob says that reads fail')
}

/**
 * Calls `change` again and again at the pace that is set, unless the world rests.
 *
 * @returns how to stop
 */
export function changePeriodically(change: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = () => {
    clearTimeout(timer)
    const wait = changeRates[changeRate.value]
    if (wait === 0 || demoPaused.value) return
    timer = setTimeout(() => {
      change()
      next()
    }, wait)
  }
  const stops = [changeRate.subscribe(next), demoPaused.subscribe(next)]
  return () => {
    clearTimeout(timer)
    for (const stop of stops) stop()
  }
}
