/** The area that `clip` and `clip-path` leave of an element. */

import { type Box, nowhere } from './page-boxes.ts'
import { rectOf } from './page-dom.ts'

/** A convex area, in CSS pixels of the viewport. */
export type Shape = (x: number, y: number) => boolean

/** The remaining area: a box, or a shape within one. */
export interface Cut {
  readonly box: Box
  readonly shape?: Shape
}

/** `clip` of positioned elements: `rect(top, right, bottom, left)`, from the corner of the element. */
export function clipCut(element: Element, clip: string): Cut | undefined {
  if (clip === 'auto') return undefined
  const sides = /^rect\((.+)\)$/.exec(clip)?.[1]?.split(/[\s,]+/)
  if (sides === undefined || sides.length !== 4) return { box: nowhere }
  const own = rectOf(element)
  const at = (side: string | undefined, from: number, auto: number) =>
    side === 'auto' ? auto : from + Number.parseFloat(side ?? '0')
  return {
    box: {
      top: at(sides[0], own.top, own.top),
      right: at(sides[1], own.left, own.right),
      bottom: at(sides[2], own.top, own.bottom),
      left: at(sides[3], own.left, own.left),
    },
  }
}

/**
 * `clip-path` as it is computed. Boxes, circles, ellipses and convex polygons are supported; with
 * anything else (`path`, `shape`, `url`, other polygons, calculations) everything counts as hidden.
 */
export function clipPathCut(element: Element, clipPath: string): Cut | undefined {
  if (clipPath === 'none' || /^[a-z]+-box$/.test(clipPath)) return undefined
  const [, kind, inside = ''] =
    /^(inset|rect|xywh|circle|ellipse|polygon)\(([^()]*)\)$/.exec(clipPath) ?? []
  const own = rectOf(element)
  const { left, top, width, height } = own
  const lengths = (text: string, wholes: readonly number[]) =>
    text
      .trim()
      .split(/\s+/)
      .map((length, i) => lengthOf(length, wholes[i % wholes.length] as number))
  const outline = inside.split(/\s*\bround\b/)[0] ?? ''
  switch (kind) {
    case 'inset': {
      const [t = 0, r = t, b = t, l = r] = lengths(outline, [height, width])
      const box = { top: top + t, right: own.right - r, bottom: own.bottom - b, left: left + l }
      return known(box)
    }
    case 'rect': {
      const sides = outline.trim().split(/\s+/)
      const [t = 0, r = 0, b = 0, l = 0] = sides.map((side, i) =>
        side === 'auto' ? [0, width, height, 0][i] : lengthOf(side, i % 2 ? width : height),
      )
      return known({ top: top + t, right: left + r, bottom: top + b, left: left + l })
    }
    case 'xywh': {
      const [x = 0, y = 0, w = 0, h = 0] = lengths(outline, [width, height])
      return known({ left: left + x, top: top + y, right: left + x + w, bottom: top + y + h })
    }
    case 'circle':
    case 'ellipse': {
      const [radii = '', place = '50% 50%'] = inside.split(/\s*\bat\b\s*/)
      const [x = 0, y = 0] = lengths(place, [width, height])
      const [rx, ry] = radiiOf(radii.trim().split(/\s+/), kind, x, y, width, height)
      return ellipse(left + x, top + y, rx, ry)
    }
    case 'polygon': {
      const points = inside
        .replace(/^(?:nonzero|evenodd)\s*,/, '')
        .split(',')
        .map((point) => lengths(point, [width, height]))
        .map(([x = 0, y = 0]) => [left + x, top + y] as const)
      return polygon(points)
    }
  }
  return { box: nowhere }
}

function known(box: Box): Cut {
  return { box: Object.values(box).some(Number.isNaN) ? nowhere : box }
}

/** NaN for other units than pixels and percent. */
function lengthOf(text: string, whole: number): number {
  const [, number, unit] = /^(-?[\d.]+(?:e-?\d+)?)(px|%)?$/.exec(text) ?? []
  if (number === undefined || (unit === undefined && Number(number) !== 0)) return Number.NaN
  return unit === '%' ? (Number(number) * whole) / 100 : Number(number)
}

function radiiOf(
  values: readonly string[],
  kind: string,
  x: number,
  y: number,
  width: number,
  height: number,
): [number, number] {
  const across = [Math.abs(x), Math.abs(width - x)] as const
  const down = [Math.abs(y), Math.abs(height - y)] as const
  const one = (text: string | undefined, whole: number, sides: readonly number[]) => {
    if (text === 'farthest-side') return Math.max(...sides)
    if (text === undefined || text === '' || text === 'closest-side') return Math.min(...sides)
    return lengthOf(text, whole)
  }
  if (kind === 'circle') {
    const radius = one(values[0], Math.hypot(width, height) / Math.SQRT2, [...across, ...down])
    return [radius, radius]
  }
  return [one(values[0], width, across), one(values[1], height, down)]
}

function ellipse(x: number, y: number, rx: number, ry: number): Cut {
  if (!(rx > 0 && ry > 0) || Number.isNaN(x + y)) return { box: nowhere }
  return {
    box: { left: x - rx, right: x + rx, top: y - ry, bottom: y + ry },
    shape: (px, py) => ((px - x) / rx) ** 2 + ((py - y) / ry) ** 2 <= 1,
  }
}

/** The most corners of a polygon; the check for convexity is quadratic. */
const maxPoints = 100

function polygon(points: readonly (readonly [number, number])[]): Cut {
  /** Twice the area to the left of a line, and a point. */
  const side = (i: number, x: number, y: number) => {
    const [ax, ay] = points[i] as readonly [number, number]
    const [bx, by] = points[(i + 1) % points.length] as readonly [number, number]
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax)
  }
  if (points.length > maxPoints) return { box: nowhere }
  const signs = new Set<number>()
  for (let i = 0; i < points.length; i++) {
    for (const [x, y] of points) {
      const area = side(i, x, y)
      if (Number.isNaN(area)) return { box: nowhere }
      if (Math.abs(area) > 1e-3) signs.add(Math.sign(area))
    }
  }
  if (signs.size !== 1) return { box: nowhere } // a line, or not convex
  const [sign = 1] = signs
  const xs = points.map(([x]) => x)
  const ys = points.map(([, y]) => y)
  return {
    box: {
      left: Math.min(...xs),
      right: Math.max(...xs),
      top: Math.min(...ys),
      bottom: Math.max(...ys),
    },
    shape: (x, y) => points.every((_, i) => side(i, x, y) * sign >= 0),
  }
}
