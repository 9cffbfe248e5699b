/**
 * A clock that stands still until it is told to go on, for `setTimeout`, `Date.now` and
 * `performance.now` alike: a Go program in wasm takes its time from these. Import it before anything
 * that keeps a reference to them.
 */

interface Timer {
  at: number
  number: number
  act: () => void
}

const timers = new Map<number, Timer>()
let now = 1_800_000_000_000 // ms
let last = 0

/** Lets everything that can run without time passing run. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Lets time pass: timers fire one after the other, each with the time it is due. */
export async function pass(ms: number): Promise<void> {
  const end = now + ms
  for (;;) {
    await settle()
    const due = [...timers.values()]
      .filter(({ at }) => at <= end)
      .sort((a, b) => a.at - b.at || a.number - b.number)[0]
    if (due === undefined) break
    timers.delete(due.number)
    now = Math.max(now, due.at)
    due.act()
  }
  now = end
  await settle()
}

/** Settles after a duration such as `250ms` or `2s`, or when the signal is aborted. */
export function later(duration: string, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, milliseconds(duration))
    signal.addEventListener('abort', () => reject(signal.reason))
  })
}

export function milliseconds(duration: string): number {
  const [, count = '', unit = ''] = /^(\d+)(ms|s|m|h)$/.exec(duration) ?? []
  const factor = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }[unit]
  if (factor === undefined) throw new Error(`no such duration: ${duration}`)
  return Number(count) * factor
}

function install() {
  Date.now = () => now
  globalThis.Date = new Proxy(Date, {
    // Without arguments: Go's wall clock.
    construct: (real, args) => Reflect.construct(real, args.length > 0 ? args : [now]),
  })
  performance.now = () => now - 1_800_000_000_000
  const set = (act: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) => {
    const number = ++last
    timers.set(number, { number, at: now + Math.max(0, ms), act: () => act(...args) })
    return number
  }
  globalThis.setTimeout = set as unknown as typeof setTimeout
  globalThis.clearTimeout = ((number: number) => timers.delete(number)) as typeof clearTimeout
}

install()
