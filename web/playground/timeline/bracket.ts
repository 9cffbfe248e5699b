/** The brackets of the list, which join a request and its response. */

import type { Store } from '../messages/store.ts'
import type { Rows } from './scroller.ts'

/** Neighbouring rows of different pairs must not seem joined: only `top` touches the row below, `end` that above. */
export type Bracket = '' | 'far' | 'top' | 'end' | 'top lit' | 'mid lit' | 'end lit'

/**
 * The bracket of the row at an index.
 *
 * @param focused - the focused row, whose pair is joined through the rows between; -1: none
 */
export function bracketOf(store: Store, rows: Rows, index: number, focused: number): Bracket {
  const row = rows.row(index)
  const partner = store.partner(row)
  const other = focused >= 0 && focused < store.length ? store.partner(focused) : -1
  if (other >= 0) {
    const from = Math.min(focused, other)
    const to = Math.max(focused, other)
    if (row === from) return 'top lit'
    if (row === to) return 'end lit'
    if (row > from && row < to) return 'mid lit'
  }
  if (partner < 0) return ''
  const beside = index + (partner > row ? 1 : -1)
  const joined = beside >= 0 && beside < rows.length && rows.row(beside) === partner
  return !joined ? 'far' : partner > row ? 'top' : 'end'
}
