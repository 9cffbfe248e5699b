/** @jsxImportSource preact */
/** The badge of the timeline on a narrow screen, which shows one pane at a time. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { layout } from '../base/state.ts'
import { store } from '../messages/log.ts'

/** How many messages came since the timeline was shown. */
export function Unseen() {
  const seen = useSignal(0)
  store.changed.value
  useEffect(() => {
    if (layout.value.pane === 'timeline' || store.length < seen.peek()) seen.value = store.length
  })
  const count = store.length - seen.value
  return layout.value.pane === 'timeline' || count <= 0 ? null : (
    <b class="switcher-count">{count > 99 ? '99+' : count}</b>
  )
}
