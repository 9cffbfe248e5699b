/** Requests that have no answer yet, of all clients: by client and id, and by call number. */

import type { ClientState, Params, PendingRequest } from './requests.ts'

/** Call numbers count over all programs, so that an answer is never taken for one to an older request. */
export interface PendingCalls {
  /** The request that the fast path is handing to Go. It is added only if it has to wait. */
  current: PendingRequest | undefined
  /** The call number that was assigned last. */
  readonly last: number
  /** Makes a request with a number of its own; {@link PendingCalls.add} makes it known. */
  create(
    client: ClientState,
    id: unknown,
    key: unknown,
    method: number,
    params?: Params,
    isReplay?: boolean,
  ): PendingRequest
  add(request: PendingRequest): void
  remove(request: PendingRequest): void
  find(call: number): PendingRequest | undefined
  /** The request that the engine is done with; `undefined` if it is unknown or was settled before. */
  settle(call: number): PendingRequest | undefined
  /** Removes a request without an answer; aborts it if it waits for a provider. */
  cancel(request: PendingRequest): void
  /** Removes the requests that {@link PendingRequest.isReplay} is true of. */
  removeReplays(): void
}

const maxCall = 0x7fffffff // an int32 of Go's

export function pendingCalls(): PendingCalls {
  const calls = new Map<number, PendingRequest>()
  let last = 0

  const all: PendingCalls = {
    current: undefined,
    get last() {
      return last
    },
    create(client, id, key, method, params, isReplay = false) {
      do last = last === maxCall ? 1 : last + 1
      while (calls.has(last))
      return {
        client,
        call: last,
        id,
        key,
        method,
        params,
        isReplay,
        isAdded: false,
        isSettled: false,
        isModern: false,
        decision: undefined,
        abort: undefined,
      }
    },
    add(request) {
      if (request.isAdded) return
      request.isAdded = true
      calls.set(request.call, request)
      if (!request.isReplay) request.client.pending.set(request.key, request)
    },
    remove(request) {
      if (!request.isAdded) return
      request.isAdded = false
      calls.delete(request.call)
      if (!request.isReplay) request.client.pending.delete(request.key)
    },
    find: (call) => (all.current?.call === call ? all.current : calls.get(call)),
    settle(call) {
      const request = all.find(call)
      if (request === undefined || request.isSettled) return undefined
      request.isSettled = true
      return request
    },
    cancel(request) {
      request.abort?.(new DOMException('the read was cancelled', 'AbortError'))
      all.remove(request)
    },
    removeReplays() {
      for (const request of [...calls.values()]) if (request.isReplay) all.remove(request)
    },
  }
  return all
}
