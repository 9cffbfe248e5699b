/** @jsxImportSource preact */
/** The timeline's live region. Silent while it is paused. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { paused } from '../base/state.ts'
import { store } from '../messages/log.ts'
import { announcementOf, minInterval, type Sentence } from './announcements.ts'
import { earlier } from './view.ts'

export function LiveRegion() {
  const sentence = useSignal<Sentence | undefined>(undefined)
  useEffect(() => {
    let announcedRows = store.length // earlier rows are not announced
    const timer = setInterval(() => {
      const from = Math.max(earlier.peek(), Math.min(announcedRows, store.length))
      announcedRows = store.length
      if (!paused.peek() && from < announcedRows)
        sentence.value = announcementOf(store, from, announcedRows)
    }, minInterval)
    return () => clearInterval(timer)
  }, [sentence])
  const now = sentence.value
  return (
    <p class="unseen" aria-live="polite">
      {now && !paused.value ? t(now.key, now.params) : ''}
    </p>
  )
}
