/** @jsxImportSource preact */
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn in part
// biome-ignore-all lint/a11y/useFocusableInteractive: rows have the focus, one at a time
/**
 * The timeline on a time axis: how long requests take, in which phases, and which overlap. A request and its response are
 * one row. The axis covers the visible rows, or a chosen range, which is a term of the filter.
 */

import { useMemo, useRef } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { showControlCharacters } from '../base/control-characters.ts'
import { t } from '../base/i18n.ts'
import { axisTime, duration } from '../base/numbers.ts'
import { filter, selected } from '../base/state.ts'
import { clientName } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import type { Times } from '../messages/store.ts'
import { AxisTools, Dragged, percent, useDrag } from './axis-tools.tsx'
import { useCursor } from './cursor.ts'
import { useExchanges } from './exchanges.ts'
import { outcome, rawText, targetText } from './format.ts'
import { Related } from './related.ts'
import { useScroller } from './scroller.ts'
import { axisOf, phasesOf, spanOf, ticksOf } from './spans.ts'
import { statusOf } from './status.ts'
import { cursor, follow, query } from './view.ts'
import { moved, type Range, withRange, zoomed } from './zoom.ts'

/** Must equal the height in timeline.css. */
const rowHeight = 24 // px
const mostTicks = 6

/** Factor of one step of a key, and part of the range by which arrow keys move it. */
const step = { zoom: 2, move: 0.25 }

/** Movement of the wheel that doubles the range. */
const wheelStep = 200 // px

/** Selects the response, if there is one. */
const inspect = (row: number) => actions.inspect(Math.max(row, store.partner(row)))

export function Waterfall() {
  const exchanges = useExchanges()
  const scroller = useScroller(exchanges, { rowHeight, follow })
  const keys = useCursor(exchanges, scroller, inspect)
  const related = useMemo(() => new Related(store), [store.emptied.value])
  const track = useRef<HTMLSpanElement>(null)
  const { first, end, top, height } = scroller.view
  const visible: number[] = []
  for (let index = first; index < end; index++) visible.push(exchanges.row(index))

  const start = store.length === 0 ? 0 : store.time(0)
  const whole = {
    from: 0,
    to: Math.max(1, store.length === 0 ? 0 : store.time(store.length - 1) - start),
  }
  const chosen = query.value.range
  const axis: Times = chosen
    ? {
        from: start + chosen.from,
        to: start + Math.max(chosen.from + 1, Math.min(chosen.to, whole.to)),
      }
    : axisOf(store, visible)
  const range: Range = { from: axis.from - start, to: axis.to - start }
  const choose = (next: Range | undefined) => {
    filter.value = withRange(filter.value, next)
  }
  const zoom = (factor: number, at?: number) => choose(zoomed(range, whole, factor, at))
  const drag = useDrag(range, choose)
  const ticks = ticksOf(axis, start, mostTicks)

  const onKeyDown: typeof keys.onKeyDown = (event) => {
    const { key, shiftKey } = event
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (key === '+' || key === '=') zoom(1 / step.zoom)
    else if (key === '-') zoom(step.zoom)
    else if (key === '0') choose(undefined)
    else if (shiftKey && key === 'ArrowLeft') choose(moved(range, whole, -step.move))
    else if (shiftKey && key === 'ArrowRight') choose(moved(range, whole, step.move))
    else return keys.onKeyDown(event)
    keys.keepFocus()
    event.preventDefault()
  }
  const onWheel = (event: WheelEvent) => {
    if (!event.ctrlKey) return scroller.onWheel(event)
    event.preventDefault() // the browser would zoom the page
    const { left, width } = track.current?.getBoundingClientRect() ?? { left: 0, width: 0 }
    const at = width === 0 ? 0.5 : Math.min(1, Math.max(0, (event.clientX - left) / width))
    zoom(Math.min(2, Math.max(0.5, 2 ** (event.deltaY / wheelStep))), at)
  }
  return (
    <div
      class="tl-frame wf"
      role="group"
      aria-label={t('timeline.waterfall')}
      onKeyDown={onKeyDown}
    >
      <AxisTools range={range} whole={whole} choose={choose} zoom={zoom} />
      <div
        class="tl-grid"
        role="grid"
        aria-label={t('timeline.waterfall')}
        aria-rowcount={exchanges.length + 1}
        aria-colcount={4}
        onFocusCapture={keys.onFocusCapture}
      >
        <div class="tl-row tl-head" role="row" aria-rowindex={1}>
          <span class="tl-client" role="columnheader">
            {t('timeline.client')}
          </span>
          <span role="columnheader">{t('timeline.method')}</span>
          <span class="tl-latency" role="columnheader">
            {t('timeline.latency')}
          </span>
          <span
            class="wf-track"
            role="columnheader"
            aria-label={t('timeline.time')}
            ref={track}
            {...drag.handlers}
          >
            {ticks.at.map((ms) => {
              const { at } = spanOf({ from: start + ms, to: start + ms }, axis)
              return at > 0.95 ? null : (
                <span key={ms} class="wf-mark" style={{ insetInlineStart: percent(at) }}>
                  {axisTime(ms, ticks.step, range.to)}
                </span>
              )
            })}
            <Dragged ends={drag.dragged.value} />
          </span>
        </div>
        <div
          class="tl-scroll"
          role="rowgroup"
          tabIndex={-1}
          ref={scroller.ref}
          onScroll={scroller.onScroll}
          onWheel={onWheel}
        >
          <div class="tl-rows" role="presentation" style={{ height: `${height}px` }}>
            {keys.places.map((index) => {
              const row = exchanges.row(index)
              return (
                <Exchange
                  key={row}
                  row={row}
                  index={index}
                  y={top + (index - first) * rowHeight}
                  axis={axis}
                  related={related.first(row)}
                  home={index === keys.home}
                />
              )
            })}
          </div>
        </div>
      </div>
    </div>
  )
}

interface ExchangeProps {
  row: number
  index: number
  y: number
  axis: Times
  /** The first message that belongs to the request; -1: none. */
  related: number
  home: boolean
}

function Exchange({ row, index, y, axis, related, home }: ExchangeProps) {
  const kind = store.kind(row)
  const target = showControlCharacters(targetText(store, row))
  const what = store.method(row) || showControlCharacters(rawText(store, row).slice(0, 200))
  const label = [what, target].filter(Boolean).join(' ')
  const { letter } = clientName(store.connection(row))
  const response = store.response(row)
  const status = statusOf(store, row)
  const phases = phasesOf(store, row, related)
  const said = phases
    .map(({ is, from, to }) =>
      [t(`timeline.${is}`), Number.isFinite(to) ? duration(to - from) : '…'].join(' '),
    )
    .join(' · ')
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the grid has the keys
    <div
      class={`tl-row tl-is-${kind} tl-status-${status}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={selected.value === row || selected.value === response}
      tabIndex={home ? 0 : -1}
      data-row={row}
      data-client={store.connection(row) % 6}
      style={{ transform: `translateY(${y}px)` }}
      onClick={() => {
        cursor.value = row
        inspect(row)
      }}
    >
      <span class="tl-client" role="gridcell">
        {letter && <b>{letter}</b>}
      </span>
      <span class="tl-method" role="gridcell" lang="en" translate={false} title={label}>
        {status && status !== 'ok' && status !== 'waiting' ? (
          <b class="tl-status">{outcome(store, Math.max(row, response))}&nbsp;</b>
        ) : null}
        <span class="tl-tail">
          <bdi>{label}</bdi>
        </span>
      </span>
      <span class="tl-latency" role="gridcell">
        {response >= 0 ? duration(store.latency(row)) : ''}
      </span>
      <span class="wf-track" role="gridcell" title={said}>
        {phases.length === 0 ? (
          <Bar is="moment" part={{ from: store.time(row), to: store.time(row) }} axis={axis} />
        ) : (
          phases.map((phase) => <Bar key={phase.is} is={phase.is} part={phase} axis={axis} />)
        )}
        {response < 0 ? null : (
          <Bar
            is="end"
            part={{ from: store.time(response), to: store.time(response) }}
            axis={axis}
          />
        )}
        <span class="unseen">{said}</span>
      </span>
    </div>
  )
}

/** Nothing is drawn beside the axis. */
function Bar({ is, part, axis }: { is: string; part: Times; axis: Times }) {
  if (part.to < axis.from || part.from > axis.to) return null
  const { at, length, open } = spanOf(part, axis)
  return (
    <i
      class={`wf-bar wf-${is}${open ? ' wf-open' : ''}`}
      style={{ insetInlineStart: `min(${percent(at)}, 100% - 3px)`, inlineSize: percent(length) }}
    />
  )
}
