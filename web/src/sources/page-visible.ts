/**
 * What of a page a user can see. Text that is hidden is where instructions to models are planted, and
 * where pages keep what is nobody's business; so what is in doubt counts as hidden.
 *
 * Hidden is: `display: none`, `visibility` other than visible, an opacity of next to nothing (with
 * that of all ancestors, and of filters), `content-visibility: hidden`, closed `details`, transparent
 * text, what is clipped away (overflow, `clip`, `clip-path`, by words), what lies where nobody can
 * scroll to, what is a pixel or less in size, `aria-hidden`. Not recognized: text in the colour of
 * what is behind it, or covered by something else, and what masks and backfaces hide.
 */

import {
  type Box,
  clipBox,
  clipPathBox,
  documentBox,
  intersection,
  isInside,
  isSeen,
  overflowBox,
  windowBox,
} from './page-boxes.ts'
import { attribute, dataOf, parentOf, rootElement, tagOf } from './page-dom.ts'

/** What a descendant needs to know of where it is. */
export interface Place {
  readonly element: Element
  readonly style: CSSStyleDeclaration
  /** `display`; `contents` has no box. */
  readonly display: string
  readonly opacity: number
  /** What can be seen of content in the flow, of `position: absolute`, and of `fixed`. */
  readonly flow: Box
  readonly absolute: Box
  readonly fixed: Box
  /** Whether text right here can be seen; found out when it is asked for. */
  shows?: boolean
}

/** Elements whose content is no text that is read: programs, other documents, values of fields. */
const never = new Set(
  'script style noscript template iframe frame frameset noframes object embed applet canvas audio video select datalist optgroup option textarea input head title meta link base param source track area metadata desc defs symbol annotation annotation-xml progress meter'.split(
    ' ',
  ),
)

/** An opacity at which nobody reads anything. */
const leastOpacity = 0.02

/** Decides about one state of the page: nothing may change while it is used. */
export interface Eyes {
  /** Whether something private was met, that a user sees and a reader does not. */
  readonly omitted: boolean
  /** Where an element is within its parent; undefined: neither it nor anything in it can be seen. */
  enter(element: Element, within: Place | undefined): Place | undefined
  /** The same, looking at all that contains it first. */
  find(element: Element): Place | undefined
  /** What can be seen of a text: the text, a part of it, or ''. */
  text(text: Text, within: Place, from?: number, to?: number): string
}

export function eyes(): Eyes {
  const whole = documentBox()
  const view = windowBox()
  let omitted = false
  const range = Document.prototype.createRange.call(document)

  function enter(element: Element, within: Place | undefined): Place | undefined {
    const tag = tagOf(element)
    if (never.has(tag) || attribute(element, 'aria-hidden') === 'true') return undefined
    if (attribute(element, 'data-mcp-private') !== undefined) {
      omitted ||= getComputedStyle(element).display !== 'none'
      return undefined
    }
    if (within !== undefined && tagOf(within.element) === 'details' && tag !== 'summary') {
      if (attribute(within.element, 'open') === undefined) return undefined
    }
    const style = getComputedStyle(element)
    const { display } = style
    if (display === 'none' || display === '') return undefined // '': it is in no slot
    const { flow = whole, absolute = whole, fixed = view } = within ?? {}
    if (display === 'contents') {
      return { element, style, display, opacity: within?.opacity ?? 1, flow, absolute, fixed }
    }
    const inline = display === 'inline' // most properties below do not apply to it, and each costs a microsecond
    if (!inline && style.contentVisibility === 'hidden') return undefined
    const { filter, position } = style
    const transform = inline ? 'none' : style.transform
    let opacity = (within?.opacity ?? 1) * Number.parseFloat(style.opacity)
    const faded = filter === 'none' ? null : /opacity\(([\d.]+)(%?)\)/.exec(filter)
    if (faded) opacity *= Number.parseFloat(faded[1] ?? '1') / (faded[2] ? 100 : 1)
    if (opacity < leastOpacity) return undefined

    // The overflow of the root, or else of the body, is the window's: see documentBox.
    const root = within === undefined || (tag === 'body' && within.style.overflow === 'visible')
    let boxes = { flow, absolute, fixed }
    if (position === 'absolute') boxes.flow = absolute
    else if (position === 'fixed') boxes.flow = fixed
    const cuts = [
      position === 'absolute' || position === 'fixed' ? clipBox(element, style.clip) : undefined,
      style.clipPath === 'none' ? undefined : clipPathBox(element, style.clipPath),
    ]
    for (const cut of cuts) {
      if (cut === undefined) continue
      boxes = {
        flow: intersection(boxes.flow, cut),
        absolute: intersection(absolute, cut),
        fixed: intersection(fixed, cut),
      }
      if (!isSeen(boxes.flow)) return undefined
    }
    if (!root && !inline && style.overflow !== 'visible') {
      boxes.flow = overflowBox(element, style, boxes.flow)
    }
    if (position !== 'static') boxes.absolute = boxes.flow
    if (transform !== 'none' || filter !== 'none') {
      boxes.absolute = boxes.flow // it contains what is positioned in it
      boxes.fixed = boxes.flow
    }
    return { element, style, display, opacity, ...boxes }
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
    within.shows ??= showsText(within)
    return within.shows ? seenPart(node, part, from, end, within.flow) : ''
  }

  function seenPart(node: Text, part: string, from: number, end: number, flow: Box): string {
    range.setStart(node, from)
    range.setEnd(node, end)
    const around = range.getBoundingClientRect()
    if (!isSeen(intersection(around, flow))) return ''
    if (isInside(around, flow)) return part
    // Some of it is cut off: word by word. Between two words that are seen, so are the blanks.
    return part.replace(/\S+/g, (word, at: number) => {
      range.setStart(node, from + at)
      range.setEnd(node, from + at + word.length)
      return [...range.getClientRects()].some((rect) => isSeen(intersection(rect, flow)))
        ? word
        : ''
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

/** Whether the style lets the text of an element be seen. */
function showsText({ element, style }: Place): boolean {
  if (tagOf(element) === 'details' && attribute(element, 'open') === undefined) return false
  if (style.visibility !== 'visible') return false
  if (!isTransparent(style.webkitTextFillColor || style.color)) return true
  // Transparent letters through which a background shows: that of the element, or of one around it.
  for (let at: Element | undefined = element, far = 0; at && far < maxAbove; far++) {
    const { backgroundClip, backgroundImage } = getComputedStyle(at)
    if (backgroundClip.includes('text') && backgroundImage !== 'none') return true
    at = parentOf(at)
  }
  return false
}

/** How far above a text its background may be. */
const maxAbove = 4 // elements

/** `rgba(…, 0)`, or any other colour with an alpha of next to nothing. */
function isTransparent(colour: string): boolean {
  const alpha = /^rgba\(.*,\s*([\d.]+)\)$/.exec(colour)?.[1] ?? /\/\s*([\d.]+)\)$/.exec(colour)?.[1]
  return alpha !== undefined && Number.parseFloat(alpha) < leastOpacity
}
