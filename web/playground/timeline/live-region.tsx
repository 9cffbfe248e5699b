/** @jsxImportSource preact */
/** The timeline's live region. Silent while it is paused. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { paused } from '../base/state.ts'
import { store } from '../messages/log.ts'
import { pace, type Sentence, sentenceOf } from './announcements.ts'

export function LiveRegion() {
  const sentence = useSignal<Sentence | undefined>(undefined)
  useEffect(() => {
    let told = store.length // earlier rows are not announced
    const timer = setInterval(() => {
      const from = Math.min(told, store.length)
      told = store.length
      if (!paused.peek() && from < told) sentence.value = sentenceOf(store, from, told)
    }, pace)
    return () => clearInterval(timer)
  }, [sentence])
  const now = sentence.value
  return (
    <p class="unseen" aria-live="polite">
      {now && !paused.value ? t(now.key, now.params) : ''}
    </p>
  )
}
