/** Does one thing after the other, however many are asked for meanwhile. */
export type InTurn = <T>(act: () => Promise<T>) => Promise<T>

export function turns(): InTurn {
  let last: Promise<unknown> = Promise.resolve()
  return (act) => {
    const next = last.then(act)
    last = next.catch(() => {}) // whoever asked is told
    return next
  }
}
