/** The time axis: which times the visible rows cover, marks on the axis, and the span of a row. */

import type { Store } from '../messages/store.ts'

/** Times, ms since 1970. */
export interface Axis {
  readonly from: number
  readonly to: number
}

/** A part of the axis, 0 to 1. `open`: it goes on after the axis, or has no end yet. */
export interface Span {
  readonly at: number
  readonly length: number
  readonly open: boolean
}

/** The times that these rows cover, at least 1 ms. Rows are in the order of their times. */
export function axisOf(store: Store, rows: readonly number[]): Axis {
  const from = rows.length === 0 ? 0 : store.time(rows[0] as number)
  const to = rows.reduce((last, row) => Math.max(last, store.time(row)), from + 1)
  return { from, to }
}

/**
 * From a request to its response, or to what ended it; from a response that made a task to the final state of the task;
 * of other rows a moment.
 */
export function spanOf(store: Store, row: number, { from, to }: Axis): Span {
  const place = (time: number) => Math.min(1, Math.max(0, (time - from) / (to - from)))
  const at = place(store.time(row))
  const last =
    store.kind(row) === 'request'
      ? Math.max(store.partner(row), store.ended(row))
      : store.taskEnd(row)
  if (last === undefined) return { at, length: 0, open: false }
  const end = last < 0 ? Number.POSITIVE_INFINITY : store.time(last)
  return { at, length: place(end) - at, open: end > to }
}

/** Distances of marks: 1, 2 or 5 times a power of ten, at most `most` of them. @returns ms since `from` */
export function marksOf({ from, to }: Axis, most: number): readonly number[] {
  const length = to - from
  const rough = length / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((n) => n * power).find((one) => one >= rough) ?? 10 * power
  return Array.from({ length: Math.floor(length / step) + 1 }, (_, i) => i * step)
}
