/**
 * Notices that the engine's Worker is gone. Browsers report neither its end nor an endless loop: a Worker that does not
 * answer hangs, or has ended, unless it says that it still handles earlier messages. A Web Lock that it holds is free when
 * it has ended: that is noticed at once, also by a hidden window, whose timers are slow. Firefox keeps no document with a
 * lock in the back/forward cache, so the Worker holds one only once the page connects to a gateway, for which the window
 * has a lock, too (page-id.ts).
 */

/** By its name, worker.js knows the Worker that it is to serve in. */
export const workerName = 'pagemcp'

/**
 * How often the Worker is asked whether it answers, ms, and how often it says by itself that it works off messages: the
 * question comes after all that wait.
 */
export const interval = 250

/**
 * How often in a row it may not have answered when the window looks. It answers between two tasks, and one may take
 * seconds: the copy of a message with a million members, which a client sends, is made before the Worker can refuse it.
 */
const patience = 20

/**
 * In the Worker: holds the lock until it ends. Resolves with whether it is held: it cannot be outside of secure contexts,
 * or where the browser stores nothing.
 */
export function holdLock(name: string): Promise<boolean> {
  return new Promise((resolve) => {
    const hold = () => {
      resolve(true)
      return new Promise(() => {})
    }
    navigator.locks?.request(name, hold).catch(() => resolve(false)) ?? resolve(false)
  })
}

/**
 * In the window: calls `died` once, with the reason, unless the signal is aborted before.
 *
 * @param ask - the Worker answers, or works
 * @param prepare - called when the Worker may hang: starts the next one. It hangs if it has not answered when that is
 *   done, which takes as much longer as a machine is slower; the signal is aborted if it answers before
 * @returns a function that watches the lock that the Worker holds; called once
 */
export function watchWorker(
  ask: () => Promise<unknown>,
  prepare: (signal: AbortSignal) => Promise<unknown>,
  died: (why: string) => void,
  signal: AbortSignal,
): (lock: string) => void {
  const ended = new AbortController()
  const over = AbortSignal.any([signal, ended.signal])
  const end = (why: string) => {
    if (over.aborted) return
    ended.abort()
    died(why)
  }

  let question: AbortController | undefined // aborted, and undefined, once it is answered
  let missed = 0
  const inquire = () => {
    const asked = new AbortController()
    question = asked
    missed = 0
    const answered = () => {
      question = undefined
      asked.abort()
    }
    ask().then(answered, () => {}) // it was closed
  }
  inquire()
  const timer = setInterval(() => {
    if (question === undefined) {
      inquire()
    } else if (++missed === patience) {
      const { signal: answered } = question
      const hangs = () => {
        if (answered.aborted || over.aborted) return
        end(`the engine's Worker has not answered for ${(missed * interval) / 1000} s`)
      }
      prepare(answered).then(hangs, hangs)
    }
  }, interval)
  over.addEventListener('abort', () => clearInterval(timer), { once: true })

  return (lock) => {
    let waiting: AbortController | undefined
    /** Requests the lock, except in the back/forward cache: a request that waits evicts the document from it. */
    const wait = () => {
      waiting = new AbortController()
      const options = { signal: AbortSignal.any([over, waiting.signal]) }
      navigator.locks
        .request(lock, options, () => end("the engine's Worker has ended"))
        .catch(() => {}) // aborted
    }
    const listen = (type: string, act: () => void) =>
      globalThis.addEventListener?.(
        type,
        (event) => (event as PageTransitionEvent).persisted && act(),
        { signal: over },
      )
    wait()
    listen('pagehide', () => waiting?.abort())
    listen('pageshow', wait)
  }
}
