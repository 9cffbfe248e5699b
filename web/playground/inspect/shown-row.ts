/** The row that Inspect shows: the selected one, else the newest response. */

import { computed } from '@preact/signals'
import { selected } from '../base/state.ts'
import { store } from '../messages/log.ts'

let processed = 0
let latest = -1

/** Row of the newest response; -1: none yet. */
const newestAnswer = computed(() => {
  store.changed.value
  if (store.length < processed) {
    processed = 0
    latest = -1
  }
  for (; processed < store.length; processed++) {
    const kind = store.kind(processed)
    if ((kind === 'result' || kind === 'error') && store.direction(processed) === 'in')
      latest = processed
  }
  return latest
})

/** The shown row, or undefined. */
export const shownRow = computed(() => {
  const row = selected.value ?? newestAnswer.value
  store.emptied.value
  return row >= 0 && row < store.length ? row : undefined
})
