/**
 * What can be read of the document: a file of its own in the package, loaded by the first read of `page`, and
 * of the text of a tab.
 *
 * No module with state may be imported here: index.js would have it, too.
 */

import { redacted } from '../redact.ts'
import { metaOf } from './page.ts'
import { whileUsed } from './wrap.ts'

/** The parts of a page. */
export type PagePart = 'text' | 'selection' | 'outline' | 'meta'

/** The content of a part; `lossy` has JSON Pointers to what is left out of it, `''` for the whole. */
interface PartContent {
  text: string
  lossy: string[]
}

/** Reads a part. Rejects with the reason of the signal. */
type PartReader = (part: PagePart, user: AbortSignal) => Promise<PartContent>

/**
 * Makes a reader, which works in tasks of about 15 ms, between which the app runs and may change the document. So the text
 * is not that of one moment: each text in it could be seen when the walk reached it, and what is hidden or removed before
 * that is not read. What moves meanwhile may be missing, or be there twice. If the selector matches other elements in the
 * end, the walk begins again, at most three times.
 *
 * @param selector - of the elements
 * @param nextTask - resolves in another task; by the caller, whose class of channels is that of before this file was loaded
 */
export function partReader(selector: string, nextTask: () => Promise<void>): PartReader {
  const readers = new Map<PagePart, SharedRead>()
  return (part, user) => {
    if (part === 'meta') return Promise.resolve().then(metaContent)
    const read =
      readers.get(part) ??
      sharedRead(nextTask, (signal) => inTasks(contentOf(part, selector), signal, nextTask))
    readers.set(part, read)
    return read(user)
  }
}

function metaContent(): PartContent {
  const { meta, lossy } = metaOf()
  return { text: JSON.stringify(meta), lossy }
}

/** Reads for one more user. Rejects if the signal of the last user is aborted before the end. */
type SharedRead = (user: AbortSignal) => Promise<PartContent>

/**
 * Makes one of all reads that are asked for before it begins. It begins when the one before has ended, so that no reader gets
 * what was read before it asked.
 *
 * @param read - `signal` is aborted when no user waits any more
 */
function sharedRead(
  nextTask: () => Promise<void>,
  read: (signal: AbortSignal) => Promise<PartContent>,
): SharedRead {
  let last: Promise<unknown> = Promise.resolve()
  let next: { use(user: AbortSignal): void; promise: Promise<PartContent> } | undefined // has not begun
  const wait = () => {
    const { promise, resolve, reject } = Promise.withResolvers<PartContent>()
    const before = last
    const use = whileUsed((signal) => {
      const leave = () => {
        if (next === own) next = undefined
      }
      signal.addEventListener('abort', () => {
        leave()
        reject(signal.reason)
      })
      const begin = () => {
        leave()
        signal.throwIfAborted()
        return read(signal)
      }
      before.then(nextTask).then(begin).then(resolve, reject)
    })
    const own = { use, promise }
    last = promise.catch(() => {})
    next = own
    return own
  }
  return async (user) => {
    user.throwIfAborted()
    const own = next ?? wait()
    own.use(user)
    return own.promise
  }
}

/** Yields where it can be interrupted, and gets whether other tasks have run meanwhile. */
type Walk<T> = Generator<void, T, boolean>

/** The time of one task of a walk, of the 50 that users do not notice. */
const taskTime = 15 // ms

async function inTasks<T>(
  walk: Walk<T>,
  signal: AbortSignal,
  nextTask: () => Promise<void>,
): Promise<T> {
  for (;;) {
    await nextTask()
    signal.throwIfAborted()
    const end = performance.now() + taskTime
    let step = walk.next(true)
    while (!step.done && performance.now() < end) step = walk.next(false)
    if (step.done) return step.value
  }
}

function* contentOf(part: PagePart, selector: string): Walk<PartContent> {
  for (let rest = 3; ; rest--) {
    const roots = outermost(all(selector))
    const content = yield* contentOfElements(part, roots)
    const now = outermost(all(selector))
    const isSame = now.length === roots.length && now.every((root, i) => root === roots[i])
    if (isSame || rest === 0) return content
  }
}

/** @param roots - in the order of the document; none is in another one */
function* contentOfElements(part: PagePart, roots: readonly Element[]): Walk<PartContent> {
  const reader = visibilityReader()
  let lossy: string[] = []
  let text: string
  if (part === 'outline') {
    const { outline, lossy: values } = yield* outlineOf(roots, reader)
    text = JSON.stringify(outline)
    lossy = values
  } else {
    text = yield* part === 'text' ? textOf(roots, reader) : selectedText(roots, reader)
  }
  return { text, lossy: reader.omitted() ? [''] : lossy }
}

function* textOf(roots: readonly Element[], reader: VisibilityReader): Walk<string> {
  const out = textWriter()
  for (const root of roots) {
    const place = reader.find(root)
    if (place !== undefined) yield* writeText(place, reader, out)
    out.break(2)
  }
  return out.done()
}

/**
 * The selected text within some elements; '' if there is none. A selection inside of a field is part
 * of its value, and is left out.
 */
function* selectedText(roots: readonly Element[], reader: VisibilityReader): Walk<string> {
  const selection = Document.prototype.getSelection.call(document)
  if (selection === null || selection.isCollapsed) return ''
  const ranges = Array.from({ length: selection.rangeCount }, (_, i) => selection.getRangeAt(i))
  const intersects = (range: Range, node: Node) => Range.prototype.intersectsNode.call(range, node)
  const out = textWriter()
  for (const root of roots) {
    if (!ranges.some((range) => intersects(range, root))) continue
    const place = reader.find(root)
    if (place === undefined) continue
    const tree = treeOf(root)
    const isWhole = ranges.some((range) => hasAll(range, root))
    yield* writeText(place, reader, out, function* (text, within) {
      if (isWhole) return treeOf(text) === tree ? yield* reader.text(text, within) : ''
      let selected = ''
      for (const range of ranges) {
        if (!intersects(range, text)) continue
        const from = range.startContainer === text ? range.startOffset : 0
        const to = range.endContainer === text ? range.endOffset : Number.POSITIVE_INFINITY
        selected += yield* reader.text(text, within, from, to)
      }
      return selected
    })
    out.break(1)
  }
  return out.done()
}

/** To ask about each text takes long: browsers count its siblings. */
function hasAll(range: Range, root: Element): boolean {
  const whole = Document.prototype.createRange.call(document)
  whole.selectNodeContents(root)
  const compare = (how: number) => Range.prototype.compareBoundaryPoints.call(range, how, whole)
  return compare(Range.START_TO_START) <= 0 && compare(Range.END_TO_END) >= 0
}

// The text of elements as a user reads it: blocks on lines of their own, blanks as they are shown.

/** How lines come about. */
export interface TextWriter {
  text(part: string, pre: boolean): void
  /** At least this many line ends: 1 begins a line, 2 leaves one empty. */
  break(lines: number): void
  /** A line end within a block. */
  newLine(): void
  tab(): void
  done(): string
}

/** Puts text together. Only the line that is being written is looked at again. */
export function textWriter(): TextWriter {
  const past: string[] = [] // lines, and what is between them
  let line = ''
  let tail = '' // the last part of the line
  let lines = 0 // wanted before the next text
  let blank = false // wanted before the next text, unless a line begins
  const begin = () => {
    const begun = line !== '' || past.length > 0
    if (begun && lines > 0) {
      past.push(line.trimEnd(), '\n'.repeat(lines))
      line = ''
    } else if (blank && line !== '' && !/\s$/.test(tail)) {
      line += ' '
    }
    lines = 0
    blank = false
  }
  return {
    text(part, pre) {
      if (pre) {
        if (part === '') return
        begin()
        tail = part
        const end = part.lastIndexOf('\n') + 1
        if (end > 0) past.push(line, part.slice(0, end))
        line = end > 0 ? part.slice(end) : line + part
        return
      }
      const words = part.replace(/[\t\n\f\r ]+/g, ' ')
      if (words.startsWith(' ')) blank = true
      const trimmed = words.replace(/^ | $/g, '')
      if (trimmed === '') return
      begin()
      line += trimmed
      tail = trimmed
      blank = words.endsWith(' ')
    },
    break(wanted) {
      lines = Math.max(lines, wanted)
    },
    newLine() {
      begin()
      past.push(line.trimEnd(), '\n')
      line = ''
    },
    tab() {
      if (line === '' || lines > 0) return
      line += '\t'
      tail = '\t'
      blank = false
    },
    done: () => (past.join('') + line).trimEnd(),
  }
}

const spaced = new Set(
  'p h1 h2 h3 h4 h5 h6 blockquote pre ul ol dl table figure article section hr'.split(' '),
)

/** Writes what can be seen of an element. */
function* writeText(
  within: Place,
  reader: VisibilityReader,
  out: TextWriter,
  part: VisibilityReader['text'] = reader.text,
): Walk<void> {
  const { element, display } = within
  const tag = tagOf(element)
  if (tag === 'br') {
    out.newLine()
    return
  }
  const inline = /^(?:inline|contents|ruby|table-cell|math)/.test(display)
  const lines = inline ? 0 : spaced.has(tag) ? 2 : 1
  if (display === 'table-cell') out.tab()
  out.break(lines)
  let pre: boolean | undefined
  for (const child of childrenOf(element)) {
    if (isText(child)) {
      pre ??= /^(?:pre|break-spaces)/.test(within.style.whiteSpace)
      out.text(yield* part(child, within), pre)
    } else if (isElement(child)) {
      const place = reader.enter(child, within)
      if (place !== undefined) yield* writeText(place, reader, out, part)
    }
    if (yield) reader.outdate()
    if (!reader.renew(within)) break
  }
  out.break(lines)
}

/** The text of one element, on one line; '' if nothing of it can be seen. */
function* lineOf(
  element: Element,
  reader: VisibilityReader,
  place = reader.find(element),
): Walk<string> {
  if (place === undefined) return ''
  const out = textWriter()
  yield* writeText(place, reader, out)
  return out.done().replace(/\s+/g, ' ')
}

// The outline of a page: its headings, landmarks and form fields, in the order of the document. A
// field has its label, never its value.

/** One part of an outline. */
export interface OutlineItem {
  /** `heading`, `field`, `group`, or a landmark: `main`, `navigation`, `region` … */
  role: string
  /** The visible text of its heading or label; a landmark may have none. */
  name?: string
  /** Of a heading: 1 to 6. */
  level?: number
  /** Of a field: its type, such as `email`, `checkbox`, `textarea`, `select`; `textbox` of editable content. */
  type?: string
  required?: boolean
  /** Of a field that is not empty: `redacted`. */
  value?: string
}

const landmarks: { readonly [tag: string]: string } = {
  main: 'main',
  nav: 'navigation',
  aside: 'complementary',
  article: 'article',
  search: 'search',
  form: 'form',
}

const landmarkRole =
  /^(?:main|navigation|complementary|article|search|form|banner|contentinfo|region)$/

/** The outline of some elements; `lossy` has a JSON Pointer for each removed value. */
function* outlineOf(
  roots: readonly Element[],
  reader: VisibilityReader,
): Walk<{ outline: OutlineItem[]; lossy: string[] }> {
  const outline: OutlineItem[] = []
  const lossy: string[] = []

  /** Names contain only text that may be read, wherever the reference points. */
  function* named(labels: Iterable<Element>): Walk<string | undefined> {
    const lines: string[] = []
    for (const label of [...labels]) {
      const line = isWithin(roots, label) ? yield* lineOf(label, reader) : ''
      if (line !== '') lines.push(line)
    }
    return lines.join(' ') || undefined
  }

  function labelledBy(element: Element): Walk<string | undefined> {
    const ids = attribute(element, 'aria-labelledby')?.split(/\s+/) ?? []
    return named(
      ids.flatMap((id) =>
        id === '' ? [] : all(`#${CSS.escape(id)}`, treeOf(element)).slice(0, 1),
      ),
    )
  }

  function* visit(place: Place): Walk<void> {
    const { element } = place
    const heading = headingOf(element)
    const landmark = heading ? undefined : landmarkOf(element)
    if (heading !== undefined || (landmark === undefined && tagOf(element) === 'legend')) {
      const name = yield* lineOf(element, reader, place)
      if (name !== '') outline.push({ ...(heading ?? { role: 'group' }), name })
    } else if (landmark !== undefined && hasBox(element)) {
      outline.push({ role: landmark, name: yield* labelledBy(element) })
    }
    for (const child of childrenOf(element)) {
      if (!reader.renew(place)) return
      if (isElement(child)) {
        yield* field(child, place)
        const inner = reader.renew(place) ? reader.enter(child, place) : undefined
        if (inner !== undefined) yield* visit(inner)
      }
      if (yield) reader.outdate()
    }
  }

  /** Editable elements are fields, too. */
  function* field(element: Element, within: Place): Walk<void> {
    const platform = platforms().find((one) => element instanceof one)?.prototype
    if (platform === undefined && !isDraft(element)) return
    const own = (name: string) => platform && Reflect.get(platform, name, element)
    const tag = tagOf(element)
    const type: string = platform ? (tag === 'input' ? own('type') : tag) : 'textbox'
    if (/^(?:hidden|submit|reset|button|image)$/.test(type)) return
    const labels: Iterable<Element> = own('labels') ?? []
    const name = (yield* labelledBy(element)) ?? (yield* named(labels))
    if (!reader.renew(within) || !isShown(element, within)) return
    const item: OutlineItem = { role: 'field', type, name }
    if (platform && attribute(element, 'required') !== undefined) item.required = true
    const value = platform ? own('value') : Reflect.get(Node.prototype, 'textContent', element)
    // Whether one is checked is a value, and a password may be empty.
    if (/^(?:checkbox|radio|password)$/.test(type) || value !== '') {
      lossy.push(`/${outline.length}/value`)
      item.value = redacted
    }
    outline.push(item)
  }

  for (const root of roots) {
    const place = reader.find(root)
    if (place !== undefined) yield* visit(place)
  }
  return { outline, lossy }
}

const platforms = () => [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement]

function isShown(element: Element, within: Place): boolean {
  if (attribute(element, 'data-mcp-private') !== undefined) return false
  if (isAriaHidden(element) || within.display === 'none') return false
  // A checkbox may be made invisible, and drawn by its label: only one that is not rendered is left out.
  if (!isRendered(element, { visibilityProperty: true })) return false
  return Number.parseFloat(getComputedStyle(element).opacity) > 0 || hasBox(element)
}

function hasBox(element: Element): boolean {
  const { width, height } = rectOf(element)
  return width > 1 && height > 1
}

const roleOf = (element: Element) => attribute(element, 'role')?.trim().toLowerCase()

function headingOf(element: Element): OutlineItem | undefined {
  const role = roleOf(element)
  const own = /^h([1-6])$/.exec(tagOf(element))?.[1]
  if (role !== 'heading' && (role !== undefined || own === undefined)) return undefined
  const level = Number(role === undefined ? own : (attribute(element, 'aria-level') ?? own ?? 2))
  return level >= 1 && level <= 9 ? { role: 'heading', level } : undefined
}

function landmarkOf(element: Element): string | undefined {
  const role = roleOf(element)
  if (role !== undefined) return landmarkRole.test(role) ? role : undefined
  const tag = tagOf(element)
  if (tag === 'section') return attribute(element, 'aria-labelledby') ? 'region' : undefined
  if (tag === 'header' || tag === 'footer') {
    // Of the page, not of a section.
    const outer = Element.prototype.closest.call(element, 'article, aside, main, nav, section')
    return outer !== null ? undefined : tag === 'header' ? 'banner' : 'contentinfo'
  }
  return Object.hasOwn(landmarks, tag) ? landmarks[tag] : undefined
}

// Decides which text of a page a user can see. Hidden text may contain planted instructions to models, or private data:
// text that browsers do not render, that is `aria-hidden`, a draft ({@link isDraft}), clipped, off the screen, nearly
// transparent, too small, or in the colour of its background. SECURITY.md names what is not recognized.

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

/** The most elements that are looked for under a text in the colour of its background. */
const maxPainted = 4000

/** What the visibility of the descendants of an element depends on; `within` is the place of its parent. */
interface Place {
  readonly element: Element
  readonly style: CSSStyleDeclaration
  readonly display: string
  readonly isInline: boolean // its lines are those of the block around it
  readonly within: Place | undefined
  readonly opacity: number
  /** The visible area of its content. */
  readonly flow: Box
  /** The state of the page in which all this is so. */
  readonly state: number
  /** The element was hidden, removed or moved since it was entered. */
  readonly isGone: boolean
  /** The colour behind it; computed on demand. */
  behind: string | undefined
  /** Of a block: whether its lines are in the visible area. */
  fits: Shown | undefined
  shows: Shown | undefined
}

type VisibilityReader = ReturnType<typeof visibilityReader>

/**
 * Reads the visibility. When the page may have changed, {@link outdate} has to be called, and {@link renew} with each
 * place that is used again.
 */
function visibilityReader() {
  const root = rootElement()
  let state = 0
  let canvas: string
  let screen: Box
  let whole: Box
  const range = Document.prototype.createRange.call(document)
  let painted: Element[] | undefined
  const alike = new Map<string, boolean>() // by both colours
  let omitted = false
  outdate()

  /** The page may have changed. */
  function outdate() {
    state++
    const { overflow, colorScheme } = getComputedStyle(root)
    canvas = /dark/.test(colorScheme) ? 'unknown' : 'rgb(255, 255, 255)'
    screen = { left: 0, top: 0, right: innerWidth, bottom: innerHeight }
    const scroller = ofDocument<Element | null>('scrollingElement') ?? root
    whole = areaOf(scroller, overflow.replaceAll('visible', 'auto'), screen, screen)
  }

  /** Makes a place that of the present state of the page; `false`: the element is hidden, or elsewhere. */
  function renew(place: Place): boolean {
    if (place.state !== state) {
      const { element, within } = place
      const isThere = (!within || renew(within)) && parentOf(element) === within?.element
      const now = isThere ? enter(element, within) : undefined
      Object.assign(place, now ?? { state, isGone: true })
    }
    return !place.isGone
  }

  /** The place of an element within its parent; `undefined`: the element and its descendants are hidden. */
  // Each property that is read costs a quarter of a microsecond, a colour twice and a rectangle five times that.
  function enter(element: Element, within: Place | undefined): Place | undefined {
    const tag = tagOf(element)
    if (never.has(tag) || isDraft(element) || isAriaHidden(element)) return undefined
    const style = getComputedStyle(element)
    const { display } = style
    if (display === 'none' || display === '') return undefined // '': it is in no slot
    if (attribute(element, 'data-mcp-private') !== undefined) {
      omitted = true
      return undefined
    }
    const isInline = /^(?:inline|contents)$/.test(display) && !(element instanceof SVGElement)
    const place = (opacity: number, flow: Box): Place => ({
      element,
      style,
      display,
      isInline,
      within,
      opacity,
      flow,
      state,
      isGone: false,
      behind: undefined,
      fits: undefined,
      shows: undefined,
    })
    let opacity = within?.opacity ?? 1
    let flow = within?.flow ?? whole
    if (display === 'contents') return place(opacity, flow)
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
      else if (/paint|strict|content/.test(contain)) flow = intersection(flow, rectOf(element))
    }
    return place(opacity, flow)
  }

  /** The same, by its ancestors from the root on. */
  function find(element: Element): Place | undefined {
    const parent = parentOf(element)
    const within = parent && find(parent)
    return within || element === root ? enter(element, within) : undefined
  }

  /** The visible part of a text: all, a part of it, or ''. */
  function* text(node: Text, within: Place, from = 0, to = Number.POSITIVE_INFINITY): Walk<string> {
    const data = dataOf(node)
    const part = data.slice(from, to)
    if (!/\S/.test(part)) return part
    const isThere = () =>
      renew(within) && parentOf(node) === within.element && dataOf(node) === data
    within.shows ??= shownOf(within)
    if (within.shows === undefined) {
      painted = yield* allPainted()
      if (!isThere()) return ''
      within.shows = shownOf(within)
    }
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
    let shown = ''
    for (const { 0: word, index } of part.matchAll(/\S+|\s+/g)) {
      const isBlank = !/\S/.test(word)
      if (!isBlank) {
        range.setStart(node, from + index)
        range.setEnd(node, from + index + word.length)
      }
      if (isBlank || [...range.getClientRects()].some(isWordSeen)) shown += word
      if (!(yield)) continue
      outdate()
      if (!isThere() || shownOf(within) === 'none') break
    }
    return shown
  }

  /** `undefined`: {@link allPainted} has to be known for it. */
  function shownOf(place: Place): Shown | undefined {
    const { element, style } = place
    let block = place
    while (block.within && block.isInline) block = block.within
    block.fits ??= fitsOf(block)
    const dots = Reflect.get(style, 'webkitTextSecurity') ?? 'none'
    if (block.fits === 'none' || style.visibility !== 'visible' || dots !== 'none') return 'none'
    const size = Number.parseFloat(style.fontSize)
    if (!(size >= leastLetter) || Number.parseFloat(style.letterSpacing) < -size / 3) return 'none'
    const isReadable = element instanceof SVGElement || hasContrast(place)
    return isReadable === false ? 'none' : isReadable && block.fits
  }

  /** Whether the content of a block is in the visible area; measured once per block. */
  function fitsOf({ element, style, flow }: Place): Shown {
    if (style.contentVisibility === 'hidden' || !isRendered(element)) return 'none'
    if (matches(element, 'details:not([open])')) return 'none'
    range.selectNodeContents(element)
    const content = range.getBoundingClientRect()
    if (element instanceof SVGElement || heightOf(content) < leastLetter) return 'some'
    return isSeen(content) && isInside(content, flow) ? 'all' : 'some'
  }

  /** Whether letters differ from what is behind them, as far as colours say. */
  function hasContrast(place: Place): boolean | undefined {
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
  function liesOnOther(element: Element, paint: string): boolean | undefined {
    const box = rectOf(element)
    return painted?.some(
      (other) =>
        isSeen(intersection(box, rectOf(other))) &&
        !contains(other, element) &&
        isRendered(other, { opacityProperty: true, visibilityProperty: true }) &&
        !areAlike(paint, paintOf(other, getComputedStyle(other)) ?? ''),
    )
  }

  /** The first pictures and boxes of a colour in the document. */
  function* allPainted(): Walk<Element[]> {
    const found: Element[] = []
    for (const one of all('*')) {
      if (paintOf(one, getComputedStyle(one)) !== undefined) found.push(one)
      if (found.length === maxPainted) break
      if (yield) outdate()
    }
    return found
  }

  /** `omitted`: whether visible private content was left out. */
  return { enter, find, text, outdate, renew, omitted: () => omitted }
}

/** The visible content of an element that clips its overflow: now, or after scrolling it. */
function areaOf(element: Element, overflow: string, around: Box, own: Box = rectOf(element)) {
  const cut = intersection(own, around)
  if (cut.right - cut.left < 6 || heightOf(cut) < 6) return cut // too small for users to scroll it
  const [x = '', y = x] = overflow.split(' ')
  let { left, right } = x === 'visible' ? around : cut
  let { top, bottom } = y === 'visible' ? around : cut
  if (/auto|scroll/.test(x)) {
    const isReverse = getComputedStyle(element).direction === 'rtl'
    const scrolled = propertyOf(element, 'scrollLeft')
    left = own.left - scrolled - (isReverse ? farAside : 0)
    right = own.right - scrolled + (isReverse ? 0 : farAside)
  }
  if (/auto|scroll/.test(y)) {
    top = own.top - propertyOf(element, 'scrollTop')
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
  return /^(?:img|video|canvas)$/.test(tagOf(element)) ? 'picture' : undefined
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

// Reads a document without running code of the page. A form's fields are properties of the form
// (`form.parentNode` may be an input), and custom elements and expandos may have getters: so properties are
// read only through the prototypes of the platform.

const getters: { [name: string]: (() => unknown) | undefined } = {}

/** Looks a getter up once: in Firefox, `Reflect.get` takes ten times as long. */
function get<T>(prototype: object, name: string, of: Node): T {
  getters[name] ??= Object.getOwnPropertyDescriptor(prototype, name)?.get
  return getters[name]?.call(of) as T
}
const node = <T>(name: keyof Node, of: Node) => get<T>(Node.prototype, name, of)
const element = <T>(name: keyof Element, of: Element) => get<T>(Element.prototype, name, of)

/** Elements with a name are properties of the document: `document.body` may be a picture. */
export const ofDocument = <T>(name: keyof Document) =>
  Reflect.get(Document.prototype, name, document) as T
export const rootElement = () => ofDocument<HTMLElement>('documentElement')

const firstChild = (of: Node) => node<ChildNode | null>('firstChild', of)
const nextSibling = (of: Node) => node<ChildNode | null>('nextSibling', of)
export const contains = (outer: Node, inner: Node) => Node.prototype.contains.call(outer, inner)

/** HTML elements: in lower case. */
export const tagOf = (of: Element) => element<string>('localName', of)
export const shadowOf = (of: Element) => element<ShadowRoot | null>('shadowRoot', of)
export const matches = (of: Element, selector: string) =>
  Element.prototype.matches.call(of, selector)
export const isRendered = (of: Element, options?: CheckVisibilityOptions) =>
  Element.prototype.checkVisibility.call(of, options)
export const rectOf = (of: Element) => Element.prototype.getBoundingClientRect.call(of)
export const propertyOf = (of: Element, name: keyof Element) => element<number>(name, of)

export function attribute(of: Element, name: string): string | undefined {
  return Element.prototype.getAttribute.call(of, name) ?? undefined
}

export function isElement(one: Node): one is Element {
  return node<number>('nodeType', one) === 1
}

export function isAriaHidden(of: Element): boolean {
  return attribute(of, 'aria-hidden')?.trim().toLowerCase() === 'true'
}

/** ARIA roles of editable elements. */
const writtenInto = /(?:^|\s)(?:textbox|searchbox|combobox|spinbutton)(?:\s|$)/i

/**
 * Whether a user edits an element like a field: `contenteditable`, an `EditContext`, or the role of a field.
 * Its content is a value, not text of the page.
 */
export function isDraft(of: Element): boolean {
  const editable = attribute(of, 'contenteditable')
  if (editable !== undefined && /^(?:true|plaintext-only|)$/i.test(editable)) return true
  const role = attribute(of, 'role')
  if (role !== undefined && writtenInto.test(role)) return true
  return (
    of instanceof HTMLElement &&
    (Reflect.get(HTMLElement.prototype, 'editContext', of) ?? null) !== null
  )
}

/** Whether a mutation is within editable content, and not of the editable element itself. */
export function isOfDraft({ target, type }: MutationRecord): boolean {
  for (let at: Node | null = target; at !== null; ) {
    if (isElement(at) && (at !== target || type !== 'attributes') && isDraft(at)) return true
    const here: Node = at
    at = node<Node | null>('parentNode', here) ?? (here instanceof ShadowRoot ? here.host : null)
  }
  return false
}

/** Text, or a CDATA section. */
export function isText(one: Node): one is Text {
  const type = node<number>('nodeType', one)
  return type === 3 || type === 4
}

export const dataOf = (text: Text) => get<string>(CharacterData.prototype, 'data', text)

/** In the document or, for labels that are named by id, in the tree of `scope`. */
export function all(selector: string, scope: Node = document): Element[] {
  const { prototype } = scope instanceof Document ? Document : DocumentFragment
  return [...prototype.querySelectorAll.call(scope as Document, selector)]
}

/** The outermost of some elements, which are in the order of the document. */
export function outermost(elements: readonly Element[]): Element[] {
  const found: Element[] = []
  for (const element of elements) {
    const before = found.at(-1)
    if (before === undefined || !contains(before, element)) found.push(element)
  }
  return found
}

export function treeOf(of: Node): Node {
  return Node.prototype.getRootNode.call(of)
}

/**
 * Children as they are rendered: of the shadow tree if there is an open one, and in their slots. If children come or go
 * meanwhile, it goes on after the last one or, if that has gone, at its number.
 */
export function* childrenOf(of: Node): Generator<ChildNode, void> {
  if (of instanceof HTMLSlotElement) {
    const assigned = HTMLSlotElement.prototype.assignedNodes.call(of) as ChildNode[]
    for (const one of assigned) if (parentOf(one) === of) yield one
    if (assigned.length > 0) return
  }
  const parent = (isElement(of) && shadowOf(of)) || of
  let child = firstChild(parent)
  for (let i = 0; child !== null; i++) {
    yield child
    child =
      node<Node | null>('parentNode', child) === parent
        ? nextSibling(child)
        : (node<NodeListOf<ChildNode>>('childNodes', parent)[i] ?? null)
  }
}

/** The parent of an element as rendered; `undefined`: none, or it is in no slot. */
export function parentOf(of: Node): Element | undefined {
  const parent = node<Node | null>('parentNode', of)
  if (parent instanceof ShadowRoot) return Reflect.get(ShadowRoot.prototype, 'host', parent)
  if (parent === null || !isElement(parent)) return undefined
  if (shadowOf(parent) === null) return parent
  if (!isElement(of) && !isText(of)) return undefined
  const { prototype } = isElement(of) ? Element : Text
  return (Reflect.get(prototype, 'assignedSlot', of) as Element | null) ?? undefined
}

/** Whether a node is in one of the elements, shadow trees included. */
export function isWithin(roots: readonly Element[], inner: Node): boolean {
  for (let at: Node | null = inner; at !== null; ) {
    const here: Node = at
    if (roots.some((root) => contains(root, here))) return true
    const tree = treeOf(here)
    at = tree instanceof ShadowRoot ? tree.host : null
  }
  return false
}
