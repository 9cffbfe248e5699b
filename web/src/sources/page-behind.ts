/**
 * Backgrounds of text: letters in the colour of their background are hidden. The background is that of the
 * elements around the text, or of a box or picture under it.
 */

import { type Colour, colourOf, distance, over, white } from './page-colours.ts'
import { childrenOf, isElement, rectOf, rootElement, tagOf } from './page-dom.ts'
import type { Place } from './page-place.ts'

/** The least contrast of letters and background, from 0 to 1. */
const leastContrast = 0.08

/** The canvas of a page with a dark `color-scheme`, in current browsers. */
const dark: Colour = [0.1, 0.1, 0.1, 1]

const pictures = new Set(['img', 'video', 'canvas', 'image', 'iframe', 'object', 'embed'])

/** Parts of drawings that are filled. */
const shapes = new Set(['rect', 'circle', 'ellipse', 'path', 'polygon'])

/** How many levels above a text the parent of the box under it may be. */
const maxAbove = 5 // elements

/** The most boxes that are examined for all texts in the colour of their background; each costs microseconds. */
const maxBoxes = 5_000

interface Boxes {
  left: number
}

/** The backgrounds of places, cached. The page must not change meanwhile. */
export interface Backgrounds {
  /** Whether letters of that colour have enough contrast to the background of a place. */
  differ(letters: Colour, place: Place): boolean
  /** Whether the background of an ancestor covers a place that is painted below it. */
  covers(place: Place): boolean
}

export function backgrounds(): Backgrounds {
  const known = new Map<Place, Colour | undefined>()
  const boxes: Boxes = { left: maxBoxes }
  let canvas: Colour | undefined

  /** Without pictures; undefined: not known. */
  const behind = (place: Place | undefined): Colour | undefined => {
    if (place === undefined) {
      canvas ??= canvasColour()
      return canvas
    }
    if (!known.has(place)) known.set(place, find(place))
    return known.get(place)
  }

  const find = (place: Place): Colour | undefined => {
    const own = colourOf(place.style.backgroundColor)
    if (own === undefined || own[3] === 1) return own
    const below = behind(place.within)
    return below === undefined || own[3] === 0 ? below : over(own, below)
  }

  /** Whether a picture is above the colour behind a place. */
  const isOnPicture = (place: Place): boolean => {
    for (let at: Place | undefined = place; at !== undefined; at = at.within) {
      const { backgroundColor, backgroundImage, backgroundClip } = at.style
      if (backgroundImage !== 'none' && !backgroundClip.includes('text')) return true
      if (colourOf(backgroundColor)?.[3] === 1) return false
    }
    return false
  }

  const isLike = (letters: Colour, background: Colour) =>
    letters[3] * distance(letters, background) < leastContrast

  return {
    differ(letters, place) {
      const background = behind(place)
      if (background === undefined || !isLike(letters, background) || isOnPicture(place))
        return true
      return liesOnOther(place, (colour) => !isLike(letters, colour), boxes)
    },
    covers(place) {
      for (let at = place.within; at !== undefined; at = at.within) {
        const tag = tagOf(at.element)
        if (tag === 'html') return false // it is that of the canvas
        if (tag === 'body' && at.within && !paints(at.within.style)) return false // so is this
        if (paints(at.style)) return true
        const { position, zIndex, transform, opacity, isolation } = at.style
        if (zIndex !== 'auto' && position !== 'static') return false // its layers are above its background
        if (transform !== 'none' || opacity !== '1' || isolation === 'isolate') return false
      }
      return false
    },
  }
}

function paints({ backgroundColor, backgroundImage }: CSSStyleDeclaration): boolean {
  return backgroundImage !== 'none' || colourOf(backgroundColor)?.[3] !== 0
}

/** Without any background: white, or dark where the page says that it has a dark scheme. */
function canvasColour(): Colour {
  const scheme = getComputedStyle(rootElement()).colorScheme ?? ''
  const isDark =
    scheme.includes('dark') &&
    (!scheme.includes('light') || matchMedia('(prefers-color-scheme: dark)').matches)
  return isDark ? dark : white
}

/**
 * Whether a picture, or a box of another colour, that is not around the text lies under the middle of it: beside what
 * contains it, or made by `::before` and `::after` of that.
 */
function liesOnOther(place: Place, differs: (colour: Colour) => boolean, boxes: Boxes): boolean {
  const { left, right, top, bottom } = rectOf(place.element)
  const x = (left + right) / 2
  const y = (top + bottom) / 2

  const isOther = (element: Element): boolean => {
    if (boxes.left-- <= 0) return false
    const box = rectOf(element)
    const isUnder = x >= box.left && x <= box.right && y >= box.top && y <= box.bottom
    const style = getComputedStyle(element)
    // A picture is larger than the line that it stands in.
    if (!isUnder && style.display !== 'inline' && style.display !== 'contents') return false
    if (Number.parseFloat(style.opacity) < 0.5) return false
    if (isUnder && style.visibility === 'visible') {
      if (pictures.has(tagOf(element)) || isPainted(style, differs)) return true
      if (shapes.has(tagOf(element)) && differsFrom(style.fill, differs)) return true
    }
    for (const child of childrenOf(element)) if (isElement(child) && isOther(child)) return true
    return false
  }

  let inner: Element | undefined
  let at: Place | undefined = place
  for (let far = 0; at !== undefined && far <= maxAbove; far++, at = at.within) {
    for (const pseudo of ['::before', '::after']) {
      if (boxes.left-- <= 0) return false
      const style = getComputedStyle(at.element, pseudo)
      const isThere = style.content !== 'none' && style.content !== 'normal'
      if (isThere && style.position === 'absolute' && isPainted(style, differs)) return true
    }
    if (inner !== undefined) {
      for (const child of childrenOf(at.element)) {
        if (child !== inner && isElement(child) && isOther(child)) return true
      }
    }
    inner = at.element
  }
  return false
}

function isPainted(style: CSSStyleDeclaration, differs: (colour: Colour) => boolean): boolean {
  return style.backgroundImage !== 'none' || differsFrom(style.backgroundColor, differs)
}

/** What is not known, such as a gradient, differs. */
function differsFrom(text: string, differs: (colour: Colour) => boolean): boolean {
  if (text === 'none') return false
  const colour = colourOf(text)
  return colour === undefined || (colour[3] > 0.5 && differs(colour))
}
