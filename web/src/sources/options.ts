/** The options that built-in sources have in common, and the error of a wrong option. */

/** Options of every built-in source. */
export interface SourceOptions {
  /**
   * Stops the source for good, wherever it is mounted: it observes nothing and announces no changes
   * afterwards. Reads are still answered. Default: it runs while it is mounted.
   */
  signal?: AbortSignal
}

/** Options of a source that can poll for changes without events. */
export interface PollingOptions extends SourceOptions {
  /**
   * The interval of polling in ms, at least 250; `false`: never. Polls run only while a client is subscribed,
   * take at most 5 % of the time, and run less often in a hidden page, whose timers browsers slow down.
   */
  poll?: number | false
}

/** The shortest interval of polling. */
const leastPoll = 250 // ms

/** The longest interval that a timer takes. */
const mostPoll = 0x7fffffff // ms; https://developer.mozilla.org/docs/Web/API/Window/setTimeout

/**
 * Reads the options that sources have in common.
 *
 * @param source - its name, for errors
 * @param poll - the default interval of polling
 * @returns `every`: ms between polls; 0: never
 * @throws TypeError if an option has another type or is out of range
 */
export function commonOptions(
  source: string,
  options: PollingOptions,
  poll: number | false = false,
): { every: number; signal: AbortSignal | undefined } {
  if (typeof options !== 'object' || options === null) {
    throw wrongOption(source, 'options', 'an object', options)
  }
  const { signal, poll: interval = poll } = options
  if (signal !== undefined && !isSignal(signal)) {
    throw wrongOption(source, 'signal', 'an AbortSignal', signal)
  }
  const isInterval = typeof interval === 'number' && interval >= leastPoll && interval <= mostPoll
  if (interval !== false && !isInterval) {
    throw wrongOption(source, 'poll', `false or at least ${leastPoll} (ms)`, interval)
  }
  return { every: interval === false ? 0 : interval, signal }
}

/** The error of a wrong option; `expected` follows "must be". */
export function wrongOption(
  source: string,
  option: string,
  expected: string,
  value: unknown,
): TypeError {
  return new TypeError(`${source}: ${option} must be ${expected}, not ${shown(value)}`)
}

/** By its members: a signal of another window is one, too. */
function isSignal(value: unknown): boolean {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>
  return typeof aborted === 'boolean' && typeof addEventListener === 'function'
}

/** A value as a short text. */
function shown(value: unknown): string {
  try {
    const isText = typeof value === 'string' || (typeof value === 'object' && value !== null)
    return (isText ? JSON.stringify(value) : String(value)).slice(0, 100)
  } catch {
    return `a value of type ${typeof value}` // a cycle
  }
}
