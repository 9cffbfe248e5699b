/** Zoom of the time axis: a range of times, which is a term of the filter, `at:120..480ms`. Pure functions. */

/** Times, ms since the first message. */
export interface Range {
  readonly from: number
  readonly to: number
}

/** The shortest range. */
const shortest = 1 // ms

/**
 * A range that is `factor` times as long; the time at `at`, 0 to 1, keeps its place. It stays within the whole.
 *
 * @returns undefined: the whole
 */
export function zoomed(range: Range, whole: Range, factor: number, at = 0.5): Range | undefined {
  const length = range.to - range.from
  const next = Math.max(shortest, length * factor)
  if (next >= whole.to - whole.from) return undefined
  return within(range.from + (length - next) * at, next, whole)
}

/** The range, moved by a part of its length. It stays within the whole; undefined: it is the whole. */
export const moved = ({ from, to }: Range, whole: Range, part: number): Range | undefined =>
  to - from >= whole.to - whole.from
    ? undefined
    : within(from + (to - from) * part, to - from, whole)

/** The part of a range between two places, 0 to 1, in either order. */
export function between({ from, to }: Range, a: number, b: number): Range {
  const time = (place: number) => from + (to - from) * Math.min(1, Math.max(0, place))
  const first = time(Math.min(a, b))
  return { from: first, to: Math.max(first + shortest, time(Math.max(a, b))) }
}

function within(from: number, length: number, whole: Range): Range {
  const first = Math.max(whole.from, Math.min(from, whole.to - length))
  return { from: first, to: first + length }
}

/** A filter with this range in place of the one that it has. Undefined: without a range. */
export function withRange(filter: string, range: Range | undefined): string {
  const rest = filter
    .replace(/"[^"]*"?|(?:^|\s+)at:\S*/gi, (one) => (one.startsWith('"') ? one : ''))
    .trim()
  return range ? `${rest} at:${tenths(range.from)}..${tenths(range.to)}ms`.trim() : rest
}

const tenths = (ms: number) => Math.round(ms * 10) / 10
