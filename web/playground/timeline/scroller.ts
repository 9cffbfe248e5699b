/**
 * A list that is scrolled: which of its rows are drawn, and where it stands. It follows the newest row
 * until somebody scrolls away from the end, and again when they come back to it. Where it stands is
 * kept as a row of the store, so that another filter leaves that row where it is.
 */

import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import {
  furthest,
  type Listing,
  offsetAt,
  reveal,
  scrollTopAt,
  type View,
  viewAt,
} from './visible-range.ts'

/** How near to the end counts as there. */
const near = 4 // px

/** Rows of the store in their order; `Shown` is one. */
export interface Rows {
  readonly length: number
  row(index: number): number
  indexOf(row: number): number
}

export interface Scroller {
  /** Of the element that scrolls. */
  ref: RefObject<HTMLDivElement | null>
  /** What to draw now. */
  view: View
  /** How many rows are seen wholly. */
  page: number
  onScroll(event: { currentTarget: HTMLElement }): void
  onWheel(event: WheelEvent): void
  /** Has the row at a place in sight. */
  show(index: number): void
}

/**
 * @param options.rowHeight - px, of every row
 * @param options.head - px of the viewport that are covered by what sticks to its top
 * @param options.follow - whether the newest row stays in sight; set by scrolling
 */
export function useScroller(
  rows: Rows,
  { rowHeight, follow, head = 0 }: { rowHeight: number; follow: Signal<boolean>; head?: number },
): Scroller {
  const ref = useRef<HTMLDivElement>(null)
  const viewport = useSignal(400)
  const place = useSignal({ row: 0, shift: 0 }) // the row at the top, and how much of it is above
  const set = useRef(0) // the scrollTop that we set last
  const list: Listing = {
    count: rows.length,
    rowHeight,
    viewport: Math.max(rowHeight, viewport.value - head),
  }
  const end = furthest(list)
  const { row, shift } = place.value
  const top = follow.value ? end : scrollTopAt(list, rows.indexOf(row) * rowHeight + shift)

  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      viewport.value = element.clientHeight
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [viewport])

  useLayoutEffect(() => {
    const element = ref.current
    if (element && Math.abs(element.scrollTop - top) >= 1) element.scrollTop = top
    set.current = top
  }, [top])

  const stand = (offset: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, Math.floor(offset / rowHeight)))
    if (rows.length === 0) return
    const row = rows.row(index)
    place.value = { row, shift: offset - rows.indexOf(row) * rowHeight }
  }
  return {
    ref,
    view: viewAt(list, top),
    page: Math.max(1, Math.floor(list.viewport / rowHeight)),
    onScroll({ currentTarget: element }) {
      const at = element.scrollTop
      if (Math.abs(at - set.current) < 1) return // our own doing
      const atEnd = at + element.clientHeight >= element.scrollHeight - near
      // Rows that come make the list longer, a filter shorter: neither is somebody who scrolls.
      if (at < set.current && !atEnd) follow.value = false
      else if (at > set.current && atEnd) follow.value = true
      set.current = at
      if (!follow.peek()) stand(offsetAt(list, at))
    },
    onWheel({ deltaY }) {
      if (deltaY >= 0 || end === 0 || !follow.peek()) return
      // The next frame would go back to the end before this is a scroll of its own.
      stand(offsetAt(list, top))
      follow.value = false
    },
    show(index) {
      const offset = offsetAt(list, top)
      const next = reveal(list, offset, index)
      if (next === offset) return
      stand(next)
      follow.value = scrollTopAt(list, next) >= end - near
    },
  }
}
