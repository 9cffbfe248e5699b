/** How often what runs the engine is started again after it has ended: the Go program, and its Worker. */

/** So many restarts within this time, then none any more. */
const maxRestarts = 3
const restartWindow = 60_000 // ms
const restartDelays = [0, 250, 1000] // ms

/** Counts restarts. Returns the delay of the next one in ms; `undefined`: do not start it again. */
export function restartPolicy(): () => number | undefined {
  let restarts: number[] = [] // ms
  return () => {
    const now = Date.now()
    restarts = restarts.filter((when) => now - when < restartWindow)
    const nth = restarts.length
    if (nth >= maxRestarts) return undefined
    restarts.push(now)
    return restartDelays[nth]
  }
}
