/**
 * Which rows the timeline shows: those that pass the filter, kept up to date by looking at new rows
 * only. A new filter looks at all of them, in slices, so that no task is long.
 */

import type { Store } from '../messages/store.ts'
import type { Test } from './filter.ts'

/** How long one slice may take. */
const slice = 20 // ms; a task of 50 would be felt, and between two slices browsers wait for 4

/** How many rows are tested between two looks at the clock. */
const stride = 1024 // rows

export class FilteredRows {
  readonly #store: Store
  readonly #now: () => number
  #test: Test | undefined
  #looksAtAnswers = false
  #rows = new Int32Array(1024)
  #length = 0
  #scanned = 0

  /** @param now - a clock in ms; tests give their own */
  constructor(store: Store, now: () => number = () => performance.now()) {
    this.#store = store
    this.#now = now
  }

  /** How many rows are shown. */
  get length(): number {
    return this.#test ? this.#length : this.#scanned
  }

  /** How many rows were looked at. */
  get scanned(): number {
    return this.#scanned
  }

  /** How many of them did not pass. */
  get hidden(): number {
    return this.#scanned - this.length
  }

  /** The row of the store that stands at a place. */
  row(index: number): number {
    return this.#test ? (this.#rows[index] as number) : index
  }

  /** Where a row stands, or where it would stand if it were shown. */
  indexOf(row: number): number {
    if (!this.#test) return Math.min(row, this.#scanned)
    let low = 0
    let high = this.#length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#rows[middle] as number) < row) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Whether a row is among those shown. */
  has(row: number): boolean {
    const index = this.indexOf(row)
    return index < this.length && this.row(index) === row
  }

  /**
   * Begins again with another filter.
   *
   * @param test - undefined: every row passes
   * @param looksAtAnswers - rows of requests are to be tested again when their answer came
   */
  begin(test: Test | undefined, looksAtAnswers = false): void {
    this.#test = test
    this.#looksAtAnswers = looksAtAnswers
    this.#length = 0
    this.#scanned = 0
  }

  /** Looks at the rows before `limit` that it has not seen, for one slice. Returns whether that was all. */
  advance(limit: number): boolean {
    const test = this.#test
    if (!test || this.#scanned > limit) {
      this.#scanned = limit
      return true
    }
    const end = this.#now() + slice
    while (this.#scanned < limit) {
      const stop = Math.min(limit, this.#scanned + stride)
      for (let row = this.#scanned; row < stop; row++) {
        if (test(row)) this.#push(row)
        if (this.#looksAtAnswers) this.#again(this.#store.partner(row), row, test)
      }
      this.#scanned = stop
      if (this.#now() >= end) return this.#scanned === limit
    }
    return true
  }

  /** Tests an earlier row again, now that it is answered. */
  #again(row: number, answer: number, test: Test) {
    if (row < 0 || row >= answer) return
    const index = this.indexOf(row)
    const was = index < this.#length && this.#rows[index] === row
    const is = test(row)
    if (is === was) return
    if (is) {
      this.#push(row) // for the room
      this.#rows.copyWithin(index + 1, index, this.#length - 1)
      this.#rows[index] = row
    } else {
      this.#rows.copyWithin(index, index + 1, this.#length)
      this.#length--
    }
  }

  #push(row: number) {
    if (this.#length === this.#rows.length) {
      const larger = new Int32Array(this.#length * 2)
      larger.set(this.#rows)
      this.#rows = larger
    }
    this.#rows[this.#length++] = row
  }
}
