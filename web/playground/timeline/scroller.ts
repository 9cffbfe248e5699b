/**
 * A virtual scrolling list: which rows are drawn, and the scroll position. It follows the newest row until the
 * user scrolls away from the end, and again when the user returns to it. The position is stored as a row of
 * the store, so that another filter keeps that row in place.
 */

import { type Signal, useSignal } from '@preact/signals'
import type { RefObject } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import {
  type Listing,
  maxOffset,
  offsetAt,
  reveal,
  scrollTopAt,
  type View,
  viewAt,
} from './visible-range.ts'

/** Distance from the end that counts as the end. */
const near = 4 // px

/** Rows of the store in order; `FilteredRows` implements it. */
export interface Rows {
  readonly length: number
  row(index: number): number
  indexOf(row: number): number
}

export interface Scroller {
  /** Ref of the scrolling element. */
  ref: RefObject<HTMLDivElement | null>
  /** The range to draw. */
  view: View
  /** Number of fully visible rows. */
  page: number
  onScroll(event: { currentTarget: HTMLElement }): void
  onWheel(event: WheelEvent): void
  /** Scrolls an index into view. */
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
  const place = useSignal({ row: 0, shift: 0 }) // the top row, and how much of it is hidden
  const set = useRef(0) // the last scrollTop set here
  const list: Listing = {
    count: rows.length,
    rowHeight,
    viewport: Math.max(rowHeight, viewport.value - head),
  }
  const end = maxOffset(list)
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
      if (Math.abs(at - set.current) < 1) return // set here
      const atEnd = at + element.clientHeight >= element.scrollHeight - near
      // Changes of the list's length also scroll; only the user's scrolling counts.
      if (at < set.current && !atEnd) follow.value = false
      else if (at > set.current && atEnd) follow.value = true
      set.current = at
      if (!follow.peek()) stand(offsetAt(list, at))
    },
    onWheel({ deltaY }) {
      if (deltaY >= 0 || end === 0 || !follow.peek()) return
      // Otherwise the next frame would scroll back to the end before this event arrives.
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
