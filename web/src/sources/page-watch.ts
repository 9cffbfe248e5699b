/**
 * Observes a document: content, selection and URL. Changes are batched: at most ten announcements a second,
 * or, in a hidden window, whose timers hardly run, one per task.
 */

import { watchUrl } from './history.ts'
import {
  childrenOf,
  contains,
  isElement,
  isOfDraft,
  isWithin,
  matches,
  ofDocument,
  rootElement,
  shadowOf,
} from './page-dom.ts'

/** The parts that may have changed. */
export interface PageChange {
  /** The numbers of parts whose content may have changed. */
  readonly parts: ReadonlySet<number>
  readonly selection: boolean
  readonly meta: boolean
}

/** Selectors of parts of a page. */
type Parts = readonly { readonly selector: string; readonly roots: () => Element[] }[]

/** The shortest interval between announcements. */
const quiet = 100 // ms

/** The most mutation records that are examined; with more, all parts count as changed. */
const maxRecords = 200

const observed: MutationObserverInit = {
  subtree: true,
  childList: true,
  characterData: true,
  attributes: true,
}

/** Reports changes until signal is aborted. */
export function watchPage(
  parts: Parts,
  changed: (change: PageChange) => void,
  signal: AbortSignal,
): void {
  let pending = new Set<number>()
  let selection = false
  let meta = false
  let last = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  let url = location.href
  let roots = parts.map((part) => part.roots())
  const shadows = new Set<ShadowRoot>()
  const { port1, port2 } = new MessageChannel() // its tasks are not throttled as timers are

  const flush = () => {
    clearTimeout(timer)
    timer = undefined
    if (signal.aborted || (pending.size === 0 && !selection && !meta)) return
    const change = { parts: pending, selection, meta }
    pending = new Set()
    selection = false
    meta = false
    last = performance.now()
    changed(change)
  }
  port1.onmessage = flush
  const soon = () => {
    if (ofDocument('visibilityState') === 'hidden') {
      port2.postMessage(undefined)
      return
    }
    timer ??= setTimeout(flush, Math.max(0, last + quiet - performance.now()))
  }
  const everything = () => {
    for (const number of parts.keys()) pending.add(number)
    soon()
  }
  const moved = () => {
    if (location.href === url) return
    url = location.href
    meta = true
    soon()
  }

  const observer = new MutationObserver((records) => {
    moved()
    const before = roots
    roots = parts.map((part) => part.roots())
    const many = records.length > maxRecords
    for (const [number, now] of roots.entries()) {
      const then = before[number] ?? []
      const others = now.length !== then.length || now.some((root, i) => root !== then[i])
      if (many || others || records.some((record) => concerns(record, now))) pending.add(number)
    }
    if (many || records.some(({ target }) => isHead(target))) meta = true
    if (many || records.some(({ addedNodes }) => addedNodes.length > 0)) observeShadows()
    if (pending.size > 0 || meta) soon()
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
    for (const root of new Set(roots.flat())) observe(root)
  }

  observer.observe(document, observed)
  observeShadows()
  const listen = (target: EventTarget, types: string, act: () => void) => {
    for (const type of types.split(' '))
      EventTarget.prototype.addEventListener.call(target, type, act, {
        signal,
        capture: true,
        passive: true,
      })
  }
  listen(document, 'selectionchange', () => {
    selection = true
    soon()
  })
  // Visibility may change without a mutation: by the window's size, by transitions and animations.
  listen(globalThis, 'resize', everything)
  listen(document, 'transitionend animationend toggle fullscreenchange', everything)
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
  if (isStyle(target)) return true
  return isWithin(roots, target) && !isOfDraft(record)
}

function isHead(target: Node): boolean {
  return target === rootElement() || isInHead(target) || isScript(target)
}

function isInHead(target: Node): boolean {
  const head = ofDocument<Element | null>('head')
  return head !== null && contains(head, target)
}

function isStyle(target: Node): boolean {
  const element = isElement(target)
    ? target
    : (Reflect.get(Node.prototype, 'parentElement', target) as Element | null)
  return element !== null && matches(element, 'style, link[rel~=stylesheet], head')
}

function isScript(target: Node): boolean {
  const element = isElement(target)
    ? target
    : (Reflect.get(Node.prototype, 'parentElement', target) as Element | null)
  return element !== null && matches(element, 'script[type="application/ld+json" i]')
}
