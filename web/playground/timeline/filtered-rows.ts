/**
 * The rows that match the filter. Only new rows are tested; a new filter tests all rows, in slices, so that no
 * task is long.
 */

import type { Store } from '../messages/store.ts'
import type { Test } from './filter.ts'

/** Duration of one slice. */
const slice = 20 // ms; users notice 50, and browsers wait 4 between two slices

/** Number of rows tested between two checks of the time. */
const stride = 1024 // rows

export class FilteredRows {
  readonly #store: Store
  readonly #now: () => number
  #test: Test | undefined
  #looksAtAnswers = false
  #rows = new Int32Array(1024)
  #length = 0
  #scanned = 0

  /** @param now - a clock in ms; tests pass their own */
  constructor(store: Store, now: () => number = () => performance.now()) {
    this.#store = store
    this.#now = now
  }

  /** Number of matching rows. */
  get length(): number {
    return this.#test ? this.#length : this.#scanned
  }

  /** Number of tested rows. */
  get scanned(): number {
    return this.#scanned
  }

  /** Number of rows that did not match. */
  get hidden(): number {
    return this.#scanned - this.length
  }

  /** The store's row at an index. */
  row(index: number): number {
    return this.#test ? (this.#rows[index] as number) : index
  }

  /** The index of a row, or where it would be inserted. */
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

  /** Whether a row matches. */
  has(row: number): boolean {
    const index = this.indexOf(row)
    return index < this.length && this.row(index) === row
  }

  /**
   * Starts again with another filter.
   *
   * @param test - undefined: every row matches
   * @param looksAtAnswers - test rows of requests again when their response arrives
   */
  begin(test: Test | undefined, looksAtAnswers = false): void {
    this.#test = test
    this.#looksAtAnswers = looksAtAnswers
    this.#length = 0
    this.#scanned = 0
  }

  /** Tests new rows before `limit` for one slice. Returns whether all are tested. */
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

  /** Tests an earlier row again after its response. */
  #again(row: number, answer: number, test: Test) {
    if (row < 0 || row >= answer) return
    const index = this.indexOf(row)
    const was = index < this.#length && this.#rows[index] === row
    const is = test(row)
    if (is === was) return
    if (is) {
      this.#push(row) // makes room for the insertion
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
