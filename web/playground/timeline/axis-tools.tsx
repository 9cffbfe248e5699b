/** @jsxImportSource preact */
/** What stands above the time axis: all messages over time, where a range is dragged, and buttons that zoom. */

import { type Signal, useSignal } from '@preact/signals'
import type { HTMLAttributes, TargetedPointerEvent } from 'preact'
import { t } from '../base/i18n.ts'
import { IconButton } from '../base/icon.tsx'
import { store } from '../messages/log.ts'
import { Sparkline } from './rate.tsx'
import { density, spanOf } from './spans.ts'
import { between, type Range } from './zoom.ts'

/** Shorter movements are clicks. */
const minDrag = 4 // px

/** Number of parts of the overview whose messages are counted. */
const parts = 60

type Handlers = Pick<
  HTMLAttributes<HTMLElement>,
  'onPointerDown' | 'onPointerMove' | 'onPointerUp' | 'onPointerCancel'
>

/** Selects a part of an element by dragging. `dragged`: from and to, 0 to 1, while the pointer is down. */
export function useDrag(
  range: Range,
  choose: (range: Range) => void,
): { handlers: Handlers; dragged: Signal<readonly [number, number] | undefined> } {
  const dragged = useSignal<readonly [number, number] | undefined>(undefined)
  const place = ({ currentTarget, clientX }: TargetedPointerEvent<HTMLElement>) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    return Math.min(1, Math.max(0, (clientX - left) / width))
  }
  const cancel = () => {
    dragged.value = undefined
  }
  return {
    dragged,
    handlers: {
      onPointerDown(event) {
        if (event.button !== 0) return
        event.preventDefault() // no selection of text
        event.currentTarget.setPointerCapture(event.pointerId)
        dragged.value = [place(event), place(event)]
      },
      onPointerMove(event) {
        if (dragged.value) dragged.value = [dragged.value[0], place(event)]
      },
      onPointerUp({ currentTarget }) {
        const ends = dragged.value
        cancel()
        if (ends && Math.abs(ends[1] - ends[0]) * currentTarget.clientWidth >= minDrag)
          choose(between(range, ...ends))
      },
      onPointerCancel: cancel,
    },
  }
}

/** The part that is being selected. */
export const Dragged = ({ ends }: { ends: readonly [number, number] | undefined }) =>
  ends ? <Part at={Math.min(...ends)} length={Math.abs(ends[1] - ends[0])} /> : null

const Part = ({ at, length }: { at: number; length: number }) => (
  <i class="wf-part" style={{ insetInlineStart: percent(at), inlineSize: percent(length) }} />
)

export const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

interface Props {
  /** The shown times, and all of them. */
  range: Range
  whole: Range
  /** Undefined: all times. */
  choose(range: Range | undefined): void
  zoom(factor: number): void
}

export function AxisTools({ range, whole, choose, zoom }: Props) {
  const { handlers, dragged } = useDrag(whole, choose)
  return (
    <div class="wf-tools">
      <span class="wf-legend">
        {(['wait', 'stream', 'task'] as const).map((is) => (
          <span key={is}>
            <i class={`wf-bar wf-${is}`} /> {t(`timeline.${is}`)}
          </span>
        ))}
      </span>
      {/* Buttons and keys do the same. */}
      <span class="wf-overview" aria-hidden="true" {...handlers}>
        <Sparkline counts={density(store, parts)} />
        {dragged.value ? <Dragged ends={dragged.value} /> : <Part {...spanOf(range, whole)} />}
      </span>
      <IconButton
        name="minus"
        label={t('timeline.zoomOut')}
        aria-keyshortcuts="-"
        onClick={() => zoom(2)}
      />
      <IconButton
        name="plus"
        label={t('timeline.zoomIn')}
        aria-keyshortcuts="+"
        onClick={() => zoom(0.5)}
      />
      <button type="button" class="ghost" onClick={() => choose(undefined)}>
        {t('timeline.zoomReset')}
      </button>
    </div>
  )
}
