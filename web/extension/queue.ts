/** Runs functions one after the other. */
export type Enqueue = <T>(act: () => Promise<T>) => Promise<T>

export function serialQueue(): Enqueue {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const next = last.then(act)
    last = next.catch(() => {}) // the caller gets the error
    return next
  }
}
