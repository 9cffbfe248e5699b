/** Selects the response of a request when it arrives. */

import { effect } from '@preact/signals'
import { selected } from '../base/state.ts'
import { store } from './log.ts'

let stop = () => {}

// Other rows get the numbers of removed ones.
store.emptied.subscribe(() => {
  selected.value = undefined
})

/**
 * Selects the row of a request that the user sent, then its response. If the user selects another row before,
 * that stays selected.
 */
export function showAnswer(row: number): void {
  stop()
  selected.value = row
  stop = effect(() => {
    store.changed.value
    if (selected.value !== row || row >= store.length) return stop()
    const answer = store.partner(row)
    if (answer < 0) return
    stop()
    selected.value = answer
  })
}
