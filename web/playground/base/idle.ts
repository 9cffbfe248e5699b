/** Runs `run` when the browser is idle, after 2 s at the latest. Safari has no idle callbacks. */
export function whenIdle(run: () => void): void {
  if (globalThis.requestIdleCallback === undefined)
    setTimeout(run, 200) // ms
  else requestIdleCallback(run, { timeout: 2000 }) // ms
}

/**
 * Loads a part when the browser is idle, and uses it. If it does not load, as when the page unloads meanwhile, the page
 * works without it; errors of `use` are reported.
 */
export function loadWhenIdle<T>(load: () => Promise<T>, use: (part: T) => void): void {
  whenIdle(() => load().then(use, () => {}))
}
