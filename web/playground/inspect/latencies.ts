/** Latencies of a method so far. */

import type { Store } from '../messages/store.ts'

/** Number of newest rows scanned: a millisecond. */
const maxRows = 20_000

export interface Latencies {
  count: number
  /** Median, ms. */
  p50: number
  /** 95th percentile, ms. */
  p95: number
}

/** Of fewer responses a percentile says nothing. */
const enough = 20

/** Of responses to a method on any connection; undefined if there are fewer than 20. */
export function latenciesOf(store: Store, method: string): Latencies | undefined {
  const times: number[] = []
  for (let row = store.length - 1; row >= Math.max(0, store.length - maxRows); row--) {
    const kind = store.kind(row)
    if (kind !== 'result' && kind !== 'error') continue
    if (store.partner(row) >= 0 && store.method(row) === method) times.push(store.latency(row))
  }
  if (times.length < enough) return undefined
  times.sort((a, b) => a - b)
  const at = (share: number) => times[Math.ceil(share * times.length) - 1] as number
  return { count: times.length, p50: at(0.5), p95: at(0.95) }
}
