/** @jsxImportSource preact */
/** A sparkline of messages per second. It stops while there are none. */

import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { store } from '../messages/log.ts'
import { points, Rate } from './rate.ts'
import { earlier } from './view.ts'

const rate = new Rate()
const ticked = signal(0)

/** A sparkline of counts. The same data is beside it as text. */
export function Sparkline({ counts }: { counts: readonly number[] }) {
  return (
    <svg class="tl-spark" viewBox="0 0 60 16" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points(counts, 60, 15)} />
    </svg>
  )
}

export function RateLine() {
  ticked.value
  useEffect(() => {
    const timer = setInterval(() => {
      const still = rate.still
      rate.tick(store.length - earlier.peek())
      if (!still || !rate.still) ticked.value++
    }, 1000)
    return () => clearInterval(timer)
  }, [])
  return (
    <span class="tl-rate">
      <Sparkline counts={rate.counts} />
      {t('timeline.rate', { count: rate.counts.at(-1) ?? 0 })}
    </span>
  )
}
