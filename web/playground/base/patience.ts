/**
 * Calls `run` after `ms`; returns stops that. The time is counted in ten parts: of the time in which the process stands
 * still, as on a laptop that sleeps, at most one part counts, and what came meanwhile is handled before `run`.
 */
export function afterPatience(run: () => void, ms: number): () => void {
  let timer: ReturnType<typeof setTimeout>
  const wait = (parts: number) => {
    timer = setTimeout(parts > 1 ? () => wait(parts - 1) : run, ms / 10)
  }
  wait(10)
  return () => clearTimeout(timer)
}
