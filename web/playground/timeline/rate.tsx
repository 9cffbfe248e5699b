/** @jsxImportSource preact */
/** A sparkline of messages per second. */

import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { t } from '../base/i18n.ts'
import { store } from '../messages/log.ts'
import { none, recentCounts } from './recent-counts.ts'

const width = 60 // of the drawing
const height = 15

/** A sparkline of counts. The same data is beside it as text. */
export function Sparkline({ counts }: { counts: readonly number[] }) {
  const most = Math.max(1, ...counts)
  const points = counts.map(
    (count, index) =>
      `${(index * width) / (counts.length - 1)},${height - (count / most) * height}`,
  )
  return (
    <svg class="tl-spark" viewBox="0 0 60 16" preserveAspectRatio="none" aria-hidden="true">
      <polyline points={points.join(' ')} />
    </svg>
  )
}

/** The time, once a second, ms since 1970. */
export function useNow(): number {
  const now = useSignal(Date.now())
  useEffect(() => {
    const timer = setInterval(() => {
      now.value = Date.now()
    }, 1000)
    return () => clearInterval(timer)
  }, [now])
  return now.value
}

export function RateLine() {
  const counts = recentCounts(store, useNow(), () => '').get('') ?? none
  return (
    <span class="tl-rate">
      <Sparkline counts={counts} />
      {t('timeline.rate', { count: counts.at(-1) ?? 0 })}
    </span>
  )
}
