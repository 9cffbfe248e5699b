/** @jsxImportSource preact */
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn in part
// biome-ignore-all lint/a11y/useFocusableInteractive: rows have the focus, one at a time
/** The timeline as a list: a grid that draws visible rows only. */

import { useRef } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { arriving, selected } from '../base/state.ts'
import { clientName, named } from '../connections/names.ts'
import { store } from '../messages/log.ts'
import { bracketOf } from './bracket.ts'
import { useCursor } from './cursor.ts'
import { hinted, useHints } from './hints.ts'
import { Row } from './row.tsx'
import { changeClock } from './row-time.ts'
import { useScroller } from './scroller.ts'
import { cursor, drawn, follow, shown } from './view.ts'

/** Must equal the height in timeline.css. */
const rowHeight = 26 // px

const columns = [
  'time',
  'client',
  'pair',
  'method',
  'id',
  'target',
  'status',
  'latency',
  'size',
  'axis',
] as const

export function List() {
  drawn.value
  named.value
  hinted.value
  const scroller = useScroller(shown, { rowHeight, follow })
  const keys = useCursor(shown, scroller)
  const { first, end, top, height } = scroller.view
  const at = cursor.value
  const keyOf = useKeys(at, end - first + 1)
  useHints(() => keys.places.map((index) => shown.row(index)))
  return (
    <div
      class="fill"
      role="grid"
      aria-label={t('timeline.messages')}
      aria-rowcount={shown.length + 1}
      aria-colcount={columns.length}
      onKeyDown={keys.onKeyDown}
      onFocusCapture={keys.onFocusCapture}
    >
      <div class="tl-row tl-head" role="row" aria-rowindex={1}>
        {columns.map((name, index) => (
          <span key={name} class={`tl-${name}`} role="columnheader" aria-colindex={index + 1}>
            {name === 'time' ? (
              <button type="button" title={t('timeline.clock')} onClick={changeClock}>
                {t('timeline.time')}
              </button>
            ) : (
              <span class={name === 'pair' ? 'unseen' : ''}>{t(`timeline.${name}`)}</span>
            )}
          </span>
        ))}
      </div>
      <div
        class="tl-scroll"
        role="rowgroup"
        tabIndex={-1}
        ref={scroller.ref}
        onScroll={scroller.onScroll}
        onWheel={scroller.onWheel}
      >
        <div
          class="tl-rows"
          role="presentation"
          style={{ height: `${height}px`, ...axisOf(first, end) }}
        >
          {keys.places.map((index) => {
            const row = shown.row(index)
            return (
              <Row
                key={keyOf(row, index)}
                row={row}
                index={index}
                y={top + (index - first) * rowHeight}
                connection={clientName(store.connection(row)).letter}
                bracket={bracketOf(store, shown, index, at)}
                home={index === keys.home}
                chosen={selected.value === row}
                arriving={arriving.value === row}
                onPick={() => {
                  cursor.value = row
                  actions.inspect(row)
                }}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** The times that the visible rows and their responses cover, for the bars of the rows, which are drawn by CSS. */
function axisOf(first: number, end: number): Record<string, number> {
  if (first === end) return {}
  const start = store.time(0)
  const from = store.time(shown.row(first)) - start
  let to = from + 1
  for (let index = first; index < end; index++) {
    const times = store.times(shown.row(index))
    const last = times.to === Number.POSITIVE_INFINITY ? times.from : times.to
    to = Math.max(to, last - start)
  }
  return { '--from': from, '--to': to }
}

/**
 * Keys of row elements. New rows reuse elements of removed ones, since new elements cost three times as much.
 * Only the focused row keeps its element.
 */
function useKeys(at: number, slots: number): (row: number, index: number) => string {
  const pinned = useRef({ row: -1, key: '' })
  const last = useRef(new Map<number, string>()) // keys by row, of the last drawing
  if (pinned.current.row !== at) {
    pinned.current = { row: at, key: at < 0 ? '' : (last.current.get(at) ?? `row ${at}`) }
  }
  const { row: pin, key: pinKey } = pinned.current
  last.current = new Map()
  return (row, index) => {
    const own = String(index % slots)
    const key = row === pin ? pinKey : own === pinKey ? 'instead' : own
    last.current.set(row, key)
    return key
  }
}
