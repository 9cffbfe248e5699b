/** The options that built-in sources have in common, and the error of a wrong option. */

/** Options of every built-in source. */
export interface SourceOptions {
  /**
   * Stops the source for good, wherever it is mounted: it observes nothing and announces no changes
   * afterwards. Reads are still answered. Default: it runs while it is mounted.
   */
  signal?: AbortSignal
}

/** The error of a wrong option; `expected` follows "must be". */
export function wrongOption(
  source: string,
  option: string,
  expected: string,
  value: unknown,
): TypeError {
  return new TypeError(`${source}: ${option} must be ${expected}, not ${JSON.stringify(value)}`)
}
