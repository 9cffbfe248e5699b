/**
 * Observes a document: content, selection and URL. Changes are batched: at most ten announcements a second,
 * or, in a hidden window, whose timers hardly run, one per task.
 */

import { watchUrl } from './history.ts'
import {
  all,
  childrenOf,
  contains,
  isElement,
  isOfDraft,
  isWithin,
  matches,
  ofDocument,
  outermost,
  rootElement,
  shadowOf,
} from './page-dom.ts'

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
  const { port1, port2 } = new MessageChannel() // its tasks are not throttled as timers are

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
  function observeShadows() {
    const observe = (element: Element) => {
      const shadow = shadowOf(element)
      if (shadow !== null && !shadows.has(shadow)) {
        shadows.add(shadow)
        observer.observe(shadow, observed)
      }
      for (const child of childrenOf(element)) if (isElement(child)) observe(child)
    }
    for (const root of roots) observe(root)
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
