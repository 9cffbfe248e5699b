/** @jsxImportSource preact */
// biome-ignore-all lint/a11y/useSemanticElements: a table cannot be drawn in part
// biome-ignore-all lint/a11y/useFocusableInteractive: rows have the focus, one at a time
/** The timeline as a list: a grid of which only the rows in sight exist, however many there are. */

import type { TargetedKeyboardEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { t } from '../app/i18n.ts'
import { ask, selected, store } from '../app/state.ts'
import { clock } from './clock.ts'
import { useHints } from './hints.ts'
import { laneName, named } from './lanes.ts'
import { moved } from './roving.ts'
import { Row } from './row.tsx'
import { useScroller } from './scroller.ts'
import { cursor, drawn, follow, shown } from './view.ts'

/** As timeline.css has it. */
const rowHeight = 26 // px

const columns = [
  'time',
  'lane',
  'pair',
  'method',
  'id',
  'target',
  'status',
  'latency',
  'size',
] as const

export function List() {
  drawn.value
  named.value
  const scroller = useScroller(shown, { rowHeight, follow })
  const focusing = useRef(false)
  const { first, end, top, height } = scroller.view
  const at = cursor.value
  const partner = at >= 0 && at < store.length ? store.partner(at) : -1
  const [pairFrom, pairTo] = partner < 0 ? [-1, -1] : [Math.min(at, partner), Math.max(at, partner)]

  const rows: number[] = []
  for (let index = first; index < end; index++) rows.push(index)
  // The row with the focus stays, wherever the list is scrolled to: else the focus would be lost.
  const home = at >= 0 && shown.has(at) ? shown.indexOf(at) : shown.length - 1
  if (home >= 0 && (home < first || home >= end)) rows.push(home)

  useHints(() => rows.map((index) => shown.row(index)))
  useLayoutEffect(() => {
    if (!focusing.current) return
    focusing.current = false
    const row = scroller.ref.current?.querySelector<HTMLElement>('[tabindex="0"]')
    row?.focus({ preventScroll: true })
  })

  const go = (index: number) => {
    cursor.value = shown.row(index)
    focusing.current = true
    scroller.show(index)
  }
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey || shown.length === 0) return
    if (event.key === 'Enter' && home >= 0) ask.inspect(shown.row(home))
    else {
      const to = moved(event.key, home, shown.length, scroller.page)
      if (to === undefined) return
      go(to)
    }
    event.preventDefault()
  }
  return (
    <div
      class="tl-grid"
      role="grid"
      aria-label={t('timeline.messages')}
      aria-rowcount={shown.length + 1}
      aria-colcount={columns.length}
      onKeyDown={onKeyDown}
      onFocusCapture={({ target }) => {
        const row = (target as HTMLElement).dataset.row
        if (row !== undefined) cursor.value = Number(row)
      }}
    >
      <div class="tl-row tl-head" role="row" aria-rowindex={1}>
        {columns.map((name, index) => (
          <span key={name} class={`tl-${name}`} role="columnheader" aria-colindex={index + 1}>
            {name === 'time' ? (
              <button
                type="button"
                title={t('timeline.clock')}
                onClick={() => {
                  clock.value = clock.value === 'wall' ? 'start' : 'wall'
                }}
              >
                {t('timeline.time')}
              </button>
            ) : (
              <span class={name === 'pair' ? 'tl-hidden' : ''}>{t(`timeline.${name}`)}</span>
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
        <div class="tl-rows" role="presentation" style={{ height }}>
          {rows.map((index) => {
            const row = shown.row(index)
            return (
              <Row
                key={row}
                row={row}
                index={index}
                y={top + (index - first) * rowHeight}
                lane={laneName(store.lane(row)).letter}
                between={row > pairFrom && row < pairTo}
                paired={row === pairFrom || row === pairTo}
                home={index === home}
                chosen={selected.value === row}
                onPick={() => {
                  cursor.value = row
                  ask.inspect(row)
                }}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}
