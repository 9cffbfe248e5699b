/**
 * Which rows of a long list are drawn. All rows are equally high, which makes it arithmetic.
 *
 * Not `@tanstack/virtual-core`, for two measured reasons: it is 9.5 KB gzip, as much as the whole
 * timeline may have; and it keeps an object per row that it makes anew whenever the count changes: with
 * 100,000 rows 4 ms for each frame in which a message comes, where this needs none.
 */

/** Rows above and below the visible ones that are drawn, so that fast scrolling shows no gap. */
const overscan = 4 // rows

/** Taller than this is no element: Firefox stops at 17.8 million px. Beyond it, scrolling is scaled. */
const maxElementHeight = 12_000_000 // px

export interface Listing {
  /** How many rows there are. */
  count: number
  /** px */
  rowHeight: number
  /** What is seen at a time, px. */
  viewport: number
}

export interface View {
  /** The first row to draw, and the one after the last. */
  first: number
  end: number
  /** Where row `first` is drawn, px from the top of the scrolled element; the others follow. */
  top: number
  /** Of the scrolled element, px. */
  height: number
}

const fullHeight = ({ count, rowHeight }: Listing) => count * rowHeight
const elementHeight = (list: Listing) => Math.min(fullHeight(list), maxElementHeight)

/** How far the element can be scrolled, px. */
export const furthest = (list: Listing): number => Math.max(0, elementHeight(list) - list.viewport)

/** px of list for each px that is scrolled. */
function scale(list: Listing): number {
  const far = furthest(list)
  return far === 0 ? 1 : (fullHeight(list) - list.viewport) / far
}

/** How far down the list `scrollTop` is, px of list. */
export const offsetAt = (list: Listing, scrollTop: number): number => scrollTop * scale(list)

/** The `scrollTop` that is `offset` px down the list, or as far as it goes. */
export const scrollTopAt = (list: Listing, offset: number): number =>
  Math.max(0, Math.min(furthest(list), offset / scale(list)))

/** What is drawn when scrolled to `scrollTop`. */
export function viewAt(list: Listing, scrollTop: number): View {
  const offset = offsetAt(list, scrollTop)
  const first = Math.max(0, Math.floor(offset / list.rowHeight) - overscan)
  const end = Math.min(list.count, Math.ceil((offset + list.viewport) / list.rowHeight) + overscan)
  return {
    first: Math.min(first, end),
    end,
    top: scrollTop + first * list.rowHeight - offset,
    height: elementHeight(list),
  }
}

/** The offset, as near as possible to the present one, at which row `index` is wholly seen. */
export function reveal(list: Listing, offset: number, index: number): number {
  const top = index * list.rowHeight
  if (top < offset) return top
  return Math.max(offset, top + list.rowHeight - list.viewport)
}
