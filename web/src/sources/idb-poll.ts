/**
 * Polls stores for writes that are not observed otherwise: of tabs and workers without PageMCP, of a
 * service worker, of a library that keeps its own copy of IndexedDB's methods. Each poll reads little: the
 * count of records, the first and last keys, and the first and last entry of each index. A record that is
 * overwritten under its key is not noticed unless such an entry changes, as in an index over the time of
 * the last change.
 */

import { keyText } from './idb-keys.ts'
import { type Reader, result } from './idb-open.ts'
import type { Served } from './idb-options.ts'

/** Polling takes at most this share of the time: large stores are polled less often. */
const maxShare = 0.02

/** The factor by which a hidden page polls less often. */
const whileHidden = 10

/** The number of first keys that are compared. */
const maxKeys = 1000

/** The most indexes that are polled. */
const maxIndexes = 16

/** Options of polling. */
export interface PollOptions {
  /** The interval, at least 1. Stores that take long are polled less often. */
  seconds: number
}

/**
 * Calls `changed` for each store that has changed since the previous poll, until the signal is aborted. Polls
 * of one store never overlap.
 */
export function pollStores(
  stores: readonly Served[],
  { seconds }: PollOptions,
  read: Reader,
  changed: (served: Served) => void,
  signal: AbortSignal,
): void {
  for (const served of stores) void poll(served, seconds, read, changed, signal)
}

async function poll(
  served: Served,
  seconds: number,
  read: Reader,
  changed: (served: Served) => void,
  signal: AbortSignal,
) {
  let before: string | undefined
  while (!signal.aborted) {
    const begun = performance.now()
    // A database that is busy, or denied, is polled again at the next interval.
    const now = await revision(served, read, signal).catch(() => before)
    if (signal.aborted) return
    if (before !== undefined && now !== before) changed(served)
    before = now
    const pause = seconds * 1000 * (globalThis.document?.hidden ? whileHidden : 1)
    await rest(Math.max(pause, (performance.now() - begun) / maxShare), signal)
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

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, ms)
    function done() {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    signal.addEventListener('abort', done)
  })
}
