/** How long answers to a method have taken so far. */

import type { Store } from '../messages/store.ts'

/** At most so many of the newest rows are looked at: a millisecond's work. */
const maxRows = 20_000

export interface Latencies {
  count: number
  /** ms that half of them took at most. */
  p50: number
  /** ms that 95 of 100 took at most. */
  p95: number
}

/** Of the answers to a method on any connection; undefined while there are fewer than two to compare. */
export function latenciesOf(store: Store, method: string): Latencies | undefined {
  const times: number[] = []
  for (let row = store.length - 1; row >= Math.max(0, store.length - maxRows); row--) {
    const kind = store.kind(row)
    if (kind !== 'result' && kind !== 'error') continue
    if (store.partner(row) >= 0 && store.method(row) === method) times.push(store.latency(row))
  }
  if (times.length < 2) return undefined
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.ceil(share * times.length) - 1] as number
  return { count: times.length, p50: at(0.5), p95: at(0.95) }
}
