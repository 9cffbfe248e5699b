/// <reference lib="esnext.disposable" preserve="true" />

/** How everything ends that an app registers, mounts or connects. */

/** Ends what it is of: at its first call, by `using`, or by the signal that the options had. */
export interface Registration extends Disposable {
  (): void
}

/**
 * Makes one.
 *
 * @param end - runs once
 * @param members - further members of it
 */
export function ending<M extends object = object>(
  end: () => void,
  signal?: AbortSignal,
  members?: M,
): Registration & M {
  let isPast = false
  const once = () => {
    if (isPast) return
    isPast = true
    signal?.removeEventListener('abort', once)
    end()
  }
  if (signal?.aborted) once()
  else signal?.addEventListener('abort', once)
  return disposable(Object.assign(once, members), once)
}

/** Adds `Symbol.dispose` where the browser has it. */
export function disposable<T extends object>(of: T, end: () => void): T & Disposable {
  if (Symbol.dispose) Object.defineProperty(of, Symbol.dispose, { value: end })
  return of as T & Disposable
}
