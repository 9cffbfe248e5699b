/** What a tab says of itself, and when that changes. */

import { plainLabel } from '../provenance.ts'
import { redactUrl } from '../redact.ts'

/** What tabs tell each other. */
export interface TabState {
  /** Stays through reloads: the page id (pages.ts). */
  readonly id: string
  /** One stay of one document: another one after a reload, and back from the back/forward cache. */
  readonly stay: string
  readonly title: string
  /** Without secrets. */
  readonly url: string
  readonly visibility: DocumentVisibilityState
  readonly focused: boolean
  /** When it had the focus last, in ms since 1970; 0: never since it was opened. */
  readonly lastFocus: number
  /** Whether its text may be read. */
  readonly text: boolean
  /** How often its text has changed while somebody watched. */
  readonly edits: number
  /** Whether somebody watches there: then all tabs look at their text. */
  readonly watching: boolean
}

/** What {@link TabState} says of a document without its identity. */
export type TabView = Omit<TabState, 'id' | 'stay' | 'text' | 'edits' | 'watching'>

/** Where the time of the last focus outlives a reload. It is taken out at once: copies of a tab are new. */
const focusKey = 'pagemcp.focus'

/** Longest title that is told. */
const maxTitle = 300 // UTF-16 code units

/** Longest URL that is told; a longer one is cut where its query begins. */
const maxUrl = 4096 // UTF-16 code units

/**
 * Watches this document: title, URL, visibility, focus. Work is bounded: however much changes within
 * a task, `changed` is called once.
 *
 * @returns what there is to say now
 */
export function watchOwn(changed: () => void, signal: AbortSignal): () => TabView {
  let lastFocus = document.hasFocus() ? Date.now() : storedFocus()
  let focused = document.hasFocus()
  let scheduled = false
  const soon = () => {
    if (scheduled) return
    scheduled = true
    queueMicrotask(() => {
      scheduled = false
      if (!signal.aborted) changed()
    })
  }

  const focus = () => {
    const now = document.hasFocus()
    if (now || focused) lastFocus = Date.now()
    focused = now
    soon()
  }
  addEventListener('focus', focus, { signal })
  addEventListener('blur', focus, { signal })
  document.addEventListener('visibilitychange', focus, { signal }) // a frame may have had the focus
  addEventListener('pagehide', () => storeFocus(lastFocus), { signal })
  watchTitle(soon, signal)
  watchUrl(soon, signal)

  return () => ({
    title: plainLabel(document.title, maxTitle),
    url: shortened(redactUrl(location.href)),
    visibility: document.visibilityState,
    focused,
    lastFocus,
  })
}

/** How long changes of the text are gathered. */
const textPause = 250 // ms

/**
 * Calls `changed` when mutations of this document matter, at most once in {@link textPause}. Whether
 * they do is asked for as many as come in a task, but no more after one that matters.
 */
export function watchContent(
  matters: (record: MutationRecord) => boolean,
  changed: () => void,
  signal: AbortSignal,
) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const observer = new MutationObserver((records) => {
    if (timer !== undefined || !records.some(matters)) return
    timer = setTimeout(() => {
      timer = undefined
      changed()
    }, textPause)
  })
  observer.observe(document.body ?? document, {
    attributes: true,
    characterData: true,
    childList: true,
    subtree: true,
  })
  signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(timer)
  })
}

function shortened(url: string): string {
  if (url.length <= maxUrl) return url
  return (url.split(/[?#]/, 1)[0] ?? '').slice(0, maxUrl)
}

/** The title element may be changed, replaced, or come with another head. */
function watchTitle(changed: () => void, signal: AbortSignal) {
  let head: Element | null = null
  const observer = new MutationObserver(() => {
    if (document.head !== head) observe()
    changed()
  })
  function observe() {
    observer.disconnect()
    head = document.head
    observer.observe(document.documentElement, { childList: true })
    if (head) observer.observe(head, { childList: true, characterData: true, subtree: true })
  }
  if (document.documentElement) observe()
  signal.addEventListener('abort', () => observer.disconnect())
}

function watchUrl(changed: () => void, signal: AbortSignal) {
  const { navigation } = globalThis as { navigation?: EventTarget }
  if (navigation !== undefined) {
    navigation.addEventListener('currententrychange', changed, { signal })
    return
  }
  addEventListener('popstate', changed, { signal })
  addEventListener('hashchange', changed, { signal })
  // The History API tells nobody: pushState and replaceState are wrapped.
  for (const name of ['pushState', 'replaceState'] as const) {
    const original = History.prototype[name]
    const { [name]: method } = {
      [name](this: History, ...args: Parameters<History['pushState']>) {
        Reflect.apply(original, this, args)
        changed()
      },
    }
    Object.defineProperty(method, 'length', { value: original.length, configurable: true })
    History.prototype[name] = method as History['pushState']
    signal.addEventListener('abort', () => {
      if (History.prototype[name] === method) History.prototype[name] = original
    })
  }
}

function storedFocus(): number {
  try {
    const stored = Number(sessionStorage.getItem(focusKey))
    sessionStorage.removeItem(focusKey)
    return Number.isFinite(stored) ? stored : 0
  } catch {
    return 0 // an opaque origin has no storage
  }
}

function storeFocus(lastFocus: number) {
  try {
    sessionStorage.setItem(focusKey, String(lastFocus))
  } catch {
    // then a reload forgets it
  }
}
