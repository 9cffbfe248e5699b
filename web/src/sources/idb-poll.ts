/**
 * Looks every now and then whether a store has changed, for writes that nobody tells of: of tabs and
 * workers without PageMCP, of a service worker, of a library that keeps its own copy of IndexedDB's
 * methods. Little is looked at: how many records there are, the first and the last keys, and where
 * each index begins and ends. A record that is overwritten under its key, and moves no end of an index,
 * is not seen; an index over the time of the last change makes every write move one.
 */

import { keyText } from './idb-keys.ts'
import { type Reader, result } from './idb-open.ts'
import type { Served } from './idb-options.ts'

/** Looking takes at most this share of the time: a large store is looked at less often. */
const maxShare = 0.02

/** How much rarer a hidden page looks. */
const whileHidden = 10

/** How many of the first keys are compared. */
const maxKeys = 1000

/** How many indexes are looked at. */
const maxIndexes = 16

/** How to look for changes that nobody tells of. */
export interface PollOptions {
  /** How often: at least 1. Stores that take long to look at are looked at less often. */
  seconds: number
}

/**
 * Calls `changed` for each store that has become another one since it was looked at last, until signal
 * is aborted. Two looks at one store never overlap.
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
    // A database that is busy, or refused, is looked at again in due time.
    const now = await revision(served, read, signal).catch(() => before)
    if (signal.aborted) return
    if (before !== undefined && now !== before) changed(served)
    before = now
    const pause = seconds * 1000 * (globalThis.document?.hidden ? whileHidden : 1)
    await rest(Math.max(pause, (performance.now() - begun) / maxShare), signal)
  }
}

/** What can be seen of a store at little cost; `none` if there is no such store. */
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
