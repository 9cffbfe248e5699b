/** Updates of the last seconds, by connection and resource: what the notifications panel draws. */

import type { Store } from '../messages/store.ts'

/** How far back. */
export const recentSpan = 40 // seconds

/** The newest rows that are examined, at most. */
const maxRows = 100_000 // rows

/**
 * @param now - ms since 1970
 * @returns counts per second, the latest last, by `connection uri`
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
