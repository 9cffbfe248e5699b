/**
 * Decides which text of a page a user can see. Hidden text may contain planted instructions to models, or private data:
 * text that browsers do not render, that is `aria-hidden`, a draft ({@link isDraft}), clipped, off the screen, nearly
 * transparent, too small, or in the colour of its background. SECURITY.md names what is not recognized.
 */

import * as dom from './page-dom.ts'

/** Programs, other documents, values of fields, and parts of drawings that are used elsewhere. */
const never = new Set(
  'script style noscript template iframe frame frameset noframes noembed object embed applet canvas audio video select datalist optgroup option textarea input head title meta link base param source track area metadata desc defs symbol pattern marker mask clipPath filter linearGradient radialGradient switch annotation annotation-xml mphantom progress meter rp'.split(
    ' ',
  ),
)

const leastOpacity = 0.08
const leastContrast = 20 // of a channel, from 0 to 255
const leastLetter = 4 // CSS pixels
const farAside = 5000 // CSS pixels; text further aside counts as unreachable

/** In CSS pixels of the viewport at its present scroll position. */
type Box = Pick<DOMRectReadOnly, 'left' | 'top' | 'right' | 'bottom'>

/** Whether text is visible: all of it, some perhaps, or none. */
type Shown = 'all' | 'some' | 'none'

/** What the visibility of the descendants of an element depends on; `within` is the place of its parent. */
export interface Place {
  readonly element: Element
  readonly style: CSSStyleDeclaration
  readonly display: string
  readonly isInline: boolean // its lines are those of the block around it
  readonly within: Place | undefined
  readonly opacity: number
  /** The visible area of its content. */
  readonly flow: Box
  /** The colour behind it; computed on demand. */
  behind?: string
  /** Of a block: whether its lines are in the visible area. */
  fits?: Shown
  shows?: Shown
}

export type VisibilityReader = ReturnType<typeof visibilityReader>

/** Reads the visibility in one state of the page, which must not change meanwhile. */
export function visibilityReader() {
  const root = dom.rootElement()
  const { overflow: ofRoot, colorScheme } = getComputedStyle(root)
  const canvas = /dark/.test(colorScheme) ? 'unknown' : 'rgb(255, 255, 255)'
  const screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
  const scroller = dom.ofDocument<Element | null>('scrollingElement') ?? root
  const whole = areaOf(scroller, ofRoot.replaceAll('visible', 'auto'), screen, screen)
  const range = Document.prototype.createRange.call(document)
  let painted: Element[] | undefined
  const alike = new Map<string, boolean>() // by both colours
  let omitted = false

  /** The place of an element within its parent; `undefined`: the element and its descendants are hidden. */
  // Each property that is read costs a quarter of a microsecond, a colour twice and a rectangle five times that.
  function enter(element: Element, within: Place | undefined): Place | undefined {
    const tag = dom.tagOf(element)
    if (never.has(tag) || dom.isDraft(element) || dom.isAriaHidden(element)) return undefined
    const style = getComputedStyle(element)
    const { display } = style
    if (display === 'none' || display === '') return undefined // '': it is in no slot
    if (dom.attribute(element, 'data-mcp-private') !== undefined) {
      omitted = true
      return undefined
    }
    let opacity = within?.opacity ?? 1
    let flow = within?.flow ?? whole
    const isInline = /^(?:inline|contents)$/.test(display) && !(element instanceof SVGElement)
    if (display === 'contents') return { element, style, display, isInline, within, opacity, flow }
    const { opacity: own, filter, clipPath, maskImage } = style
    if (own !== '1') opacity *= Number.parseFloat(own)
    if (opacity < leastOpacity || (maskImage || 'none') !== 'none') return undefined
    if (filter !== 'none' && !harmlessFilters.test(filter)) return undefined
    if (clipPath !== 'none' && !harmlessClips.test(clipPath)) return undefined
    if (!isInline) {
      const { position, overflow, contain } = style
      if (position === 'absolute' || position === 'fixed') {
        if (style.clip !== 'auto') return undefined
        let holder = within
        while (holder?.style.position === 'static') holder = holder.within
        flow = position === 'fixed' ? screen : (holder?.flow ?? whole)
      }
      // The overflow of the root, or else of the body, is the window's.
      const isWindow = !within || (tag === 'body' && within.style.overflow === 'visible')
      if (overflow !== 'visible' && !isWindow) flow = areaOf(element, overflow, flow)
      else if (/paint|strict|content/.test(contain)) flow = intersection(flow, dom.rectOf(element))
    }
    return { element, style, display, isInline, within, opacity, flow }
  }

  /** The same, by its ancestors from the root on. */
  function find(element: Element): Place | undefined {
    const parent = dom.parentOf(element)
    const within = parent && find(parent)
    return within || element === root ? enter(element, within) : undefined
  }

  /** The visible part of a text: all, a part of it, or ''. */
  function text(node: Text, within: Place, from = 0, to = Number.POSITIVE_INFINITY): string {
    const part = dom.dataOf(node).slice(from, to)
    if (!/\S/.test(part)) return part
    within.shows ??= shownOf(within)
    if (within.shows !== 'some') return within.shows === 'all' ? part : ''
    range.setStart(node, from)
    range.setEnd(node, from + part.length)
    const around = range.getBoundingClientRect()
    if (isInside(around, within.flow) && heightOf(around) >= leastLetter) return part
    // Checked word by word: a third of the height of the line has to be seen. Blanks between visible words stay.
    const isWordSeen = (rect: Box) => {
      const seen = intersection(rect, within.flow)
      return isSeen(seen) && heightOf(seen) >= Math.max(heightOf(rect) / 3, leastLetter)
    }
    return part.replace(/\S+/g, (word, at: number) => {
      range.setStart(node, from + at)
      range.setEnd(node, from + at + word.length)
      return [...range.getClientRects()].some(isWordSeen) ? word : ''
    })
  }

  function shownOf(place: Place): Shown {
    const { element, style } = place
    let block = place
    while (block.within && block.isInline) block = block.within
    block.fits ??= fitsOf(block)
    const dots = Reflect.get(style, 'webkitTextSecurity') ?? 'none'
    if (block.fits === 'none' || style.visibility !== 'visible' || dots !== 'none') return 'none'
    const size = Number.parseFloat(style.fontSize)
    if (!(size >= leastLetter) || Number.parseFloat(style.letterSpacing) < -size / 3) return 'none'
    return element instanceof SVGElement || hasContrast(place) ? block.fits : 'none'
  }

  /** Whether the content of a block is in the visible area; measured once per block. */
  function fitsOf({ element, style, flow }: Place): Shown {
    if (style.contentVisibility === 'hidden' || !dom.isRendered(element)) return 'none'
    if (dom.matches(element, 'details:not([open])')) return 'none'
    range.selectNodeContents(element)
    const content = range.getBoundingClientRect()
    if (element instanceof SVGElement || heightOf(content) < leastLetter) return 'some'
    return isSeen(content) && isInside(content, flow) ? 'all' : 'some'
  }

  /** Whether letters differ from what is behind them, as far as colours say. */
  function hasContrast(place: Place): boolean {
    const paint = place.style.webkitTextFillColor
    const behind = behindOf(place)
    if (alphaOf(paint) * place.opacity < leastOpacity) return behind === 'letters'
    const both = paint + behind
    if (!alike.has(both)) alike.set(both, areAlike(paint, behind))
    return !alike.get(both) || liesOnOther(place.element, paint)
  }

  /** A colour; `picture`, or `letters` if letters show the picture. */
  function behindOf(place: Place | undefined): string {
    if (place === undefined) return canvas
    place.behind ??= paintOf(place.element, place.style) ?? behindOf(place.within)
    return place.behind
  }

  /** Whether a picture or a box of another colour, which is not around the text, lies under it. */
  function liesOnOther(element: Element, paint: string): boolean {
    painted ??= dom.all('*').filter((other) => paintOf(other, getComputedStyle(other)))
    const box = dom.rectOf(element)
    return painted.some(
      (other) =>
        isSeen(intersection(box, dom.rectOf(other))) &&
        !dom.contains(other, element) &&
        dom.isRendered(other, { opacityProperty: true, visibilityProperty: true }) &&
        !areAlike(paint, paintOf(other, getComputedStyle(other)) ?? ''),
    )
  }

  /** `omitted`: whether visible private content was left out. */
  return { enter, find, text, omitted: () => omitted }
}

/** The visible content of an element that clips its overflow: now, or after scrolling it. */
function areaOf(element: Element, overflow: string, around: Box, own: Box = dom.rectOf(element)) {
  const cut = intersection(own, around)
  if (cut.right - cut.left < 6 || heightOf(cut) < 6) return cut // too small for users to scroll it
  const [x = '', y = x] = overflow.split(' ')
  let { left, right } = x === 'visible' ? around : cut
  let { top, bottom } = y === 'visible' ? around : cut
  if (/auto|scroll/.test(x)) {
    const isReverse = getComputedStyle(element).direction === 'rtl'
    const scrolled = dom.propertyOf(element, 'scrollLeft')
    left = own.left - scrolled - (isReverse ? farAside : 0)
    right = own.right - scrolled + (isReverse ? 0 : farAside)
  }
  if (/auto|scroll/.test(y)) {
    top = own.top - dom.propertyOf(element, 'scrollTop')
    bottom = Number.POSITIVE_INFINITY
  }
  return { left, right, top, bottom }
}

const harmlessFilters =
  /^(?: ?(?:(?:grayscale|sepia|saturate|hue-rotate|drop-shadow)\((?:[^()]|\([^()]*\))*\)|invert\(1\)|blur\(0?\.\d+px\)|opacity\((?:0?\.[3-9]\d*|1)\)|(?:brightness|contrast)\((?:0?\.[5-9]\d*|1(?:\.\d+)?)\)))+$/

/** Small insets, circles and ellipses around the middle, and polygons of four points near the corners. */
const harmlessClips =
  /^(?:[a-z]+-box|inset\((?:1?\d(?:\.\d+)?(?:px|%) ?)+(?:round [^()]*)?\)|(?:circle|ellipse)\((?:[4-9]\d(?:\.\d+)?% ?)+(?:at 50% 50%)?\)|polygon\((?:0px|[12]?\d%) (?:0px|[12]?\d%), (?:[789]\d|100)% (?:0px|[12]?\d%), (?:[789]\d|100)% (?:[789]\d|100)%, (?:0px|[12]?\d%) (?:[789]\d|100)%\))$/

/** A picture or background that covers what is behind an element. */
function paintOf(element: Element, style: CSSStyleDeclaration): string | undefined {
  const { backgroundImage, backgroundColor } = style
  if (backgroundImage !== 'none')
    return style.backgroundClip.includes('text') ? 'letters' : 'picture'
  if (alphaOf(backgroundColor) > 0.5) return backgroundColor
  return /^(?:img|video|canvas)$/.test(dom.tagOf(element)) ? 'picture' : undefined
}

function alphaOf(colour: string): number {
  if (colour === 'rgba(0, 0, 0, 0)') return 0
  if (colour.startsWith('rgb(')) return 1
  const alpha = /(?:^rgba.*,|\/) ([\d.]+|none)\)$/.exec(colour)?.[1]
  return alpha === undefined ? 1 : Number.parseFloat(alpha) || 0
}

/** Whether two computed colours look alike. Those of other spaces than sRGB are compared as texts. */
function areAlike(letters: string, background: string): boolean {
  if (!letters.startsWith('rgb') || !background.startsWith('rgb')) return letters === background
  const numbers = (colour: string) => colour.match(/[\d.]+/g)?.map(Number) ?? []
  const [one, other] = [numbers(letters), numbers(background)]
  const difference = [0, 1, 2].map((i) => Math.abs((one[i] ?? 0) - (other[i] ?? 0)))
  return Math.max(...difference) * (one[3] ?? 1) < leastContrast
}

function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    top: Math.max(a.top, b.top),
    right: Math.min(a.right, b.right),
    bottom: Math.min(a.bottom, b.bottom),
  }
}

const heightOf = ({ top, bottom }: Box) => bottom - top

/** A pixel is used for screen readers. */
const isSeen = (box: Box) => box.right - box.left > 1 && heightOf(box) > 1

const isInside = (inner: Box, outer: Box) =>
  inner.left >= outer.left - 1 &&
  inner.top >= outer.top - 1 &&
  inner.right <= outer.right + 1 &&
  inner.bottom <= outer.bottom + 1
