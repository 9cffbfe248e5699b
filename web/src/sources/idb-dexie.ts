/**
 * Observes the messages of Dexie (3.2 and later) about committed writes: on a BroadcastChannel to other tabs
 * and workers, as an event in its own window. The other side needs no PageMCP. They name ranges of keys
 * by table and index: `idb://{database}/{table}/{index}`, where no index is the primary key and
 * `:dels` are deletions.
 *
 * @see https://dexie.org/docs/Dexie/Dexie.on.storagemutated
 */

import { liveChannel } from './idb-channel.ts'
import { loadIdb } from './idb-lazy.ts'
import type { Served } from './idb-options.ts'
import type { Written } from './idb-watch.ts'

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
  const receive = async (parts: unknown) => {
    const { writtenOf } = await loadIdb()
    if (!signal.aborted) for (const written of writtenOf(stores, parts)) on.written(written)
  }
  const message = (parts: unknown) => void receive(parts).catch(globalThis.reportError)
  const channel = liveChannel(mutated, { message, missed: on.missed })
  globalThis.addEventListener?.(mutated, (event) => message((event as CustomEvent).detail), {
    signal,
  })
  signal.addEventListener('abort', () => channel.close(), { once: true })
}
