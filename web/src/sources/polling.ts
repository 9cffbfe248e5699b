/** Looking for changes where nobody tells of them. */

/** Looking takes at most this part of the time. */
const maxShare = 1 / 20

/**
 * Looks at once, and then again and again until the signal ends: `every` ms after the last look, or
 * later if that took long. In a hidden window timers fire once a minute.
 */
export function pollEvery(every: number, signal: AbortSignal, look: () => Promise<void>): void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = async () => {
    const began = performance.now()
    await look().catch(() => {}) // what cannot be looked at now can be later
    const took = performance.now() - began
    if (!signal.aborted) timer = setTimeout(next, Math.max(every, took / maxShare))
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  void next()
}

/** How often is looked for changes, if nothing else was said. */
const defaultPoll = 2000 // ms

/** The least time between two looks. */
const leastPoll = 250 // ms

/** Reads the option `poll`: ms between two looks; 0: never. */
export function pollInterval(poll: number | false | undefined): number {
  return poll === false ? 0 : Math.max(poll ?? defaultPoll, leastPoll)
}
