/**
 * Decides which text of a page a user can see. Hidden text may contain planted instructions to models, or private data.
 *
 * Hidden are, with their descendants where that applies: what browsers do not render (`checkVisibility`, closed `details`),
 * `aria-hidden`, drafts ({@link isDraft}); nearly transparent, blurred and masked text; letters below 4 pixels, on each other,
 * or in the colour of their background; text that is clipped, off the screen or a pixel in size. web/docs/security.md names
 * what is not recognized.
 */

import {
  attribute,
  childrenOf,
  contains,
  dataOf,
  isAriaHidden,
  isDraft,
  isElement,
  parentOf,
  propertyOf,
  rectOf,
  rootElement,
  tagOf,
} from './page-dom.ts'

/** Programs, other documents, values of fields, and parts of drawings that are used elsewhere. */
const never = new Set(
  'script style noscript template iframe frame frameset noframes noembed object embed applet canvas audio video select datalist optgroup option textarea input head title meta link base param source track area metadata desc defs symbol pattern marker mask clipPath filter linearGradient radialGradient switch annotation annotation-xml mphantom progress meter rp'.split(
    ' ',
  ),
)

const leastOpacity = 0.08
const leastContrast = 20 // of a channel, from 0 to 255
const leastLetter = 4 // CSS pixels
/** Text further right counts as unreachable. */
const farRight = 5000 // CSS pixels

/** In CSS pixels of the viewport at its present scroll position. */
interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** Whether text is visible: all of it, what its own place lets be seen, or none. */
type Shown = 'all' | 'some' | 'none'

/** What the visibility of the descendants of an element depends on. */
export interface Place {
  readonly element: Element
  readonly style: CSSStyleDeclaration
  /** `contents` has no box. */
  readonly display: string
  /** The place of its parent. */
  readonly within: Place | undefined
  readonly opacity: number
  /** The visible area of its content. */
  readonly flow: Box
  /** The colour behind it, by its box and its text; computed on demand. */
  behind?: string
  fits?: Shown
  shows?: Shown
}

/** Reads the visibility in one state of the page, which must not change meanwhile. */
export interface VisibilityReader {
  /** Whether visible private content was left out. */
  readonly omitted: boolean
  /** The place of an element within its parent; `undefined`: the element and its descendants are hidden. */
  enter(element: Element, within: Place | undefined): Place | undefined
  /** The same, by its ancestors from the root on. */
  find(element: Element): Place | undefined
  /** The visible part of a text: all, a part of it, or ''. */
  text(text: Text, within: Place, from?: number, to?: number): string
}

export function visibilityReader(): VisibilityReader {
  const whole = documentBox()
  const canvas = canvasColour()
  const alike = new Map<string, boolean>() // by two colours
  const range = Document.prototype.createRange.call(document)
  let boxes = 5000 // that are examined for letters in the colour of what is around them
  let omitted = false

  function enter(element: Element, within: Place | undefined): Place | undefined {
    const tag = tagOf(element)
    if (never.has(tag) || isDraft(element) || isAriaHidden(element)) return undefined
    if (attribute(element, 'data-mcp-private') !== undefined) {
      omitted ||= getComputedStyle(element).display !== 'none'
      return undefined
    }
    if (within && isClosed(within.element) && element !== summaryOf(within.element))
      return undefined
    const style = getComputedStyle(element) // each property costs a fraction of a microsecond
    const { display } = style
    if (display === 'none' || display === '') return undefined // '': it is in no slot
    const place = {
      element,
      style,
      display,
      within,
      opacity: within?.opacity ?? 1,
      flow: within?.flow ?? whole,
    }
    if (display === 'contents') return place
    const { opacity, filter, clipPath, maskImage } = style
    if (opacity !== '1') place.opacity *= Number.parseFloat(opacity)
    if (filter !== 'none' && !harmlessFilters.test(filter)) return undefined
    if (place.opacity < leastOpacity || (maskImage || 'none') !== 'none') return undefined
    if (clipPath !== 'none' && !leavesMost(clipPath)) return undefined
    if (display === 'inline' && !(element instanceof SVGElement)) return place
    const { position, contain } = style
    if (position === 'absolute' || position === 'fixed') {
      if (style.clip !== 'auto') return undefined
      place.flow = holderOf(within, position)
    }
    // The overflow of the root, or else of the body, is the window's: see documentBox.
    const isRoot = !within || (tag === 'body' && within.style.overflow === 'visible')
    if (!isRoot && (style.overflowX !== 'visible' || style.overflowY !== 'visible')) {
      place.flow = overflowBox(element, style, place.flow)
    } else if (
      tag === 'foreignObject' ||
      (contain !== 'none' && /paint|strict|content/.test(contain))
    ) {
      place.flow = intersection(place.flow, rectOf(element))
    }
    // The text of a collapsed column has a width, and its cell has none.
    return display === 'table-cell' && propertyOf(element, 'clientWidth') <= 1 ? undefined : place
  }

  /** The visible area of positioned content: that of the element that contains it. */
  function holderOf(within: Place | undefined, position: string): Box {
    for (let at = within; at?.within; at = at.within) {
      if (at.display === 'contents') continue
      if (position === 'absolute' && at.style.position !== 'static') return at.flow
      if (at.display !== 'inline' && holdsFixed(at.style)) return at.flow
    }
    return whole
  }

  function find(element: Element): Place | undefined {
    const parent = parentOf(element)
    if (!parent) return element === rootElement() ? enter(element, undefined) : undefined
    const within = find(parent)
    return within && enter(element, within)
  }

  function text(node: Text, within: Place, from = 0, to = Number.POSITIVE_INFINITY): string {
    const data = dataOf(node)
    const part = data.slice(from, to)
    if (!/\S/.test(part)) return part
    within.shows ??= shownOf(within)
    if (within.shows !== 'some') return within.shows === 'all' ? part : ''
    const { flow, style } = within
    range.setStart(node, from)
    range.setEnd(node, Math.min(to, data.length))
    const around = range.getBoundingClientRect()
    if (!isSeen(intersection(around, flow))) return ''
    if (isInside(around, flow)) return part
    // Partly clipped: checked word by word, by a third of the height of the line. Blanks between visible words stay.
    const isUpright = style.writingMode.startsWith('vertical')
    const height = (box: Box) => (isUpright ? box.right - box.left : box.bottom - box.top)
    const isWordSeen = (rect: Box) => {
      const seen = intersection(rect, flow)
      return isSeen(seen) && height(seen) >= height(rect) / 3
    }
    return part.replace(/\S+/g, (word, at: number) => {
      range.setStart(node, from + at)
      range.setEnd(node, from + at + word.length)
      return [...range.getClientRects()].some(isWordSeen) ? word : ''
    })
  }

  /** By the element of a text. */
  function shownOf(place: Place): Shown {
    const { element, style, display } = place
    if (isClosed(element) || style.contentVisibility === 'hidden') return 'none'
    if (style.visibility !== 'visible') return 'none'
    if (((style as { webkitTextSecurity?: string }).webkitTextSecurity ?? 'none') !== 'none')
      return 'none'
    const { letterSpacing } = style
    const size = Number.parseFloat(style.fontSize)
    if (letterSpacing !== 'normal' && Number.parseFloat(letterSpacing) < -size / 3) return 'none'
    let block = place
    const isFlowing = ({ element, display }: Place) =>
      /^(?:inline|contents)$/.test(display) && !(element instanceof SVGElement)
    while (block.within && isFlowing(block)) block = block.within
    const scale = zoomOf(element)
    if (!(size * scale >= leastLetter) || !hasContrast(place)) return 'none'
    block.fits ??= fitsOf(block)
    if (block.fits !== 'all' || style.textIndent !== '0px')
      return block.fits === 'none' ? 'none' : 'some'
    if (display !== 'inline') return 'all'
    return style.position === 'static' && !style.marginLeft.startsWith('-') ? 'all' : 'some'
  }

  /** By the box of a block. Reading it costs as much as ten properties, so it is read once for all texts in the block. */
  function fitsOf({ element, flow, display }: Place): Shown {
    if (display === 'contents') return 'some'
    if (!Element.prototype.checkVisibility.call(element)) return 'none'
    if (element instanceof SVGElement) return 'some'
    const own = rectOf(element)
    const height = own.bottom - own.top
    if (height > 0 && height < leastLetter) return 'none' // scaled, or turned to its edge
    return flow === whole && isSeen(own) && isInside(own, flow) ? 'all' : 'some'
  }

  /** Whether letters differ from what is behind them, as far as colours say. */
  function hasContrast(place: Place): boolean {
    const { element, style } = place
    const isDrawn = element instanceof SVGElement
    const paint = isDrawn ? style.fill : style.webkitTextFillColor || style.color
    if (isDrawn && !/^[a-z]+\(.*\d\)$/.test(paint)) return false // none, or an unknown paint
    const alpha =
      alphaOf(paint) * place.opacity * (isDrawn ? Number.parseFloat(style.fillOpacity) : 1)
    if (alpha < leastOpacity) return isOnPicture(place, true)
    if (isDrawn) return true // its background is a drawing, too
    const differs = (colour: string) => alphaOf(colour) > 0.5 && !isLike(paint, colour)
    return differs(behindOf(place)) || isOnPicture(place, false) || liesOnOther(place, differs)
  }

  function isLike(one: string, other: string): boolean {
    const key = `${one} ${other}`
    const known = alike.get(key) ?? areAlike(one, other)
    alike.set(key, known)
    return known
  }

  function behindOf(place: Place | undefined): string {
    if (place === undefined) return canvas
    if (place.behind === undefined) {
      const { backgroundColor } = place.style
      place.behind = alphaOf(backgroundColor) > 0.5 ? backgroundColor : behindOf(place.within)
    }
    return place.behind
  }

  /** Whether a picture or a box of another colour, which is not around the text, lies under the middle of it. */
  function liesOnOther({ element, within }: Place, differs: (colour: string) => boolean): boolean {
    const { left, right, top, bottom } = rectOf(element)
    const x = (left + right) / 2
    const y = (top + bottom) / 2
    const paints = ({ backgroundImage, backgroundColor }: CSSStyleDeclaration) =>
      backgroundImage !== 'none' || differs(backgroundColor)
    const options = { opacityProperty: true, visibilityProperty: true }
    const isOther = (other: Element) => {
      if (boxes-- <= 0 || contains(other, element)) return false
      const box = rectOf(other)
      if (!(x >= box.left && x <= box.right && y >= box.top && y <= box.bottom)) return false
      if (!Element.prototype.checkVisibility.call(other, options)) return false
      return /^(?:img|video|canvas)$/.test(tagOf(other)) || paints(getComputedStyle(other))
    }
    let at = within
    for (let far = 0; at && far < 5; far++, at = at.within) {
      for (const pseudo of ['::before', '::after']) {
        const style = getComputedStyle(at.element, pseudo)
        if (style.content !== 'none' && style.position === 'absolute' && paints(style)) return true
      }
      if ([...Element.prototype.querySelectorAll.call(at.element, '*')].some(isOther)) return true
    }
    return false
  }

  return {
    enter,
    find,
    text,
    get omitted() {
      return omitted
    },
  }
}

/** The area that can be scrolled to: the document, unless the page prevents scrolling. */
function documentBox(): Box {
  const root = rootElement()
  const { overflowX, overflowY, direction } = getComputedStyle(root)
  const isHeld = (overflow: string) => overflow === 'hidden' || overflow === 'clip'
  const shown = propertyOf(root, 'clientWidth')
  const width = isHeld(overflowX)
    ? shown
    : Math.min(propertyOf(root, 'scrollWidth'), shown + farRight)
  const height = propertyOf(root, isHeld(overflowY) ? 'clientHeight' : 'scrollHeight')
  const left = (direction === 'rtl' ? shown - width : 0) - scrollX
  return { left, right: left + width, top: -scrollY, bottom: height - scrollY }
}

/** The visible content of an element that clips its overflow: now, or after scrolling it. */
function overflowBox(
  element: Element,
  { overflowX, overflowY }: CSSStyleDeclaration,
  around: Box,
): Box {
  const own = rectOf(element)
  const cut = intersection(own, around)
  if (cut.right - cut.left < 6 || cut.bottom - cut.top < 6) return cut // too small for users to scroll it
  const { left: from, right } = overflowX === 'visible' ? around : cut
  const { top, bottom } = overflowY === 'visible' ? around : cut
  const box = { left: from, right, top, bottom }
  const [left, width, shown] = [
    propertyOf(element, 'scrollLeft'),
    propertyOf(element, 'scrollWidth'),
    propertyOf(element, 'clientWidth'),
  ]
  if (/auto|scroll/.test(overflowX)) {
    box.left = own.left - left - (left < 0 ? width - shown : 0) // from right to left, positions are negative
    box.right = box.left + Math.min(width, shown + farRight)
  }
  if (/auto|scroll/.test(overflowY)) {
    box.top = own.top - propertyOf(element, 'scrollTop')
    box.bottom = box.top + propertyOf(element, 'scrollHeight')
  }
  return box
}

const harmlessFilters =
  /^(?: ?(?:(?:grayscale|sepia|saturate|hue-rotate|drop-shadow)\((?:[^()]|\([^()]*\))*\)|invert\(1\)|blur\(0?\.\d+px\)|opacity\((?:0?\.[3-9]\d*|1)\)|(?:brightness|contrast)\((?:0?\.[5-9]\d*|1(?:\.\d+)?)\)))+$/

/** Small insets, and circles and ellipses around the middle. */
const harmlessClips =
  /^(?:[a-z]+-box|inset\((?:1?\d(?:\.\d+)?(?:px|%) ?)+(?:round [^()]*)?\)|(?:circle|ellipse)\((?:[4-9]\d(?:\.\d+)?% ?)+(?:at 50% 50%)?\))$/

/** Whether a `clip-path` is known to leave most of an element: a polygon has to have points near all corners. */
function leavesMost(path: string): boolean {
  if (harmlessClips.test(path)) return true
  const inside = /^polygon\(((?:0px|[\d.]+%|[, ])+)\)$/.exec(path)?.[1] ?? ''
  const points = inside.split(', ').map((point) => point.split(' ').map(Number.parseFloat))
  const near = (at: number | undefined, corner: number) => Math.abs((at ?? 50) - corner) <= 25
  return [0, 100].every((x) =>
    [0, 100].every((y) => points.some(([a, b]) => near(a, x) && near(b, y))),
  )
}

/** Whether an element is the containing block of `position: fixed` descendants. */
function holdsFixed(style: CSSStyleDeclaration): boolean {
  const { transform, filter, perspective, translate, rotate, scale, backdropFilter } = style
  const all = [transform, filter, perspective, translate, rotate, scale, backdropFilter]
  if (all.some((value) => (value || 'none') !== 'none')) return true
  return /layout|paint|strict|content|transform|filter|perspective/.test(
    `${style.contain} ${style.willChange}`,
  )
}

/** Whether a picture is behind a place; of transparent letters, one that they show. */
function isOnPicture(place: Place, throughLetters: boolean): boolean {
  for (let at: Place | undefined = place; at; at = at.within) {
    const { backgroundColor, backgroundImage, backgroundClip } = at.style
    if (backgroundImage !== 'none' && backgroundClip.includes('text') === throughLetters)
      return true
    if (!throughLetters && alphaOf(backgroundColor) > 0.5) return false
  }
  return false
}

function alphaOf(colour: string): number {
  if (colour.startsWith('rgb(')) return 1
  const alpha = /(?:,|\/) ([\d.]+|none)\)$/.exec(colour)?.[1]
  return alpha === undefined || /^[^r].*,/.test(colour) ? 1 : Number.parseFloat(alpha) || 0
}

/** Whether two computed colours look alike. Those of other spaces than sRGB are compared as texts. */
function areAlike(letters: string, background: string): boolean {
  const [one, other] = [letters, background].map((text) =>
    text.startsWith('rgb') ? text.match(/[\d.]+/g)?.map(Number) : undefined,
  )
  if (!one || !other) return letters === background
  const alpha = one[3] ?? 1
  return [0, 1, 2].every((i) => alpha * Math.abs((one[i] ?? 0) - (other[i] ?? 0)) < leastContrast)
}

/** Without any background: white, or dark where the page says that it has a dark scheme. */
function canvasColour(): string {
  const scheme = getComputedStyle(rootElement()).colorScheme ?? ''
  const isDark =
    scheme.includes('dark') &&
    (!scheme.includes('light') || matchMedia('(prefers-color-scheme: dark)').matches)
  return isDark ? 'rgb(26, 26, 26)' : 'rgb(255, 255, 255)'
}

/** `zoom` of an element with all around it, and the scale of the drawing that it is in. */
function zoomOf(element: Element): number {
  if (element instanceof SVGGraphicsElement) {
    const drawn = SVGGraphicsElement.prototype.getScreenCTM.call(element)
    return drawn === null ? 0 : Math.min(Math.hypot(drawn.a, drawn.b), Math.hypot(drawn.c, drawn.d))
  }
  return (Reflect.get(Element.prototype, 'currentCSSZoom', element) as number | undefined) ?? 1
}

function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
}

/** A pixel is used for screen readers. */
const isSeen = ({ left, top, right, bottom }: Box) => right - left > 1 && bottom - top > 1

const isInside = (inner: Box, outer: Box) =>
  inner.left >= outer.left - 1 &&
  inner.top >= outer.top - 1 &&
  inner.right <= outer.right + 1 &&
  inner.bottom <= outer.bottom + 1

const isClosed = (element: Element) =>
  tagOf(element) === 'details' && attribute(element, 'open') === undefined

/** The `summary` of a closed `details`: the first one. */
function summaryOf(details: Element): Element | undefined {
  for (const child of childrenOf(details)) {
    if (isElement(child) && tagOf(child) === 'summary') return child
  }
  return undefined
}
