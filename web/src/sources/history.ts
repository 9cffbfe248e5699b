/** Observes changes of the document's URL. */

import { observeCalls } from './wrap.ts'

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
