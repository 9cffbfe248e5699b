/** Values that sources have read, until the answer is sent. Go refers to them by number. */

import { heldBy } from './bodies.ts'
import type { Value } from './contents.ts'

export interface ReadValues {
  /** Stores a value; returns its number, below 0. */
  keep(value: Value): number
  /** Removes a value; `undefined`: it has expired. */
  take(ref: number): Value | undefined
  /** Drops everything: no answer comes any more. */
  clear(): void
}

/** The most that is stored together: above that the oldest value is dropped, and its read fails. */
const maxStored = 256 << 20 // bytes; a UTF-16 code unit counts as two

/** How long a value is stored: longer than any request may take. */
const storedTime = 120_000 // ms

export function readValues(): ReadValues {
  const stored = new Map<number, { value: Value; size: number; since: number }>() // oldest first
  let total = 0
  let last = 0
  let timer: ReturnType<typeof setTimeout> | undefined

  const remove = (ref: number) => {
    total -= stored.get(ref)?.size ?? 0
    stored.delete(ref)
  }
  /** Drops values whose requests have been cancelled meanwhile. */
  const expire = () => {
    timer = undefined
    const now = Date.now()
    for (const [ref, { since }] of stored) {
      if (now - since >= storedTime) remove(ref)
    }
    if (stored.size > 0) timer = setTimeout(expire, storedTime)
  }

  return {
    keep(value) {
      last = last === -0x80000000 ? -1 : last - 1
      const size = typeof value === 'string' ? 2 * value.length : heldBy(value)
      stored.set(last, { value, size, since: Date.now() })
      total += size
      for (const [ref] of stored) {
        if (total <= maxStored || ref === last) break
        remove(ref)
      }
      timer ??= setTimeout(expire, storedTime)
      return last
    },
    take(ref) {
      const value = stored.get(ref)?.value
      remove(ref)
      if (stored.size === 0) {
        clearTimeout(timer)
        timer = undefined
      }
      return value
    },
    clear() {
      clearTimeout(timer)
      timer = undefined
      stored.clear()
      total = 0
    },
  }
}
