/** Reads the messages of Dexie that idb-dexie.ts receives; loaded with idb-in-window.ts. */

import { keySegment } from './idb-keys.ts'
import type { Served } from './idb-options.ts'
import type { Written } from './idb-watch.ts'

/** The most nodes of a set of ranges that are read; more count as all records of the store. */
const maxNodes = 1000

/** How long Dexie's message about a write of this window may take until it arrives here. */
const echoTime = 1_000 // ms

/** The most parts of a message that are read. */
const maxParts = 10_000

/** A node of Dexie's tree of ranges. */
interface Range {
  from?: unknown
  to?: unknown
  l?: Range | null
  r?: Range | null
}

/** Writes of this window that are reported, and whose message is still to come. */
export type Echo = readonly [text: string, until: number]

/**
 * The writes in a message that concern served stores and are not reported yet. Dexie announces a write in its window by an
 * event, and by a message that its own window gets, too.
 *
 * @param isKnown - the event is about a write that is reported already
 * @param echoes - such writes, the first one first
 */
export function furtherWrites(
  stores: readonly Served[],
  parts: unknown,
  isKnown: boolean,
  echoes: Echo[],
): Written[] {
  const writes = writtenOf(stores, parts)
  const text = JSON.stringify(writes, (_, value) => (value instanceof Set ? [...value] : value))
  const now = performance.now()
  while (echoes[0] !== undefined && echoes[0][1] < now) echoes.shift()
  if (isKnown) {
    echoes.push([text, now + echoTime])
    return []
  }
  const at = echoes.findIndex(([one]) => one === text)
  if (at < 0) return writes
  echoes.splice(at, 1)
  return []
}

/** The writes in a message that concern served stores; other messages have none. */
function writtenOf(stores: readonly Served[], parts: unknown): Written[] {
  if (typeof parts !== 'object' || parts === null) return []
  const names = Object.keys(parts).slice(0, maxParts + 1)
  const whole = names.length > maxParts || names.includes('all') // all: it was frozen itself
  return stores.flatMap(({ database, store }): Written[] => {
    const prefix = `idb://${database}/${store}/`
    const keys = new Set<string>()
    let all = whole
    for (const part of ['', ':dels']) {
      const set = (parts as { [part: string]: unknown })[prefix + part]
      if (set !== undefined && !addKeys(keys, set)) all = true
    }
    const named = all || names.some((name) => name.startsWith(prefix))
    return named ? [{ database, store, keys: all ? new Set() : keys, list: true, all }] : []
  })
}

/** Adds the keys of a set, if it has only single keys, and not too many. */
function addKeys(keys: Set<string>, set: unknown): boolean {
  const open = [set]
  for (let nodes = 0; open.length > 0; nodes++) {
    const node = open.pop() as Range | null | undefined
    if (typeof node !== 'object' || node === null || node.from === undefined) continue // an empty set
    if (nodes >= maxNodes) return false
    try {
      const { from, to } = node as { from: IDBValidKey; to: IDBValidKey }
      if (indexedDB.cmp(from, to) !== 0) return false
      keys.add(keySegment(from))
    } catch {
      return false // Infinity came as null, or is no key
    }
    open.push(node.l, node.r)
  }
  return true
}
