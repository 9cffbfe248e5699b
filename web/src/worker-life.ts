/**
 * Notices that the engine's Worker is gone. Browsers report neither its end nor an endless loop: a Web Lock that the
 * Worker holds is free when it has ended, and a Worker that does not answer hangs.
 */

/** How often the Worker is asked whether it answers. */
const interval = 250 // ms

/**
 * How often in a row it may not have answered when the window looks: at first, while it starts, and later. It answers
 * between two tasks, and gets four times as long as the longest one took.
 */
const most = 20
const least = 2
let longest = 0 // of the Workers of this document

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
 * @param prepare - called when the Worker may hang: starts the next one. It hangs if it has not answered when that is
 *   done, which takes as much longer as a machine is slower; the signal is aborted if it answers before
 */
export function watchWorker(
  name: string,
  ask: () => Promise<unknown>,
  prepare: (signal: AbortSignal) => Promise<unknown>,
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

  let question: AbortController | undefined // aborted, and undefined, once it is answered
  let missed = 0
  let patience = most
  const inquire = () => {
    const asked = new AbortController()
    question = asked
    missed = 0
    const answered = () => {
      question = undefined
      asked.abort()
      longest = Math.max(longest, missed)
      patience = Math.min(Math.max(least, 4 * longest), most)
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
        longest = Math.max(longest, patience)
        end(`the engine's Worker has not answered for ${(missed * interval) / 1000} s`)
      }
      prepare(answered).then(hangs, hangs)
    }
  }, interval)
  over.addEventListener('abort', () => clearInterval(timer), { once: true })
}
