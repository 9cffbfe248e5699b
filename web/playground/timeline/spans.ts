/** The time axis: which times the visible rows cover, ticks, and the phases of an exchange. */

import type { Store, Times } from '../messages/store.ts'

/** A part of the axis, 0 to 1. `open`: it goes on after the axis, or has no end yet. */
export interface Span {
  readonly at: number
  readonly length: number
  readonly open: boolean
}

/**
 * What an exchange waits for: `wait` for the first message that belongs to the request, `stream` for its response after
 * that message, `task` for the final state of the task that the response made.
 */
export interface Phase extends Times {
  readonly is: 'wait' | 'stream' | 'task'
}

/**
 * The measured phases of a row's exchange, oldest first. Of other rows none.
 *
 * @param related - the first message that belongs to the request, before its response; -1: none
 */
export function phasesOf(store: Store, row: number, related = -1): readonly Phase[] {
  const { from, to } = store.times(row)
  const response = store.response(row)
  const maker = response < 0 ? row : response // of a task
  const hasTask = store.taskEnd(maker) !== undefined
  const phases: Phase[] = []
  if (response >= 0 || store.kind(row) === 'request') {
    const answered = response < 0 ? to : store.time(response)
    const first = related < 0 ? answered : store.time(related)
    phases.push({ is: 'wait', from, to: first })
    if (related >= 0) phases.push({ is: 'stream', from: first, to: answered })
  }
  if (hasTask) phases.push({ is: 'task', from: store.time(maker), to })
  return phases
}

/** The times that these rows and their responses cover, at least 1 ms. Rows are in the order of their times. */
export function axisOf(store: Store, rows: readonly number[]): Times {
  const from = rows.length === 0 ? 0 : store.time(rows[0] as number)
  const to = rows.reduce((last, row) => {
    const { from, to } = store.times(row)
    return Math.max(last, to === Number.POSITIVE_INFINITY ? from : to)
  }, from + 1)
  return { from, to }
}

/** Where times are on the axis, as far as it goes. */
export function spanOf({ from, to }: Times, axis: Times): Span {
  const place = (time: number) =>
    Math.min(1, Math.max(0, (time - axis.from) / (axis.to - axis.from)))
  return { at: place(from), length: place(to) - place(from), open: to > axis.to }
}

/** Ticks of an axis. */
export interface Ticks {
  /** ms; 1, 2 or 5 times a power of ten. */
  readonly step: number
  /** The ticks within the axis, ms since `start`. */
  readonly at: readonly number[]
}

/** @param start - ms since 1970: ticks are at multiples of the step since then. There are at most `most` steps. */
export function ticksOf({ from, to }: Times, start: number, most: number): Ticks {
  const rough = (to - from) / most
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 5, 10].map((n) => n * power).find((one) => one >= rough) ?? 10 * power
  const first = Math.ceil((from - start) / step)
  const last = Math.floor((to - start) / step)
  return { step, at: Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step) }
}

/** Numbers of rows in equal parts of the time from the first row to the last. Rows are in the order of their times. */
export function density(store: Store, parts: number): readonly number[] {
  const start = store.length === 0 ? 0 : store.time(0)
  const length = store.length === 0 ? 1 : store.time(store.length - 1) - start
  const before = (time: number) => {
    let low = 0
    let high = store.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (store.time(middle) < time) low = middle + 1
      else high = middle
    }
    return low
  }
  const ends = Array.from({ length: parts }, (_, i) =>
    i === parts - 1 ? store.length : before(start + (length * (i + 1)) / parts),
  )
  return ends.map((end, i) => end - (ends[i - 1] ?? 0))
}
