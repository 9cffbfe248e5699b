/** Values that sources have read, until the answer is sent. Go refers to them by number. */

import { sizeOf, type Value } from './contents.ts'

export interface ReadValues {
  /** Stores a value; returns its number, below 0. */
  keep(value: Value): number
  /** Removes a value; `undefined`: it has expired. */
  take(ref: number): Value | undefined
}

/** The most that is stored together: above that the oldest value is dropped, and its read fails. */
const maxStored = 256 << 20 // bytes; a UTF-16 code unit counts as two

/** Longer than any request may take, ms: a value that is older is of a request that was cancelled meanwhile. */
const storedTime = 120_000

export function readValues(): ReadValues {
  const stored = new Map<number, { value: Value; size: number; since: number }>() // oldest first
  let total = 0
  let last = 0

  const take = (ref: number) => {
    const found = stored.get(ref)
    total -= found?.size ?? 0
    stored.delete(ref)
    return found?.value
  }
  return {
    keep(value) {
      last = last === -0x80000000 ? -1 : last - 1
      const now = Date.now()
      const size = typeof value === 'string' ? 2 * value.length : heldBy(value)
      stored.set(last, { value, size, since: now })
      total += size
      for (const [ref, { since }] of stored) {
        if (ref === last || (total <= maxStored && now - since < storedTime)) break
        take(ref)
      }
      return last
    },
    take,
  }
}

/** A view holds its whole buffer. */
const heldBy = (value: Exclude<Value, string>) =>
  ArrayBuffer.isView(value) ? value.buffer.byteLength : sizeOf(value)
