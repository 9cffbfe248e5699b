/** The outcome of rows, for all views. */

import type { State } from '../messages/entry.ts'
import type { Store } from '../messages/store.ts'

export type Status = '' | 'ok' | 'error' | 'waiting' | 'broken' | State

/** The outcome of a row: of a request, that of its response; `''` if it needs no response. */
export function statusOf(store: Store, row: number): Status {
  switch (store.kind(row)) {
    case 'request': {
      const answer = store.partner(row)
      return answer < 0 ? store.state(row) || 'waiting' : statusOf(store, answer)
    }
    case 'result':
      return store.state(row) || 'ok'
    case 'error':
      return 'error'
    case 'broken':
      return 'broken'
    default:
      return ''
  }
}
