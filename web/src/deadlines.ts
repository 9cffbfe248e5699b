/** Time limits of one length with a single timer: one of its own for each read would cost more than a small read. */

export interface Deadlines {
  /** Calls `late` after the time, unless the returned function is called before. */
  start(late: () => void): Deadline
  end(deadline: Deadline): void
  /** Clears the timer. Deadlines that run are never called. */
  stop(): void
}

export interface Deadline {
  readonly at: number // ms, of performance.now
  readonly late: () => void
}

/** @param limit - of each deadline, ms; it is noticed up to a twentieth of that later */
export function deadlines(limit: number): Deadlines {
  const running = new Set<Deadline>() // in the order in which they end
  let timer: ReturnType<typeof setTimeout> | undefined

  const check = () => {
    timer = undefined
    const now = performance.now()
    for (const deadline of running) {
      if (deadline.at > now) break
      running.delete(deadline)
      deadline.late()
    }
    arm()
  }
  const arm = () => {
    const [next] = running
    if (timer !== undefined || next === undefined) return
    timer = setTimeout(check, next.at - performance.now())
  }

  return {
    start(late) {
      const deadline = { at: performance.now() + limit, late }
      running.add(deadline)
      if (timer === undefined) arm()
      return deadline
    },
    end: (deadline) => running.delete(deadline),
    stop() {
      running.clear()
      clearTimeout(timer)
      timer = undefined
    },
  }
}
