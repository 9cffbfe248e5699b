/** Rows of the last seconds, for sparklines. */

import type { Store } from '../messages/store.ts'

/** Length of the history. */
const span = 40 // seconds

/** Maximum number of rows scanned, newest first. */
const maxRows = 100_000 // rows

/** The counts of a key without rows. */
export const none: readonly number[] = new Array(span).fill(0)

/**
 * @param now - ms since 1970
 * @param keyOf - undefined: the row does not count
 * @returns counts per second, newest last, by key
 */
export function recentCounts(
  store: Store,
  now: number,
  keyOf: (row: number) => string | undefined,
): Map<string, number[]> {
  const counts = new Map<string, number[]>()
  const since = now - span * 1000
  for (let row = store.length - 1; row >= Math.max(0, store.length - maxRows); row--) {
    if (store.time(row) < since) break
    const key = keyOf(row)
    if (key === undefined) continue
    const seconds = counts.get(key) ?? [...none]
    counts.set(key, seconds)
    const index = Math.min(span - 1, Math.floor((store.time(row) - since) / 1000))
    seconds[index] = (seconds[index] as number) + 1
  }
  return counts
}
