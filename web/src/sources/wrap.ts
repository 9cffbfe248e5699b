/**
 * Observes calls of methods of the platform that have no events. The first observer of a method wraps it, and
 * the last one restores it, unless other code has wrapped or replaced ours meanwhile: then ours stays below
 * that code and only passes calls on.
 *
 * The app notices no difference: arguments, `this`, results, exceptions, names and lengths are those of the
 * wrapped method, and errors of an observer do not reach it.
 */

/** Called after the method has returned; not if it throws. */
type CallObserver<T, R> = (self: T, args: unknown[], result: R) => void

type Result<F> = F extends (...args: never[]) => infer R ? R : never

interface Wrapped {
  readonly observers: Set<CallObserver<never, never>>
  restore(): void
}

const wrapped = new WeakMap<object, Map<string, Wrapped>>() // by prototype and name

/**
 * Observes the calls of a method until the signal is aborted. Does nothing where the method does not exist or
 * its prototype is frozen.
 */
export function observeCalls<T extends object, K extends keyof T & string>(
  prototype: T,
  name: K,
  observer: CallObserver<T, Result<T[K]>>,
  signal: AbortSignal,
): void {
  if (signal.aborted) return
  const methods = wrapped.get(prototype) ?? new Map<string, Wrapped>()
  wrapped.set(prototype, methods)
  const known = methods.get(name) ?? wrap(prototype, name)
  if (known === undefined) return
  methods.set(name, known)
  const own: CallObserver<T, Result<T[K]>> = (...call) => observer(...call)
  known.observers.add(own)
  const leave = () => {
    known.observers.delete(own)
    if (known.observers.size > 0) return
    methods.delete(name)
    known.restore()
  }
  signal.addEventListener('abort', leave, { once: true })
}

function wrap<T extends object>(prototype: T, name: keyof T & string): Wrapped | undefined {
  const descriptor = Object.getOwnPropertyDescriptor(prototype, name)
  const original: unknown = descriptor?.value
  if (descriptor === undefined || typeof original !== 'function') return undefined
  const observers = new Set<CallObserver<T, unknown>>()
  // A method, so that like the original it is no constructor and has no `prototype`.
  const { [name]: method } = {
    [name](this: T, ...args: unknown[]): unknown {
      const result: unknown = Reflect.apply(original, this, args)
      for (const observer of observers) {
        try {
          observer(this, args, result)
        } catch {
          // a transaction that has ended
        }
      }
      return result
    },
  }
  Object.defineProperty(method, 'length', { value: original.length, configurable: true })
  if (!Reflect.defineProperty(prototype, name, { ...descriptor, value: method })) return undefined
  return {
    observers: observers as Wrapped['observers'],
    restore() {
      const present = Object.getOwnPropertyDescriptor(prototype, name)
      if (present?.value === method) Reflect.defineProperty(prototype, name, descriptor)
    },
  }
}

// Observes changes of the document's URL.

/**
 * Calls `changed` when the URL may have changed, until the signal is aborted. Without the Navigation API,
 * `pushState` and `replaceState` fire no event: their calls are observed.
 */
export function watchUrl(changed: () => void, signal: AbortSignal): void {
  const { navigation } = globalThis as { navigation?: EventTarget }
  const listen = (target: EventTarget, type: string) =>
    EventTarget.prototype.addEventListener.call(target, type, changed, { signal, capture: true })
  listen(globalThis, 'hashchange')
  listen(globalThis, 'popstate')
  if (navigation !== undefined) {
    listen(navigation, 'currententrychange')
    return
  }
  for (const name of ['pushState', 'replaceState'] as const) {
    observeCalls(History.prototype, name, changed, signal)
  }
}

// The time in which a source is used: while it is mounted anywhere, or has listeners.

/**
 * Starts something with its first user and stops it with the last. The same source may be mounted several
 * times, and in several engines.
 *
 * @param start - `signal` is aborted when the last user has left; it may be called again afterwards
 * @returns a function that adds a user, which leaves when its signal is aborted
 */
export function whileUsed(start: (signal: AbortSignal) => void): (user: AbortSignal) => void {
  let users = 0
  let running: AbortController | undefined
  return (user) => {
    if (user.aborted) return
    users++
    const leave = () => {
      users--
      if (users > 0) return
      running?.abort()
      running = undefined
    }
    user.addEventListener('abort', leave, { once: true })
    if (running !== undefined) return
    running = new AbortController()
    start(running.signal)
  }
}
