/** Polling for changes that have no events. */

/** The largest share of time that polling takes. */
const maxShare = 1 / 20

/**
 * Polls now, and then repeatedly until the signal is aborted: `every` ms after the previous poll, or later
 * if that took long. In a hidden window timers fire once a minute.
 */
export function pollEvery(every: number, signal: AbortSignal, poll: () => Promise<void>): void {
  if (signal.aborted) return
  let timer: ReturnType<typeof setTimeout> | undefined
  const next = async () => {
    const began = performance.now()
    await poll().catch(() => {}) // tried again at the next poll
    const took = performance.now() - began
    if (!signal.aborted) timer = setTimeout(next, Math.max(every, took / maxShare))
  }
  signal.addEventListener('abort', () => clearTimeout(timer), { once: true })
  void next()
}
