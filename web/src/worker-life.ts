/**
 * Notices that the engine's Worker is gone. Browsers report neither its end nor an endless loop: a Web Lock that the
 * Worker holds is free when it has ended, and a Worker that does not answer hangs.
 */

/**
 * How often the Worker is asked, and how often in a row it may not have answered when it is asked again. The Worker
 * answers between two tasks, and a task over large contents takes a second. Timers of a window that was suspended
 * run late, before the answer: hence more than one.
 */
const interval = 2_500 // ms
const maxUnanswered = 2

/**
 * In the Worker: holds the lock until it ends. Resolves when it is held, or cannot be: outside of secure contexts.
 */
export function holdLock(name: string): Promise<void> {
  return new Promise((resolve) => {
    const hold = () => {
      resolve()
      return new Promise(() => {})
    }
    navigator.locks?.request(name, hold).catch(() => resolve()) ?? resolve()
  })
}

/**
 * In the window: calls `died` once, with the reason, unless the signal is aborted before.
 *
 * @param name - of the lock that the Worker holds
 * @param ask - the Worker answers
 */
export function watchWorker(
  name: string,
  ask: () => Promise<unknown>,
  died: (why: string) => void,
  signal: AbortSignal,
): void {
  const ended = new AbortController()
  const over = AbortSignal.any([signal, ended.signal])
  const end = (why: string) => {
    if (over.aborted) return
    ended.abort()
    died(why)
  }

  /** Requests the lock, except in the back/forward cache: a request that waits evicts the document from it. */
  let waiting: AbortController | undefined
  const wait = () => {
    waiting = new AbortController()
    const options = { signal: AbortSignal.any([over, waiting.signal]) }
    navigator.locks
      ?.request(name, options, () => end("the engine's Worker has ended"))
      .catch(() => {}) // aborted
  }
  wait()
  const listen = (type: string, act: () => void) =>
    globalThis.addEventListener?.(
      type,
      (event) => (event as PageTransitionEvent).persisted && act(),
      { signal: over },
    )
  listen('pagehide', () => waiting?.abort())
  listen('pageshow', wait)

  let unanswered = 0
  const answered = () => {
    unanswered = 0
  }
  const timer = setInterval(() => {
    if (unanswered >= maxUnanswered) {
      end(`the engine's Worker has not answered for ${(unanswered * interval) / 1000} s`)
    } else if (unanswered++ === 0) {
      ask().then(answered, () => {})
    }
  }, interval)
  over.addEventListener('abort', () => clearInterval(timer), { once: true })
}
