/**
 * Discovers the open tabs of an origin. Each tab holds the Web Lock of its id (page-id.ts) and posts its state on a
 * BroadcastChannel. The other tabs request its lock, and get it when the tab is closed or has crashed.
 *
 * A document in the back/forward cache is not an open tab. Before it enters the cache it sends `gone`, its lock is
 * released, and it closes the channel, because a message or a request for the lock would evict it.
 * `locks.query()` is not used: it evicts documents that hold a lock of the app.
 */

import { lazily } from '../module.ts'
import { lockOf, pageId } from '../page-id.ts'
import { NotFoundError } from '../source.ts'
import { watchUrl } from './history.ts'
import { all, contains, isOfDraft, outermost } from './page-dom.ts'
import { type TabText, tabTitle, tabUrl } from './tab-list.ts'

/** How long a new tab waits for the states of the others. */
const discoveryTime = 250 // ms; a hidden window's timer takes a second

/** The timeout for the text of another tab; its answer waits for no timer there. */
const textTimeout = 10_000 // ms

/** The interval in which changes of the text are batched. */
const textPause = 250 // ms

/** The most text of a tab. */
const maxText = 200_000 // UTF-16 code units

const channelName = 'pagemcp.tabs'

/** The state of a tab, as tabs send it to each other. */
export interface TabState {
  /** The page id, which survives reloads (page-id.ts). */
  readonly id: string
  readonly title: string
  /** Without secrets. */
  readonly url: string
  readonly visibility: DocumentVisibilityState
  readonly focused: boolean
  /** The time of its last focus, in ms since 1970; 0: never in this document. */
  readonly lastFocus: number
  /** Whether its text may be read. */
  readonly text: boolean
  /** A counter of changes of its text. */
  readonly edits: number
}

/** `to`, `from` and `id` are ids of tabs. */
type Message =
  | { is: 'new' | 'here'; tab: TabState }
  | { is: 'gone'; id: string }
  | { is: 'ask'; to: string; from: string; number: number }
  | { is: 'text'; to: string; number: number; answer?: TabText }

/** The tabs of this origin. */
export interface Presence {
  /** Resolves when earlier tabs have had time to answer. */
  readonly ready: Promise<unknown>
  /** All tabs; this one is the last. */
  all(): TabState[]
  /** Whether it is the state of this tab. */
  isOwn(tab: TabState): boolean
  /** Requests the text of a tab. Rejects with `NotFoundError` if the tab closes, or `TimeoutError`. */
  textOf(tab: TabState, signal: AbortSignal): Promise<TabText>
}

/**
 * Joins the tabs of this origin, until the signal is aborted. Without Web Locks (no secure context, or an
 * opaque origin) this tab is the only one.
 *
 * @param selector - of the elements whose text this tab shares
 * @param onEvent - called after each change; without `before` the tab was opened, without `now` it was closed
 */
export function joinTabs(
  selector: string | undefined,
  onEvent: (before: TabState | undefined, now: TabState | undefined) => void,
  signal: AbortSignal,
): Presence {
  const others = new Map<string, { tab: TabState; stop: AbortController }>() // by id
  const questions = new Map<number, { of: string; settle(answer?: TabText): void }>()
  let lastQuestion = 0
  let id: string | undefined // while the tab is open
  let own: TabState | undefined
  let channel: BroadcastChannel | undefined
  let leaving = new AbortController() // the present visit
  let edits = 0
  let lastFocus = document.hasFocus() ? Date.now() : 0
  let focused = document.hasFocus()
  const began = Promise.withResolvers<void>()
  const load = () => lazily('page-content.js', import('./page-content.ts'))

  const send = (message: Message) => channel?.postMessage(message)

  /** Sends the state of this tab if it has changed. */
  function refresh(isNew = false) {
    if (id === undefined) return
    const now: TabState = {
      id,
      title: tabTitle(document.title),
      url: tabUrl(location.href),
      visibility: document.visibilityState,
      focused,
      lastFocus,
      text: selector !== undefined,
      edits,
    }
    const before = own
    if (before && isSame(before, now) && !isNew) return
    own = now
    send({ is: isNew ? 'new' : 'here', tab: now })
    onEvent(before, now)
  }
  let isScheduled = false
  /** The same, at most once per task. */
  function soon() {
    if (isScheduled) return
    isScheduled = true
    queueMicrotask(() => {
      isScheduled = false
      if (!signal.aborted) refresh()
    })
  }

  async function ownText(): Promise<TabText> {
    const { textOf } = await load()
    return cutText(textOf(outermost(all(selector ?? ''))))
  }

  function receive(message: unknown) {
    if (!isMessage(message)) return
    switch (message.is) {
      case 'new':
        if (own) send({ is: 'here', tab: own })
        return addOrUpdate(message.tab)
      case 'here':
        return addOrUpdate(message.tab)
      case 'gone':
        return remove(message.id)
      case 'ask': {
        if (message.to !== id) return
        const { from: to, number } = message
        const answer = (answer?: TabText) => send({ is: 'text', to, number, answer })
        if (selector === undefined) return answer()
        void ownText().then(answer, (error) => {
          globalThis.reportError?.(error)
          answer()
        })
        return
      }
      case 'text':
        if (message.to === id) questions.get(message.number)?.settle(message.answer)
    }
  }

  function addOrUpdate(sent: TabState) {
    if (id === undefined || sent.id === id) return
    // As this tab cleans its own: any script of this origin can send one.
    const { visibility, focused, lastFocus, text, edits } = sent
    const plain = { title: tabTitle(sent.title), url: tabUrl(sent.url) }
    const tab = { id: sent.id, ...plain, visibility, focused, lastFocus, text, edits }
    const known = others.get(tab.id)
    if (known !== undefined) {
      const before = known.tab
      known.tab = tab
      if (!isSame(before, tab)) onEvent(before, tab)
      return
    }
    const stop = new AbortController()
    others.set(tab.id, { tab, stop })
    // Shared, so that a waiting tab does not block the others.
    const options = { mode: 'shared', signal: stop.signal } as const
    navigator.locks.request(lockOf(tab.id), options, () => remove(tab.id)).catch(() => {})
    onEvent(undefined, tab)
  }

  function remove(gone: string) {
    const known = others.get(gone)
    if (known === undefined) return
    others.delete(gone)
    known.stop.abort()
    for (const question of questions.values()) if (question.of === gone) question.settle()
    onEvent(known.tab, undefined)
  }

  async function begin() {
    leaving = new AbortController()
    const ends = leaving.signal
    let mine: string
    try {
      mine = await pageId(signal) // with its lock, before it is announced: who gets that treats the tab as ended
    } catch {
      return // the source has ended
    }
    if (ends.aborted) return
    id = mine
    if ('locks' in navigator) channel = new BroadcastChannel(channelName)
    else began.resolve() // alone: no secure context
    if (channel) channel.onmessage = ({ data }) => receive(data)
    refresh(true)
    const timer = setTimeout(began.resolve, discoveryTime)
    ends.addEventListener('abort', () => clearTimeout(timer))
  }

  /** Leaves: sends `gone`, cancels all requests. */
  function end() {
    leaving.abort()
    if (id !== undefined) send({ is: 'gone', id })
    channel?.close()
    channel = undefined
    id = undefined
    for (const { stop } of others.values()) stop.abort()
    for (const { settle } of questions.values()) settle()
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
  watchTitle(soon, signal)
  watchUrl(soon, signal)
  if (selector !== undefined) {
    void load()
    watchText(selector, signal, () => {
      edits++
      refresh()
    })
  }
  addEventListener('pagehide', end, { signal })
  const back = ({ persisted }: PageTransitionEvent) => {
    if (!persisted) return
    const gone = [...others.values()] // those that are open are discovered again
    others.clear()
    for (const { tab } of gone) onEvent(tab, undefined)
    void begin()
  }
  addEventListener('pageshow', back, { signal })
  signal.addEventListener('abort', () => {
    end()
    began.resolve()
  })
  void begin()

  return {
    ready: began.promise,
    all: () => [...Array.from(others.values(), ({ tab }) => tab), ...(own ? [own] : [])],
    isOwn: (tab) => tab.id === own?.id,
    async textOf(tab, signal) {
      const isOwn = tab.id === own?.id
      if (!tab.text || !(isOwn || others.has(tab.id))) throw new NotFoundError(textUri(tab))
      if (isOwn) return ownText()
      const number = ++lastQuestion
      const limit = AbortSignal.any([signal, AbortSignal.timeout(textTimeout)])
      limit.throwIfAborted()
      try {
        const answer = await new Promise<TabText | undefined>((settle, reject) => {
          questions.set(number, { of: tab.id, settle })
          limit.addEventListener('abort', () => reject(limit.reason))
          if (id) send({ is: 'ask', to: tab.id, from: id, number })
        })
        if (answer === undefined) throw new NotFoundError(textUri(tab))
        const { text, cut } = cutText(answer.text.toWellFormed())
        return { text, cut: cut || answer.cut === true }
      } finally {
        questions.delete(number)
      }
    },
  }
}

const textUri = ({ id }: TabState) => `tab:///${id}/text`
const isSame = (a: TabState, b: TabState) => JSON.stringify(a) === JSON.stringify(b)

/** Malformed messages are ignored: any script of this origin can post to the channel. */
function isMessage(data: unknown): data is Message {
  const { is, tab, id, to, from, number, answer } = (data ?? {}) as { [name: string]: unknown }
  switch (is) {
    case 'new':
    case 'here':
      return isTab((tab ?? {}) as TabState)
    case 'gone':
      return typeof id === 'string'
    case 'ask':
      return [to, from].every((name) => typeof name === 'string') && typeof number === 'number'
    case 'text':
      return answer === undefined || typeof (answer as TabText | null)?.text === 'string'
  }
  return false
}

function isTab({ id, title, url, visibility, focused, lastFocus, text, edits }: TabState) {
  return (
    typeof id === 'string' &&
    /^[\w-]{1,64}$/.test(id) &&
    [title, url].every((one) => typeof one === 'string') &&
    (visibility === 'visible' || visibility === 'hidden') &&
    [focused, text].every((one) => typeof one === 'boolean') &&
    typeof edits === 'number' &&
    !Number.isNaN(new Date(lastFocus).getTime())
  )
}

function cutText(text: string): TabText {
  if (text.length <= maxText) return { text, cut: false }
  return { text: text.slice(0, maxText).replace(/[\ud800-\udbff]$/, ''), cut: true }
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

/** Calls `changed` when the text of elements may have changed, at most once in {@link textPause}. */
function watchText(selector: string, signal: AbortSignal, changed: () => void) {
  let timer: ReturnType<typeof setTimeout> | undefined
  const concerns = (record: MutationRecord) =>
    !isOfDraft(record) &&
    all(selector).some(
      (element) => contains(element, record.target) || contains(record.target, element),
    )
  const observer = new MutationObserver((records) => {
    if (timer !== undefined || !records.some(concerns)) return
    timer = setTimeout(() => {
      timer = undefined
      changed()
    }, textPause)
  })
  const what = { attributes: true, characterData: true, childList: true, subtree: true }
  observer.observe(document.body ?? document, what)
  signal.addEventListener('abort', () => {
    observer.disconnect()
    clearTimeout(timer)
  })
}
