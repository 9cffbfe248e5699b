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
  /** For keys that filter: if that removes the focused row, the row that Tab reaches gets the focus. */
  keepFocus(): void
}

/**
 * Rows need `data-row`; the one that Tab reaches needs `tabindex="0"`.
 *
 * @param inspect - what Enter and Space do with a row
 */
export function useCursor(
  rows: Rows,
  scroller: Scroller,
  inspect: (row: number) => void = actions.inspect,
): Cursor {
  const focusing = useRef(false)
  const keeps = useRef(false)
  const at = cursor.value
  const index = at < 0 ? rows.length : rows.indexOf(at)
  // The newest row replaces a row that the filter hides.
  const home = index < rows.length && rows.row(index) === at ? index : rows.length - 1
  const { first, end } = scroller.view
  const places: number[] = []
  for (let place = first; place < end; place++) places.push(place)
  if (home >= 0 && (home < first || home >= end)) places.push(home)

  useLayoutEffect(() => {
    const { activeElement } = document
    const isLost = keeps.current && activeElement === document.body
    keeps.current &&= isLost || scroller.ref.current?.contains(activeElement) === true
    if (!focusing.current && !isLost) return
    focusing.current = false
    const row = scroller.ref.current?.querySelector<HTMLElement>('[data-row][tabindex="0"]')
    row?.focus({ preventScroll: true })
    if (row) keeps.current = false
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
      if (event.key === 'Enter' || event.key === ' ') inspect(rows.row(home))
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
    keepFocus() {
      keeps.current = true // until the focus is lost, or elsewhere: the code of the filter may have to be loaded
    },
  }
}
