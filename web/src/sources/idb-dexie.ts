/**
 * Observes the messages of Dexie (3.2 and later) about committed writes: on a BroadcastChannel to other tabs
 * and workers, as an event in its own window. The other side needs no PageMCP. They name ranges of keys
 * by table and index: `idb://{database}/{table}/{index}`, where no index is the primary key and
 * `:dels` are deletions.
 *
 * @see https://dexie.org/docs/Dexie/Dexie.on.storagemutated
 */

import { liveChannel } from './idb-channel.ts'
import type { Echo } from './idb-dexie-writes.ts'
import { loadIdb } from './idb-lazy.ts'
import type { Served } from './idb-options.ts'
import { isReported, type Written } from './idb-watch.ts'

/** The name of channel and event. */
const mutated = 'x-storagemutated-1'

/**
 * Reports writes of Dexie until the signal is aborted.
 *
 * @param on.written - of a store that is served
 * @param on.missed - the page was frozen: anything may have been written
 */
export function observeDexie(
  stores: readonly Served[],
  on: { written(written: Written): void; missed(): void },
  signal: AbortSignal,
): void {
  const echoes: Echo[] = []
  const receive = async (parts: unknown, isKnown = false) => {
    const { furtherWrites } = await loadIdb()
    const further = furtherWrites(stores, parts, isKnown, echoes)
    if (!signal.aborted) further.forEach(on.written)
  }
  let before = Promise.resolve() // loads may end in another order than they have begun
  const message = (...args: Parameters<typeof receive>) => {
    before = before
      .then(() => receive(...args))
      .catch((error: unknown) => globalThis.reportError?.(error))
  }
  const channel = liveChannel(mutated, { message: (data) => message(data), missed: on.missed })
  // A copy, as the message is: Dexie adds later writes to the detail.
  const announced = (event: Event) =>
    message(structuredClone((event as CustomEvent).detail), isReported())
  globalThis.addEventListener?.(mutated, announced, { signal })
  signal.addEventListener('abort', () => channel.close(), { once: true })
}
