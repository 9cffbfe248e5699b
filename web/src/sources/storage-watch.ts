/**
 * Observes web storage: writes of other tabs by the `storage` event, calls of `setItem`, `removeItem` and
 * `clear` in this realm by wrapping them. `localStorage.x = 1` and `delete localStorage.x` have no event: a
 * bounded poll finds them, which also runs at events such as focus and click.
 *
 * @see https://html.spec.whatwg.org/multipage/webstorage.html
 */

import { pollEvery } from './polling.ts'
import type { Area } from './storage-keys.ts'
import { observeCalls } from './wrap.ts'

/** The most keys in one poll; the next poll continues. */
const pollKeys = 500

/**
 * Calls `changed` for added, changed and deleted entries (`list`: added or deleted), until the signal is aborted.
 *
 * @param every - ms between polls; 0: never
 */
export function watchArea(
  storage: Storage,
  area: Area,
  changed: (key: string, list: boolean) => void,
  every: number,
  signal: AbortSignal,
): void {
  const known = new Map<string, string>()
  for (const key of keysOf(storage)) remember(key, valueAt(storage, key))
  let round: string[] = []

  function remember(key: string, value: string | null): boolean {
    if (!area.names(key)) return false
    if (value === null) known.delete(key)
    else known.set(key, value)
    return true
  }

  /** Compares an entry with its last known value. */
  const check = (key: string) => {
    const before = known.get(key)
    const value = valueAt(storage, key)
    if (value === (before ?? null) || !remember(key, value)) return
    const was = before !== undefined && area.serves(key, before)
    const is = value !== null && area.serves(key, value)
    if (was || is) changed(key, was !== is)
  }
  const checkAll = () => {
    for (const key of new Set([...known.keys(), ...keysOf(storage)]))
      if (area.names(key)) check(key)
  }
  const poll = () => {
    if (round.length === 0)
      round = [...new Set([...known.keys(), ...keysOf(storage)])].filter(area.names)
    for (const key of round.splice(0, pollKeys)) check(key)
  }

  const options = { signal, capture: true, passive: true }
  addEventListener(
    'storage',
    ({ storageArea, key }) => {
      if (storageArea !== storage) return
      if (key === null) checkAll()
      else check(key)
    },
    options,
  )
  for (const type of ['focus', 'blur', 'pageshow', 'click', 'change', 'submit']) {
    addEventListener(type, poll, options)
  }
  addEventListener('visibilitychange', checkAll, options)
  if (every > 0) pollEvery(every, signal, async () => poll())
  for (const name of ['setItem', 'removeItem', 'clear'] as const) {
    const after = (written: Storage, [key]: unknown[]) => {
      if (written !== storage) return
      // An object as key was converted by the method: another conversion might have an effect.
      if (typeof key === 'string' && name !== 'clear') check(key)
      else checkAll()
    }
    observeCalls(Storage.prototype, name, { after }, signal)
  }
}

/** In the order of their UTF-16 code units. */
export function keysOf(storage: Storage): string[] {
  const { prototype } = Storage
  const count = Reflect.get(prototype, 'length', storage) as number
  const keys = Array.from({ length: count }, (_, i) => prototype.key.call(storage, i))
  return keys.filter((key) => key !== null).sort((a, b) => (a < b ? -1 : 1))
}

export function valueAt(storage: Storage, key: string): string | null {
  return Storage.prototype.getItem.call(storage, key)
}
