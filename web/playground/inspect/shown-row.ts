/** The row that Inspect shows: what the user selected or sent. Responses to other requests do not replace it. */

import { computed } from '@preact/signals'
import { selected } from '../base/state.ts'
import { store } from '../messages/log.ts'

/** The shown row, or undefined. */
export const shownRow = computed(() => {
  const row = selected.value
  store.emptied.value
  return row !== undefined && row >= 0 && row < store.length ? row : undefined
})

/** Changes when the shown request is answered, cancelled or ended: components read it to be redrawn. */
export const shownState = computed(() => {
  store.changed.value
  const row = shownRow.value
  return row === undefined ? '' : `${store.partner(row)} ${store.state(row)}`
})
