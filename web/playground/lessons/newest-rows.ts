/** The rows that a presentation shows: the newest, of some connections. */

import { store } from '../messages/log.ts'

/** Maximum number of presented messages. An audience follows the newest; the timeline has all. */
const maxRows = 300 // rows

/** Rows that are looked at. A presentation is drawn anew with each message. */
const maxScanned = 20_000 // rows

/**
 * @param rows - ascending
 * @param connections - undefined: all
 */
export function newestOf(
  rows: { readonly length: number; row(index: number): number },
  connections: ReadonlySet<number> | undefined,
  connectionOf = (row: number): number => store.connection(row),
): number[] {
  const newest: number[] = []
  const end = Math.max(0, rows.length - maxScanned)
  for (let at = rows.length - 1; at >= end && newest.length < maxRows; at--) {
    const row = rows.row(at)
    if (!connections || connections.has(connectionOf(row))) newest.push(row)
  }
  return newest.reverse()
}
