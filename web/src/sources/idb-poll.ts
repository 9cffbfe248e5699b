/**
 * Polls stores for writes that are not observed otherwise: of tabs and workers without PageMCP, of a
 * service worker, of a library that keeps its own copy of IndexedDB's methods. Each poll reads little: the
 * count of records, the first and last keys, and the first and last entry of each index. A record that is
 * overwritten under its key is not noticed unless such an entry changes, as in an index over the time of
 * the last change.
 */

import { result } from '../idb-request.ts'
import { keyText } from './idb-keys.ts'
import type { Reader } from './idb-open.ts'
import type { Served } from './idb-options.ts'
import { pollEvery } from './polling.ts'

/** The number of first keys that are compared. */
const maxKeys = 1000

/** The most indexes that are polled. */
const maxIndexes = 16

/**
 * Calls `changed` for each store that has changed since the previous poll, until the signal is aborted. Polls
 * of one store never overlap.
 *
 * @param every - ms between polls of a store
 */
export function pollStores(
  stores: readonly Served[],
  every: number,
  read: Reader,
  changed: (served: Served) => void,
  signal: AbortSignal,
): void {
  for (const served of stores) {
    let before: string | undefined
    pollEvery(every, signal, async () => {
      const now = await revision(served, read, signal) // rejects if the database is busy, or denied
      if (signal.aborted) return
      if (before !== undefined && now !== before) changed(served)
      before = now
    })
  }
}

/** A cheap summary of a store; `none` if there is no such store. */
async function revision(served: Served, read: Reader, signal: AbortSignal): Promise<string> {
  const seen = await read.inStore(served, signal, async (store) => {
    const indexes = Array.from(store.indexNames).slice(0, maxIndexes)
    const places = indexes.map((name) => store.index(name))
    const ends = [...places, store].flatMap((place) =>
      (['next', 'prev'] as const).map((direction) => result(place.openKeyCursor(null, direction))),
    )
    const [count, keys, ...cursors] = await Promise.all([
      result(store.count()),
      result(store.getAllKeys(null, maxKeys)),
      ...ends,
    ])
    const at = cursors.map((cursor) => cursor && [keyText(cursor.key), keyText(cursor.primaryKey)])
    return JSON.stringify([count, store.transaction.db.version, at, keys.map(keyText)])
  })
  return seen ?? 'none'
}
