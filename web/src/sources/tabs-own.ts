/** The state of this tab, and its changes. */

import { watchUrl } from './history.ts'
import { tabTitle, tabUrl } from './tab-list.ts'

/** The state of a tab, as tabs send it to each other. */
export interface TabState {
  /** The page id, which survives reloads (page-id.ts). */
  readonly id: string
  /** The id of a document's visit: a new one after a reload, and after the back/forward cache. */
  readonly stay: string
  readonly title: string
  /** Without secrets. */
  readonly url: string
  readonly visibility: DocumentVisibilityState
  readonly focused: boolean
  /** The time of its last focus, in ms since 1970; 0: never since it was opened. */
  readonly lastFocus: number
  /** Whether its text may be read. */
  readonly text: boolean
  /** A counter of changes of its text while there were listeners. */
  readonly edits: number
  /** Whether it has listeners: then all tabs observe their text. */
  readonly watching: boolean
}

/** The part of {@link TabState} that describes the document. */
export type TabView = Omit<TabState, 'id' | 'stay' | 'text' | 'edits' | 'watching'>

/** Keeps the time of the last focus through a reload. Removed when it is read: a copy of the tab starts new. */
const focusKey = 'pagemcp.focus'

/**
 * Observes this document: title, URL, visibility, focus. `changed` is called at most once per task.
 *
 * @returns a function that returns the present state
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
    title: tabTitle(document.title),
    url: tabUrl(location.href),
    visibility: document.visibilityState,
    focused,
    lastFocus,
  })
}

/** The interval in which changes of the text are batched. */
const textPause = 250 // ms

/**
 * Calls `changed` when `concerns` is true of a mutation of this document, at most once in
 * {@link textPause}.
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

/**
 * The state of another tab as this tab cleans its own: any script of this origin can send one, with any
 * texts and further members.
 */
export function receivedState(sent: TabState): TabState {
  const { id, stay, text, edits, watching, title, url, visibility, focused, lastFocus } = sent
  return {
    id,
    stay,
    text: text === true,
    edits,
    watching: watching === true,
    title: tabTitle(title),
    url: tabUrl(url),
    visibility: visibility === 'visible' ? 'visible' : 'hidden',
    focused,
    lastFocus,
  }
}

/** The title element may be changed or replaced, also with its head. */
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
