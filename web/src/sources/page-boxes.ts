/**
 * Rectangles: the areas of a page that a user can see, also by scrolling. All are in CSS pixels of the
 * viewport at its present scroll position.
 */

import { ofDocument, propertyOf, rectOf, rootElement } from './page-dom.ts'

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** A box that is not larger, in either direction, is hidden: one pixel is used for screen readers. */
const leastSize = 1 // CSS pixels

/** A box that is smaller, in either direction, is not scrollable by users. */
const leastScrolled = 6 // CSS pixels

export const everywhere: Box = {
  left: Number.NEGATIVE_INFINITY,
  top: Number.NEGATIVE_INFINITY,
  right: Number.POSITIVE_INFINITY,
  bottom: Number.POSITIVE_INFINITY,
}
export const nowhere: Box = { left: 0, top: 0, right: 0, bottom: 0 }

/** Text further right or down counts as unreachable. */
const farRight = 5000 // CSS pixels
const farDown = 2_000_000 // CSS pixels

export function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
}

export function isSeen({ left, top, right, bottom }: Box): boolean {
  return right - left > leastSize && bottom - top > leastSize
}

export function isInside(inner: Box, outer: Box): boolean {
  return (
    inner.left >= outer.left - leastSize &&
    inner.top >= outer.top - leastSize &&
    inner.right <= outer.right + leastSize &&
    inner.bottom <= outer.bottom + leastSize
  )
}

/** The area that can be scrolled to: the document, unless the page prevents scrolling. */
export function documentBox(): Box {
  const root = rootElement()
  const { scrollX, scrollY } = globalThis
  const style = getComputedStyle(root)
  const body = ofDocument<HTMLElement | null>('body')
  // The body's overflow applies to the window if the root element has none.
  const speaks = style.overflow === 'visible' && body ? getComputedStyle(body) : style
  const held = (overflow: string) => overflow === 'hidden' || overflow === 'clip'
  const width = propertyOf(root, 'clientWidth')
  const whole = propertyOf(root, 'scrollWidth')
  const view = { left: 0, top: 0, right: width, bottom: propertyOf(root, 'clientHeight') }
  const rightToLeft = style.direction === 'rtl'
  return {
    left: held(speaks.overflowX) ? 0 : (rightToLeft ? width - whole : 0) - scrollX,
    right: held(speaks.overflowX)
      ? view.right
      : Math.min(rightToLeft ? width : whole, width + farRight) - scrollX,
    top: held(speaks.overflowY) ? 0 : -scrollY,
    bottom: held(speaks.overflowY) ? view.bottom : propertyOf(root, 'scrollHeight') - scrollY,
  }
}

/** The visible area without scrolling. */
export function windowBox(): Box {
  const root = rootElement()
  const right = propertyOf(root, 'clientWidth')
  return { left: 0, top: 0, right, bottom: propertyOf(root, 'clientHeight') }
}

/** The visible content of an element that clips its overflow: now, or after scrolling it. */
export function overflowBox(element: Element, style: CSSStyleDeclaration, around: Box): Box {
  const own = rectOf(element)
  const seen = intersection(own, around)
  if (seen.right - seen.left < leastScrolled || seen.bottom - seen.top < leastScrolled) return seen
  const { overflowX, overflowY } = style
  const scrolls = (overflow: string) => overflow === 'auto' || overflow === 'scroll'
  const x = scrolls(overflowX)
    ? along(
        own.left,
        propertyOf(element, 'scrollLeft'),
        propertyOf(element, 'scrollWidth'),
        own.width,
        farRight,
      )
    : overflowX === 'visible'
      ? ([around.left, around.right] as const)
      : ([seen.left, seen.right] as const)
  const y = scrolls(overflowY)
    ? along(
        own.top,
        propertyOf(element, 'scrollTop'),
        propertyOf(element, 'scrollHeight'),
        own.height,
        farDown,
      )
    : overflowY === 'visible'
      ? ([around.top, around.bottom] as const)
      : ([seen.top, seen.bottom] as const)
  return { left: x[0], right: x[1], top: y[0], bottom: y[1] }
}

/** Where scrolled content begins and ends; its scroll position is negative from right to left. */
function along(start: number, scrolled: number, whole: number, shown: number, far: number) {
  const before = scrolled < 0 ? whole - shown : 0
  return [start - scrolled - before, start - scrolled + Math.min(whole, shown + far)] as const
}
