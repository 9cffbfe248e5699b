import { metaLossy } from '../contents.ts'
import { Channel, nextTask } from '../link.ts'
import { lazily, loader } from '../module.ts'
import { isPrivateElement, redactUrl } from '../redact.ts'
import { NotFoundError, type Source } from '../source.ts'
import { plainLabel } from '../translation.ts'
import { wrongOption } from './idb.ts'
import {
  all,
  attribute,
  contains,
  isElement,
  isOfDraft,
  isWithin,
  matches,
  ofDocument,
  outermost,
  type PagePart,
  rootElement,
  shadowOf,
} from './page-content.ts'
import { watchUrl } from './wrap.ts'

export type { PagePart }

/** The elements that may be read. There is no default: `['body']` is all visible content. */
export interface PageOptions {
  /**
   * CSS selectors of the elements that may be read. Elements in shadow trees are read with their host, and cannot be
   * selected.
   */
  select: readonly [string, ...string[]]
  /** The parts that are served; default: all. */
  parts?: readonly PagePart[]
}

const kinds: { readonly [part in PagePart]: readonly [string, string, string] } = {
  text: ['Text', 'text/plain', 'The text that a user can see.'],
  selection: ['Selection', 'text/plain', 'The text that the user has selected.'],
  outline: ['Outline', 'application/json', 'Headings, landmarks and form labels.'],
  meta: ['About the page', 'application/json', 'Title, URL, language, description, canonical URL.'],
}

/**
 * Publishes the visible content of this document, read-only, in the window:
 *
 * | URI | type | content |
 * |---|---|---|
 * | `page:///text` | `text/plain` | the text of the selected elements, as lines |
 * | `page:///selection` | `text/plain` | the selected part of that |
 * | `page:///outline` | `application/json` | headings, landmarks and form labels; values are `redacted` |
 * | `page:///meta` | `application/json` | of the document: title, URL, language, description, canonical URL |
 *
 * For elements apart from each other, mount it several times, each with a prefix.
 *
 * Hidden text is left out (page-content.ts lists the rules), and so are names for screen readers,
 * alternative texts, tooltips, private content ({@link isPrivateElement}) and all values of forms. Secrets
 * are removed from URLs ({@link redactUrl}). A content without its private parts is marked: `_meta["io.github.pagemcp/lossy"]` has JSON Pointers, or `['']`
 * for the whole.
 *
 * A large document is read in many short tasks, between which the app runs: what it changes meanwhile may be read as it was
 * before, or afterwards. Reads of a part at the same time are one.
 *
 * Changes of the document, of open shadow trees within the elements, of the selection and of the URL
 * are announced, at most ten times a second. Not noticed: rules that scripts write into style
 * sheets, and effects of selectors such as `:hover`.
 *
 * @param options.select - which elements; required
 * @returns a source (Go's `engine.Source`, `engine.Watcher`)
 * @throws TypeError if `select` names nothing; a `DOMException` named `SyntaxError` if a selector does
 *   not parse
 */
export function page(options: PageOptions): Source {
  const { select, parts = Object.keys(kinds) as PagePart[] } = options
  const isSelector = (one: unknown) => typeof one === 'string' && one.trim() !== ''
  if (!Array.isArray(select) || select.length === 0 || !select.every(isSelector)) {
    throw wrongOption('page', 'select', "an array of selectors such as ['main']", select)
  }
  if (!Array.isArray(parts) || !parts.every((part) => Object.hasOwn(kinds, part))) {
    throw wrongOption('page', 'parts', `an array of ${Object.keys(kinds).join(', ')}`, parts)
  }
  for (const one of select) globalThis.document && all(one) // one that does not parse throws here, not at a read
  const selector = select.join(',')
  const resources = parts.map((part: PagePart) => {
    const [name, mimeType, description] = kinds[part]
    return { uri: `page:///${part}`, name, description, mimeType }
  })
  const load = () => lazily('page-content.js', import('./page-content.ts'))
  const reader = loader(async () => (await load()).partReader(selector, nextTask))
  return {
    mounted: () => void reader().catch(() => {}),
    list: async () => ({ resources }),

    async read(uri, { signal }) {
      const part: PagePart | undefined = parts.find((one: PagePart) => uri === `page:///${one}`)
      if (part === undefined) throw new NotFoundError(uri)
      const read = await reader()
      const { text, lossy } = await read(part, signal)
      const _meta = lossy.length > 0 ? { [metaLossy]: lossy } : undefined
      return [{ uri, mimeType: kinds[part][1], text, _meta }]
    },

    watch(changed, signal) {
      const stale = {
        content: ['text', 'outline', 'selection'],
        selection: ['selection'],
        meta: ['meta'],
      }
      const announce = (change: Iterable<keyof typeof stale>) => {
        for (const part of new Set([...change].flatMap((what) => stale[what]))) {
          if (parts.includes(part)) changed(`page:///${part}`)
        }
      }
      watchPage(selector, announce, signal)
    },
  }
}

// The metadata of a document: title, URL, language, description, canonical URL.

/** The longest description. */
const maxDescription = 2000 // UTF-16 code units

/** The description of the document; `lossy` has JSON Pointers to values without their secrets. */
export function metaOf() {
  const lossy: string[] = []
  const link = (url: string | undefined, pointer: string) => {
    if (url === undefined) return undefined
    const clean = redactUrl(url)
    if (clean !== url) lossy.push(pointer)
    return clean
  }
  const described = all('meta[name=description i]').find((one) => !isPrivateElement(one))
  const description = described && attribute(described, 'content')
  const canonical = all('link[rel~=canonical]')[0]
  const meta = {
    title: plainLabel(ofDocument<string>('title')),
    url: link(globalThis.location.href, '/url'),
    language: attribute(rootElement(), 'lang'),
    description: description && plainLabel(description, maxDescription),
    canonical: link(canonical && absolute(attribute(canonical, 'href')), '/canonical'),
  }
  return { meta, lossy }
}

/** A reference as an absolute URL; `undefined`: it does not parse. */
function absolute(reference: string | undefined): string | undefined {
  const base = Reflect.get(Node.prototype, 'baseURI', document) as string
  if (reference === undefined || !URL.canParse(reference, base)) return undefined
  return new URL(reference, base).href
}

// Observes a document: content, selection and URL. Changes are batched: at most ten announcements a second,
// or, in a hidden window, whose timers hardly run, one per task.

/** What may have changed: the content of the elements, the selection, the description of the document. */
export type PageChange = ReadonlySet<'content' | 'selection' | 'meta'>

/** The shortest interval between announcements. */
const quiet = 100 // ms

/** The most mutation records that are examined; with more, everything counts as changed. */
const maxRecords = 200

const observed = { subtree: true, childList: true, characterData: true, attributes: true }

/** Reports changes of the elements that match a selector, until signal is aborted. */
export function watchPage(
  selector: string,
  changed: (change: PageChange) => void,
  signal: AbortSignal,
): void {
  let pending = new Set<'content' | 'selection' | 'meta'>()
  let last = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let url = location.href
  let roots = outermost(all(selector))
  const shadows = new Set<ShadowRoot>()
  const { port1, port2 } = new Channel() // its tasks are not throttled as timers are

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (signal.aborted || pending.size === 0) return
    const change = pending
    pending = new Set()
    last = performance.now()
    changed(change)
  }
  port1.onmessage = flush
  const note = (what: 'content' | 'selection' | 'meta') => {
    pending.add(what)
    if (ofDocument('visibilityState') === 'hidden') port2.postMessage(undefined)
    else timer ??= setTimeout(flush, Math.max(0, last + quiet - performance.now()))
  }
  const moved = () => {
    if (location.href === url) return
    url = location.href
    note('meta')
  }

  const observer = new MutationObserver((records) => {
    moved()
    const before = roots
    roots = outermost(all(selector))
    const isMany = records.length > maxRecords
    const isOther = roots.length !== before.length || roots.some((root, i) => root !== before[i])
    if (isMany || isOther || records.some((record) => concerns(record, roots))) note('content')
    if (isMany || records.some(({ target }) => describes(target))) note('meta')
    if (isMany || records.some(({ addedNodes }) => addedNodes.length > 0)) observeShadows()
  })

  /** Observes each shadow tree. One that is attached later is found at the next change. */
  function observeShadows(within: Node = document) {
    for (const element of all('*', within)) {
      const shadow = shadowOf(element)
      if (shadow === null) continue
      if (!shadows.has(shadow)) observer.observe(shadow, observed)
      shadows.add(shadow)
      observeShadows(shadow)
    }
  }

  observer.observe(document, observed)
  observeShadows()
  const listen = (target: EventTarget, types: string, act: () => void) => {
    const options = { signal, capture: true, passive: true }
    for (const type of types.split(' ')) {
      EventTarget.prototype.addEventListener.call(target, type, act, options)
    }
  }
  listen(document, 'selectionchange', () => note('selection'))
  // Visibility may change without a mutation: by the window's size, by transitions and animations.
  listen(globalThis, 'resize', () => note('content'))
  const effects = 'transitionend animationend toggle fullscreenchange'
  listen(document, effects, () => note('content'))
  listen(globalThis, 'pageshow', moved)
  watchUrl(moved, signal)
  listen(document, 'visibilitychange', () => timer !== undefined && flush())
  signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(timer)
    port1.close()
  })
}

/** Whether a mutation may have changed the content of some elements, or its visibility. */
function concerns(record: MutationRecord, roots: readonly Element[]): boolean {
  const { target, type } = record
  if (roots.some((root) => contains(target, root))) return type !== 'characterData' // around them
  if (isIn(target, 'style, link[rel~=stylesheet], head')) return true
  return isWithin(roots, target) && !isOfDraft(record)
}

/** Whether the description of the document is made of a node. */
function describes(target: Node): boolean {
  const head = ofDocument<Element | null>('head')
  return target === rootElement() || (head !== null && contains(head, target))
}

/** Whether a node, or else its parent, is an element that matches a selector. */
function isIn(target: Node, selector: string): boolean {
  const parent = () => Reflect.get(Node.prototype, 'parentElement', target) as Element | null
  const element = isElement(target) ? target : parent()
  return element !== null && matches(element, selector)
}
