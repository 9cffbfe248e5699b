/** Runs `run` when the browser is idle, after 2 s at the latest. Safari has no idle callbacks. */
export function whenIdle(run: () => void): void {
  if (globalThis.requestIdleCallback === undefined)
    setTimeout(run, 200) // ms
  else requestIdleCallback(run, { timeout: 2000 }) // ms
}
