/** @jsxImportSource preact */
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn in part
// biome-ignore-all lint/a11y/useFocusableInteractive: rows have the focus, one at a time
/** The timeline on a time axis, which covers the visible rows: how long requests take, and which overlap. */

import { actions } from '../base/actions.ts'
import { showControlCharacters } from '../base/control-characters.ts'
import { t } from '../base/i18n.ts'
import { selected } from '../base/state.ts'
import { clientName, named } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { useCursor } from './cursor.ts'
import { duration, outcome, targetText } from './format.ts'
import { useScroller } from './scroller.ts'
import { type Axis, axisOf, marksOf, spanOf } from './spans.ts'
import { statusOf } from './status.ts'
import { cursor, drawn, follow, shown } from './view.ts'

/** Must equal the height in timeline.css. */
const rowHeight = 26 // px
const marks = 6

export function Waterfall() {
  drawn.value
  named.value
  const scroller = useScroller(shown, { rowHeight, follow })
  const keys = useCursor(shown, scroller)
  const { first, end, top, height } = scroller.view
  const visible: number[] = []
  for (let index = first; index < end; index++) visible.push(shown.row(index))
  const axis = axisOf(store, visible)
  return (
    <div
      class="tl-grid wf"
      role="grid"
      aria-label={t('timeline.waterfall')}
      aria-rowcount={shown.length + 1}
      aria-colcount={4}
      onKeyDown={keys.onKeyDown}
      onFocusCapture={keys.onFocusCapture}
    >
      <div class="tl-row tl-head" role="row" aria-rowindex={1}>
        <span role="columnheader">{t('timeline.client')}</span>
        <span role="columnheader">{t('timeline.method')}</span>
        <span class="tl-latency" role="columnheader">
          {t('timeline.latency')}
        </span>
        <span class="wf-track" role="columnheader" aria-label={t('timeline.time')}>
          {marksOf(axis, marks).map((ms) => {
            const at = ms / (axis.to - axis.from)
            return at > 0.95 ? null : (
              <span key={ms} class="wf-mark" style={{ insetInlineStart: percent(at) }}>
                {duration(ms)}
              </span>
            )
          })}
        </span>
      </div>
      <div
        class="tl-scroll"
        role="rowgroup"
        tabIndex={-1}
        ref={scroller.ref}
        onScroll={scroller.onScroll}
        onWheel={scroller.onWheel}
      >
        <div class="tl-rows" role="presentation" style={{ height: `${height}px` }}>
          {keys.places.map((index) => (
            <Bar
              key={shown.row(index)}
              row={shown.row(index)}
              index={index}
              y={top + (index - first) * rowHeight}
              axis={axis}
              home={index === keys.home}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

interface BarProps {
  row: number
  index: number
  y: number
  axis: Axis
  home: boolean
}

function Bar({ row, index, y, axis, home }: BarProps) {
  const { at, length, open } = spanOf(store, row, axis)
  const kind = store.kind(row)
  const target = targetText(store, row)
  const what = store.method(row) || showControlCharacters(store.raw(row).slice(0, 200))
  const { letter } = clientName(store.connection(row))
  const response = kind === 'result' || kind === 'error'
  const status = statusOf(store, row)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <div
      class={`tl-row tl-is-${kind} tl-status-${status}${response ? ' tl-answer' : ''}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected.value === row}
      tabIndex={home ? 0 : -1}
      data-row={row}
      data-client={store.connection(row) % 6}
      style={{ transform: `translateY(${y}px)` }}
      onClick={() => {
        cursor.value = row
        actions.inspect(row)
      }}
    >
      <span class="tl-client" role="gridcell">
        {letter && <b>{letter}</b>}
      </span>
      <span class="tl-method" role="gridcell" lang="en" translate={false} title={target}>
        {response && status !== 'ok' ? <b class="tl-status">{outcome(store, row)} </b> : null}
        {what} {showControlCharacters(target)}
      </span>
      <span class="tl-latency" role="gridcell">
        {response ? duration(store.latency(row)) : ''}
      </span>
      <span class="wf-track" role="gridcell">
        <i
          class={`wf-bar${open ? ' wf-open' : ''}`}
          style={{ insetInlineStart: percent(at), inlineSize: percent(length) }}
        />
      </span>
    </div>
  )
}

const percent = (part: number) => `${(part * 100).toFixed(3)}%`
