/** Earlier results to compare a result with. */

import type { Store } from '../messages/store.ts'

/** Number of results offered. */
export const maxEarlierResults = 20

/** Number of rows scanned: 200,000 cost 5 ms. */
const maxRowsScanned = 200_000 // rows

/**
 * Rows of earlier results with the same method and target, newest first, of any client. The first is the
 * default comparison.
 */
export function earlierResults(store: Store, row: number, most = maxEarlierResults): number[] {
  if (row >= store.length || store.kind(row) !== 'result') return []
  const method = store.method(row)
  const target = store.target(row)
  const found: number[] = []
  if (method === '') return found
  for (let at = row - 1; at >= Math.max(0, row - maxRowsScanned) && found.length < most; at--) {
    if (store.kind(at) === 'result' && store.method(at) === method && store.target(at) === target) {
      found.push(at)
    }
  }
  return found
}
