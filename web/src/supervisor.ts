/**
 * Starts what runs the engine, and another one when it has ended, at most three times within a minute.
 *
 * Browsers report neither the end of a Worker nor an endless loop: a Worker that does not answer hangs, or has ended,
 * unless it says that it still handles earlier messages. A Web Lock that it holds is free when it has ended: that is
 * noticed at once, also by a hidden window, whose timers are slow. Firefox keeps no document with a lock in the
 * back/forward cache, so the Worker holds one only once the page connects to a gateway, for which the window has a
 * lock, too (page-id.ts).
 */

/** `down`: it did not start, or has ended four times within a minute, and is not started again. */
export type EngineState = 'starting' | 'running' | 'restarting' | 'down' | 'closed'

/** So many restarts within this time, then none any more. */
const maxRestarts = 3
const restartWindow = 60_000 // ms
const restartDelays = [0, 250, 1000] // ms

/** How often a Worker is asked whether it answers, and says by itself that it handles messages, ms. */
export const interval = 250

/**
 * How often in a row it may not have answered when the window looks: 8 s. It answers between two tasks, and one may take
 * seconds: the copy of a message with a million members, which a client sends, is made before the Worker can refuse it.
 */
const patience = 32

/** One Worker, for its supervisor. */
export interface Life {
  /** Aborted when it is over; the reason is an error that says why. */
  readonly signal: AbortSignal
  /** It has ended, or does not start. */
  died(error: Error): void
}

export interface SupervisorHost {
  /** Starts a Worker; settles when it serves. */
  start(life: Life): Promise<void>
  state(state: EngineState): void
  /** One that has served is gone. `isDown`: none follows. */
  lost(error: Error, isDown: boolean): void
}

export interface Supervisor {
  /** Settles with the first start. */
  readonly ready: Promise<void>
  close(): void
}

export function supervise(host: SupervisorHost): Supervisor {
  let restarts: number[] = [] // ms
  let life: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let hasStarted = false

  /** The delay of the next restart, ms; `undefined`: there is none. */
  const nextDelay = () => {
    const now = Date.now()
    restarts = restarts.filter((when) => now - when < restartWindow)
    if (!hasStarted || restarts.length >= maxRestarts) return undefined
    return restartDelays[restarts.push(now) - 1]
  }

  const begin = () =>
    new Promise<void>((resolve, reject) => {
      const own = new AbortController()
      life = own
      const died = (error: Error) => {
        if (own.signal.aborted) return
        own.abort(error)
        const delay = nextDelay()
        host.lost(error, delay === undefined)
        host.state(delay === undefined ? 'down' : 'restarting')
        if (delay !== undefined) timer = setTimeout(() => begin().catch(() => {}), delay)
        reject(error)
      }
      const running = () => {
        if (own.signal.aborted) return
        hasStarted = true
        host.state('running')
        resolve()
      }
      own.signal.addEventListener('abort', () => reject(own.signal.reason))
      host.start({ signal: own.signal, died }).then(running, died)
    })

  const ready = begin()
  ready.catch(() => {}) // it is reported
  return {
    ready,
    close() {
      clearTimeout(timer)
      life?.abort(new DOMException('the engine was closed', 'AbortError'))
    },
  }
}

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
 * In the window: ends the life of a Worker that does not answer.
 *
 * @param ask - settles when the Worker answers, or says that it handles messages
 */
export function watchAnswers(ask: () => Promise<unknown>, { signal, died }: Life): void {
  let missed = 0
  let isAsked = false
  const look = () => {
    if (isAsked) {
      if (++missed < patience) return
      const seconds = (patience * interval) / 1000
      died(new Error(`the engine's Worker has not answered for ${seconds} s`))
      return
    }
    isAsked = true
    missed = 0
    const answered = () => {
      isAsked = false
    }
    ask().then(answered, () => {}) // it was closed
  }
  look()
  const timer = setInterval(look, interval)
  signal.addEventListener('abort', () => clearInterval(timer))
}

/** In the window: ends the life of a Worker when the lock that it holds is free. */
export function watchLock(lock: string, { signal, died }: Life): void {
  let waiting: AbortController | undefined
  /** Requests the lock, except in the back/forward cache: a request that waits evicts the document from it. */
  const wait = () => {
    waiting = new AbortController()
    navigator.locks
      .request(lock, { signal: AbortSignal.any([signal, waiting.signal]) }, () =>
        died(new Error("the engine's Worker has ended")),
      )
      .catch(() => {}) // aborted
  }
  const listen = (type: string, act: () => void) =>
    globalThis.addEventListener?.(
      type,
      (event) => (event as PageTransitionEvent).persisted && act(),
      { signal },
    )
  wait()
  listen('pagehide', () => waiting?.abort())
  listen('pageshow', wait)
}
