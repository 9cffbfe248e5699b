/**
 * Measures elapsed time in ms, by the clock that shows more: `Date` may be set back, `performance.now()` may stop
 * while the machine sleeps.
 */
export function stopwatch(): () => number {
  const [date, monotonic] = [Date.now(), performance.now()]
  return () => Math.max(Date.now() - date, performance.now() - monotonic)
}
