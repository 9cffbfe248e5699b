/**
 * The cancellation of one call. Its AbortSignal is made when it is first used: a signal with a listener costs
 * more than the rest of a small read, and most calls never use theirs.
 */

export interface Cancellation {
  isCancelled: boolean
  reason: unknown
  controller: AbortController | undefined
  /** Called when the call is cancelled; one function, of the thread that passes the call on. */
  onCancel: ((reason: unknown) => void) | undefined
}

export function cancellation(): Cancellation {
  return { isCancelled: false, reason: undefined, controller: undefined, onCancel: undefined }
}

export function cancel(call: Cancellation, reason: unknown): void {
  if (call.isCancelled) return
  call.isCancelled = true
  call.reason = reason
  call.controller?.abort(reason)
  call.onCancel?.(reason)
}

export function signalOf(call: Cancellation): AbortSignal {
  if (call.controller === undefined) {
    call.controller = new AbortController()
    if (call.isCancelled) call.controller.abort(call.reason)
  }
  return call.controller.signal
}
