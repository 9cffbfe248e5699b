/** The last entries of what happens in a page under development, bounded in number, size and rate. */

export interface Ring<T extends object> {
  /** Whether an entry of this moment is kept. Others are counted, and the next one that is kept says how many. */
  admits(): boolean
  /** Adds an entry, which may change later. */
  add(entry: T): void
  /** Announces that entries were changed. */
  changed(): void
  /** Oldest first. `dropped`: how many before this one were not kept. */
  entries(): readonly (T & { dropped?: number })[]
}

/** How many entries of one {@link rateTime} are kept: an assistant does not read more. */
const mostAtOnce = 50
const rateTime = 100 // ms

/**
 * @param most - entries, each of which has a bounded size
 * @param changed - called after each entry
 */
export function ring<T extends object>(most: number, changed: () => void): Ring<T> {
  const kept: T[] = []
  let dropped = 0
  let began = 0
  let sinceThen = 0
  return {
    admits() {
      const now = Date.now()
      if (Math.abs(now - began) >= rateTime) {
        began = now
        sinceThen = 0
      }
      if (++sinceThen <= mostAtOnce) return true
      dropped++
      return false
    },
    add(entry) {
      kept.push(dropped > 0 ? Object.assign(entry, { dropped }) : entry)
      dropped = 0
      if (kept.length > most) kept.shift()
      changed()
    },
    changed,
    entries: () => kept,
  }
}

/** Entries as lines of JSON, for a resource. */
export const linesOf = (entries: readonly object[]) =>
  entries.map((entry) => `${JSON.stringify(entry)}\n`).join('')

/** Returns what calls `act` at once, and then at most once in `ms`: the last time after its last call. */
export function spaced(ms: number, act: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false
  const run = () => {
    isDue = false
    timer = setTimeout(() => {
      timer = undefined
      if (isDue) run()
    }, ms)
    act()
  }
  return () => {
    if (timer === undefined) run()
    else isDue = true
  }
}
