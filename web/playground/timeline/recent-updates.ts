/** Updates of the last seconds by connection and resource, for the subscriptions panel. */

import type { Store } from '../messages/store.ts'

/** Length of the history. */
export const recentSpan = 40 // seconds

/** Maximum number of rows scanned, newest first. */
const maxRows = 100_000 // rows

/**
 * @param now - ms since 1970
 * @returns counts per second, newest last, by `connection uri`
 */
export function recentUpdates(store: Store, now: number): Map<string, number[]> {
  const counts = new Map<string, number[]>()
  const since = now - recentSpan * 1000
  for (let row = store.length - 1; row >= Math.max(0, store.length - maxRows); row--) {
    if (store.time(row) < since) break
    if (store.method(row) !== 'notifications/resources/updated') continue
    const key = `${store.connection(row)} ${store.target(row)}`
    const seconds = counts.get(key) ?? new Array<number>(recentSpan).fill(0)
    counts.set(key, seconds)
    const index = Math.min(recentSpan - 1, Math.floor((store.time(row) - since) / 1000))
    seconds[index] = (seconds[index] as number) + 1
  }
  return counts
}
