/**
 * Decides which text of a page a user can see. Hidden text may contain planted instructions to models, or
 * private data. In doubt, text counts as hidden.
 *
 * Hidden are, with their descendants where that applies:
 * - elements that browsers do not render: `display: none`, `content-visibility: hidden`, closed `details`,
 *   `visibility` other than visible, and `checkVisibility`
 * - nearly transparent text: `opacity`, alpha of a colour, filters; any blur, mask, blend mode or filter that is not
 *   known to leave text readable
 * - letters in the colour of their background, or covered by the background of an element around them
 * - letters below 4 pixels, by font size, zoom or transforms; on each other; seen from behind or the edge
 * - clipped text: `overflow`, `contain`, `clip`, `clip-path` (words whose middle is outside), collapsed rows and
 *   columns, and a `clip-path` that is no box, ellipse or convex polygon
 * - text outside of the scrollable area, or a pixel or less in size
 * - `aria-hidden`; `-webkit-text-security`; drafts ({@link isDraft})
 *
 * Not recognized: text that another element covers, fonts without shapes, `::first-line` and `::first-letter`,
 * letters on a picture of their colour, and a box without height whose `content-visibility: auto` is outside of the window.
 */

import { type Backgrounds, backgrounds } from './page-behind.ts'
import {
  type Box,
  documentBox,
  everywhere,
  intersection,
  isInside,
  isSeen,
  overflowBox,
  windowBox,
} from './page-boxes.ts'
import { type Cut, clipCut, clipPathCut, type Shape } from './page-clip.ts'
import { type Colour, colourOf } from './page-colours.ts'
import {
  attribute,
  childrenOf,
  dataOf,
  isAriaHidden,
  isDraft,
  isElement,
  ofDocument,
  parentOf,
  rectOf,
  rootElement,
  tagOf,
} from './page-dom.ts'
import type { Place } from './page-place.ts'
import { containsPaint, holdsFixed, isReadable, leftByFilter, turnOf } from './page-style.ts'

/**
 * Elements whose content is not displayed as text: programs, other documents, values of fields, parts of drawings that
 * are used elsewhere or, in `switch`, by language.
 */
const never = new Set(
  'script style noscript template iframe frame frameset noframes noembed object embed applet canvas audio video select datalist optgroup option textarea input head title meta link base param source track area metadata desc defs symbol pattern marker mask clipPath filter linearGradient radialGradient switch annotation annotation-xml mphantom progress meter rp'.split(
    ' ',
  ),
)

/** The lowest readable opacity, of letters with all their ancestors. */
const leastOpacity = 0.08

/** The share of the height of a line that has to be visible. */
const leastOfLine = 1 / 3

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
  const view = windowBox()
  const isDraftAll = ofDocument<string>('designMode') === 'on'
  const behind = backgrounds()
  let omitted = false
  const range = Document.prototype.createRange.call(document)

  function enter(element: Element, within: Place | undefined): Place | undefined {
    const tag = tagOf(element)
    if (never.has(tag) || isDraftAll || isDraft(element)) return undefined
    if (isAriaHidden(element)) return undefined
    if (attribute(element, 'data-mcp-private') !== undefined) {
      omitted ||= getComputedStyle(element).display !== 'none'
      return undefined
    }
    if (within !== undefined && isClosed(within.element) && element !== summaryOf(within.element)) {
      return undefined
    }
    const style = getComputedStyle(element)
    const { display } = style
    if (display === 'none' || display === '') return undefined // '': it is in no slot
    const { scale = 1, facing = 1, shapes = [], cut = everywhere } = within ?? {}
    const around = { element, style, display, within, opacity: within?.opacity ?? 1, shapes, cut }
    if (display === 'contents') return { ...around, flow: within?.flow ?? whole, scale, facing }

    const inline = display === 'inline' // most properties below do not apply to it, and each costs a microsecond
    const contentVisibility = inline ? 'visible' : style.contentVisibility
    if (contentVisibility === 'hidden') return undefined
    const { position, filter, maskImage } = style
    const opacity = around.opacity * Number.parseFloat(style.opacity) * leftByFilter(filter)
    if (opacity < leastOpacity) return undefined
    if (maskImage !== undefined && maskImage !== 'none') return undefined
    if (style.mixBlendMode !== 'normal') return undefined
    const positioned = position === 'absolute' || position === 'fixed'

    let flow = within?.flow ?? whole
    if (positioned) flow = holderOf(within, position)
    const cuts = cutsOf(element, style, positioned)
    let left = cut
    for (const { box } of cuts) left = intersection(left, box)
    if (cuts.length > 0 && !isSeen(left)) return undefined
    flow = intersection(flow, left)

    // The overflow of the root, or else of the body, is the window's: see documentBox.
    const root = within === undefined || (tag === 'body' && within.style.overflow === 'visible')
    if (!root && !inline) {
      if (style.overflow !== 'visible') {
        flow = overflowBox(element, style, flow)
      } else if (containsPaint(style.contain, contentVisibility)) {
        if (contentVisibility !== 'auto' || !isPutOff(element)) {
          flow = intersection(flow, rectOf(element))
        }
      }
    }
    if (tag === 'foreignObject') flow = intersection(flow, rectOf(element))
    if (display === 'table-cell') {
      const cell = rectOf(element) // of a collapsed column it has no width, and its text has one
      if (cell.right - cell.left <= 1) return undefined
    }
    if (position !== 'static' && style.zIndex.startsWith('-')) {
      if (behind.covers({ ...around, opacity, flow, scale, facing })) return undefined
    }
    const turn = inline ? undefined : turnOf(style)
    let front = turn?.facing ?? 1
    if (facing < 0 && within?.style.transformStyle === 'preserve-3d') front = front < 0 ? 1 : -1
    if (front < 0 && style.backfaceVisibility === 'hidden') return undefined
    const size = scale * (turn?.scale ?? 1)
    const all = cuts.flatMap(({ shape }) => shape ?? [])
    return {
      ...around,
      opacity,
      flow,
      cut: left,
      shapes: all.length > 0 ? [...shapes, ...all] : shapes,
      scale: size,
      facing: front,
    }
  }

  /** The visible area of positioned content: clipped by its containing block and the ancestors of that. */
  function holderOf(within: Place | undefined, position: string): Box {
    for (let at = within; at !== undefined; at = at.within) {
      const { style, display } = at
      if (display === 'contents' || at.within === undefined) continue
      if (position === 'absolute' && style.position !== 'static') return at.flow
      if (display !== 'inline' && holdsFixed(style)) return at.flow
    }
    return position === 'fixed' ? view : whole
  }

  /** A box with `content-visibility: auto` may have no size while it is outside of the window. */
  function isPutOff(element: Element): boolean {
    const { top, bottom } = rectOf(element)
    return bottom < view.top || top > view.bottom
  }

  function find(element: Element): Place | undefined {
    const parent = parentOf(element)
    if (parent === undefined)
      return element === rootElement() ? enter(element, undefined) : undefined
    const within = find(parent)
    return within && enter(element, within)
  }

  function text(node: Text, within: Place, from = 0, to = Number.POSITIVE_INFINITY): string {
    const data = dataOf(node)
    const end = Math.min(to, data.length)
    const part = data.slice(from, end)
    if (part === '' || !/\S/.test(part)) return part
    within.shows ??= showsText(within, behind)
    return within.shows ? seenPart(node, part, from, end, within) : ''
  }

  function seenPart(node: Text, part: string, from: number, end: number, within: Place): string {
    const { flow, shapes, style } = within
    range.setStart(node, from)
    range.setEnd(node, end)
    const around = range.getBoundingClientRect()
    if (!isSeen(intersection(around, flow))) return ''
    if (isInside(around, flow) && shapes.every((has) => isWithinShape(around, has))) return part
    // Partly clipped: checked word by word. Blanks between visible words stay.
    const upright = style.writingMode.startsWith('vertical')
    const isWordSeen = (rect: Box) => {
      const seen = intersection(rect, flow)
      if (!isSeen(seen)) return false
      const line = upright ? rect.right - rect.left : rect.bottom - rect.top
      const left = upright ? seen.right - seen.left : seen.bottom - seen.top
      if (left < line * leastOfLine) return false
      return shapes.every((has) => has((rect.left + rect.right) / 2, (rect.top + rect.bottom) / 2))
    }
    return part.replace(/\S+/g, (word, at: number) => {
      range.setStart(node, from + at)
      range.setEnd(node, from + at + word.length)
      return [...range.getClientRects()].some(isWordSeen) ? word : ''
    })
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

function isClosed(element: Element): boolean {
  return tagOf(element) === 'details' && attribute(element, 'open') === undefined
}

/** The `summary` of a closed `details`: the first one. */
function summaryOf(details: Element): Element | undefined {
  for (const child of childrenOf(details)) {
    if (isElement(child) && tagOf(child) === 'summary') return child
  }
  return undefined
}

function cutsOf(element: Element, style: CSSStyleDeclaration, positioned: boolean): Cut[] {
  const cuts: Cut[] = []
  const clip = positioned ? clipCut(element, style.clip) : undefined
  const path = clipPathCut(element, style.clipPath)
  if (clip) cuts.push(clip)
  if (path) cuts.push(path)
  return cuts
}

/** All corners: shapes are convex. */
function isWithinShape({ left, right, top, bottom }: Box, has: Shape): boolean {
  return has(left, top) && has(right, top) && has(left, bottom) && has(right, bottom)
}

/** Whether the style lets the text of an element be seen. */
function showsText(place: Place, behind: Backgrounds): boolean {
  const { element, style, display, opacity } = place
  if (isClosed(element) || style.visibility !== 'visible') return false
  if (display !== 'contents' && !Element.prototype.checkVisibility.call(element, checked)) {
    return false
  }
  const { webkitTextSecurity, webkitUserModify } = style as CSSStyleDeclaration & {
    webkitTextSecurity?: string
    webkitUserModify?: string
  }
  if (webkitTextSecurity !== undefined && webkitTextSecurity !== 'none') return false
  if (webkitUserModify !== undefined && webkitUserModify !== 'read-only') return false
  if (!isReadable(style, place.scale * zoomOf(element))) return false
  const letters = lettersOf(element, style)
  if (letters === undefined) return false
  const [red, green, blue, alpha] = letters
  if (alpha * opacity >= leastOpacity) {
    return behind.differ([red, green, blue, alpha * opacity], place)
  }
  // Transparent letters that show a background: of the element, or of an ancestor.
  let at: Place | undefined = place
  for (let far = 0; at && far < maxAbove; far++, at = at.within) {
    const { backgroundClip, backgroundImage } = at.style
    if (backgroundClip.includes('text') && backgroundImage !== 'none') return true
  }
  return false
}

const checked = { opacityProperty: true, visibilityProperty: true }

/** How many levels above a text its background may be. */
const maxAbove = 4 // elements

/** The colour of letters; `undefined`: none, or an unknown paint. */
function lettersOf(element: Element, style: CSSStyleDeclaration): Colour | undefined {
  if (!(element instanceof SVGElement)) return colourOf(style.webkitTextFillColor || style.color)
  const [red, green, blue, alpha] = colourOf(style.fill) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  return [red, green, blue, (alpha ?? 1) * Number.parseFloat(style.fillOpacity)]
}

/** `zoom` of an element with all around it, and the scale of the drawing that it is in. */
function zoomOf(element: Element): number {
  if (element instanceof SVGGraphicsElement) {
    const drawn = SVGGraphicsElement.prototype.getScreenCTM.call(element)
    return drawn === null ? 0 : Math.min(Math.hypot(drawn.a, drawn.b), Math.hypot(drawn.c, drawn.d))
  }
  return (Reflect.get(Element.prototype, 'currentCSSZoom', element) as number | undefined) ?? 1
}
