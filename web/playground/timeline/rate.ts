/** The recent number of messages per second. */

/** Length of the history. */
export const span = 40 // seconds

/** Counts rows of each recent second, from the total at its end. */
export class Rate {
  readonly #counts: number[] = new Array(span).fill(0)
  #last = 0

  /** Rows of each second, newest last. */
  get counts(): readonly number[] {
    return this.#counts
  }

  /** Whether all counts are 0. */
  get still(): boolean {
    return this.#counts.every((count) => count === 0)
  }

  /** Ends a second, when there are `total` rows. */
  tick(total: number): void {
    this.#counts.shift()
    this.#counts.push(Math.max(0, total - this.#last))
    this.#last = total
  }
}

/** Points of a polyline in a box of `width` × `height`, the highest count at its top. */
export function points(counts: readonly number[], width: number, height: number): string {
  const most = Math.max(1, ...counts)
  const step = width / Math.max(1, counts.length - 1)
  return counts
    .map((count, index) => `${round(index * step)},${round(height - (count / most) * height)}`)
    .join(' ')
}

const round = (px: number) => Math.round(px * 10) / 10
