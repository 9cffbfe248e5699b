/** Keyboard navigation of rows: Tab reaches one row, arrows move, Enter and Space inspect. */

import type { TargetedKeyboardEvent } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { actions } from '../base/actions.ts'
import { nextIndex } from './arrow-keys.ts'
import type { Rows, Scroller } from './scroller.ts'
import { cursor, located } from './view.ts'

export interface Cursor {
  /** The index that Tab reaches; -1: no rows. It must be drawn, even if not visible. */
  home: number
  /** Indexes to draw: the visible ones and the one that Tab reaches. */
  places: readonly number[]
  onKeyDown(event: TargetedKeyboardEvent<HTMLElement>): void
  onFocusCapture(event: { target: EventTarget | null }): void
}

/** Rows need `data-row`; the one that Tab reaches needs `tabindex="0"`. */
export function useCursor(rows: Rows, scroller: Scroller): Cursor {
  const focusing = useRef(false)
  const at = cursor.value
  const index = at < 0 ? rows.length : rows.indexOf(at)
  // The newest row replaces a row that the filter hides.
  const home = index < rows.length && rows.row(index) === at ? index : rows.length - 1
  const { first, end } = scroller.view
  const places: number[] = []
  for (let place = first; place < end; place++) places.push(place)
  if (home >= 0 && (home < first || home >= end)) places.push(home)

  useLayoutEffect(() => {
    if (!focusing.current) return
    focusing.current = false
    const row = scroller.ref.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]')
    row?.focus({ preventScroll: true })
  })

  const wanted = located.value
  useLayoutEffect(() => {
    if (wanted === undefined) return
    const index = rows.indexOf(wanted.row)
    if (index < rows.length && rows.row(index) === wanted.row) scroller.show(index)
  }, [wanted])

  return {
    home,
    places,
    onKeyDown(event) {
      if (event.ctrlKey || event.metaKey || event.altKey || home < 0) return
      if (!(event.target as Element).closest('[data-row]')) return
      if (event.key === 'Enter' || event.key === ' ') actions.inspect(rows.row(home))
      else {
        const to = nextIndex(event.key, home, rows.length, scroller.page)
        if (to === undefined) return
        cursor.value = rows.row(to)
        focusing.current = true
        scroller.show(to)
      }
      event.preventDefault()
    },
    onFocusCapture({ target }) {
      const row = (target as Element).closest('[data-row]')?.getAttribute('data-row')
      if (row) cursor.value = Number(row)
    },
  }
}
