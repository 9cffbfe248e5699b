/**
 * Rectangles: what of a page a user can get to see. All are in CSS pixels of the viewport as it is
 * scrolled at the moment.
 */

import { ofDocument, propertyOf, rectOf, rootElement } from './page-dom.ts'

export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** What is not larger than this, in either direction, shows nothing: one pixel is for screen readers. */
const leastSize = 1 // CSS pixels

/** How far beyond the right and the bottom of what is shown nobody scrolls. */
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

/** What can be scrolled to: all of the document, unless the page does not let its users scroll. */
export function documentBox(): Box {
  const root = rootElement()
  const { scrollX, scrollY } = globalThis
  const style = getComputedStyle(root)
  const body = ofDocument<HTMLElement | null>('body')
  // What the body says is true of the window if the root element says nothing.
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

/** What the window shows without scrolling. */
export function windowBox(): Box {
  const root = rootElement()
  const right = propertyOf(root, 'clientWidth')
  return { left: 0, top: 0, right, bottom: propertyOf(root, 'clientHeight') }
}

/** What an element that does not let its content overflow shows of it: now, or after scrolling it. */
export function overflowBox(element: Element, style: CSSStyleDeclaration, around: Box): Box {
  const own = rectOf(element)
  const seen = intersection(own, around)
  if (!isSeen(seen)) return seen
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

/** `clip` of positioned elements: `rect(top, right, bottom, left)`, from the corner of the element. */
export function clipBox(element: Element, clip: string): Box | undefined {
  const sides = /^rect\((.+)\)$/.exec(clip)?.[1]?.split(/[\s,]+/)
  if (sides === undefined || sides.length !== 4) return undefined
  const own = rectOf(element)
  const at = (side: string | undefined, from: number, auto: number) =>
    side === 'auto' ? auto : from + Number.parseFloat(side ?? '0')
  return {
    top: at(sides[0], own.top, own.top),
    right: at(sides[1], own.left, own.right),
    bottom: at(sides[2], own.top, own.bottom),
    left: at(sides[3], own.left, own.left),
  }
}

/** The box around a `clip-path`; undefined: it is of no kind that is looked into. */
export function clipPathBox(element: Element, clipPath: string): Box | undefined {
  const [, kind, inside = ''] =
    /^(inset|circle|ellipse|polygon|rect|xywh)\((.*)\)/.exec(clipPath) ?? []
  if (kind === undefined) return undefined
  const own = rectOf(element)
  const length = (text: string | undefined, whole: number) => {
    const number = Number.parseFloat(text ?? '0')
    return text?.endsWith('%') ? (number * whole) / 100 : number
  }
  if (kind === 'inset') {
    const sides = (inside.split(' round ')[0] ?? '').trim().split(/\s+/)
    const [top, right = top, bottom = top, left = right] = sides
    return {
      top: own.top + length(top, own.height),
      right: own.right - length(right, own.width),
      bottom: own.bottom - length(bottom, own.height),
      left: own.left + length(left, own.width),
    }
  }
  if (kind === 'polygon') {
    const points = inside
      .replace(/^(?:nonzero|evenodd)\s*,/, '')
      .split(',')
      .map((point) => point.trim().split(/\s+/))
    const xs = points.map(([x]) => own.left + length(x, own.width))
    const ys = points.map(([, y]) => own.top + length(y, own.height))
    return {
      left: Math.min(...xs),
      right: Math.max(...xs),
      top: Math.min(...ys),
      bottom: Math.max(...ys),
    }
  }
  const radius = Number.parseFloat(inside)
  return (kind === 'circle' || kind === 'ellipse') && radius === 0
    ? { left: 0, right: 0, top: 0, bottom: 0 }
    : undefined
}
