/** Shows how a request ends: its row now, and its answer as soon as that is there. */

import { effect } from '@preact/signals'
import { selected } from '../base/state.ts'
import { store } from './log.ts'

let stop = () => {}

/** Called with the row of a request that people sent. Whatever else they select meanwhile stays. */
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
