import { rankCompletions } from '../answer-call.ts'
import { lockOf, pageId } from '../connector.ts'
import { metaLossy } from '../contents.ts'
import { nextTask } from '../link.ts'
import { lazily, loader } from '../module.ts'
import { redactUrl } from '../redact.ts'
import {
  BadCursorError,
  type Changed,
  type Contents,
  NotFoundError,
  type ReadOptions,
  type Resource,
  type Source,
} from '../source.ts'
import { plainLabel } from '../translation.ts'
import { wrongOption } from './idb.ts'
import { all, contains, isOfDraft } from './page-content.ts'
import { watchUrl, whileUsed } from './wrap.ts'

/** Options of {@link tabs}. */
export interface TabsOptions {
  /**
   * CSS selectors of the elements whose text this tab shares; default: `false`, none. Hidden
   * text, values of fields and editable elements, and elements with `data-mcp-private` are never
   * shared. Each tab decides for itself.
   */
  text?: readonly [string, ...string[]] | false
}

const words = {
  list: { title: 'Open tabs', description: 'All open tabs of this app.' },
  active: {
    title: 'Active tab',
    description: 'The tab of this app that had the focus last.',
  },
  tab: {
    title: 'A tab',
    description: 'Title, URL, visibility and focus of an open tab of this app.',
  },
  text: {
    title: 'The text of a tab',
    description: 'What a user can see in an open tab of this app.',
  },
}

/**
 * Publishes the open tabs of this origin that have mounted this, from any of them:
 *
 * - `tab:///`: `{ active, tabs }`, JSON: the id of the tab that had the focus last, and all tabs
 * - `tab:///active`: that tab, JSON
 * - `tab:///{id}`: a tab, JSON: `id`, `title`, `url` (without secrets), `visibility` (`visible` or
 *   `hidden`), `focused`, `lastFocus` (ISO 8601, or null), `active`, and `this`: whether it is the one
 *   that answers
 * - `tab:///{id}/text` and `tab:///active/text`, of tabs that name selectors: the visible text of these
 *   elements, `text/plain`, at most 200,000 UTF-16 code units; the tab has 10 s to send it
 *
 * A tab keeps its id through reloads; a duplicate gets a new one. A tab in the
 * back/forward cache is not open, and stays in that cache. Announced are opened, closed and crashed tabs,
 * and changes of titles, URLs, visibility, focus and texts. Runs in the window. Without Web Locks (no secure context, or an opaque origin) this tab is the only one.
 *
 * @returns a source (Go's `engine.Source`, `engine.Watcher`). `read` rejects with
 *   {@link NotFoundError}, or a `TimeoutError` if a tab does not send its text
 * @throws a `DOMException` named `SyntaxError` if a selector does not parse
 * @see https://w3c.github.io/web-locks/
 */
export function tabs(options: TabsOptions = {}): Source {
  const { text = false } = options
  if (text !== false && !isSelectors(text)) {
    throw wrongOption('tabs', 'text', "false or an array of selectors such as ['main']", text)
  }
  const selector = text === false ? undefined : text.join(',')
  if (selector !== undefined && globalThis.document) all(selector) // one that does not parse throws here, not at a read
  const listeners = new Set<Changed>()
  const tell: Changed = (what, under) => {
    for (const changed of listeners) changed(what, under)
  }
  let active: string | undefined
  let presence: Presence | undefined // while it is used
  const use = whileUsed((signal) => {
    presence = joinTabs(selector, onEvent, signal)
    const leave = () => {
      presence = undefined
      active = undefined
    }
    signal.addEventListener('abort', leave, { once: true })
  })

  /** Announces the resources that an event makes stale, also those of the active tab, which may change. */
  function onEvent(before: TabState | undefined, now: TabState | undefined) {
    const last = active
    active = activeOf(presence?.all() ?? [])?.id
    const ids = new Set([before?.id, now?.id].filter((id) => id !== undefined))
    if (ids.has(active ?? '') || last !== active) ids.add('active')
    const differs = (...names: (keyof TabState)[]) =>
      names.some((name) => before?.[name] !== now?.[name])
    if (differs('id', 'title', 'url', 'edits')) for (const id of ids) tell(`tab:///${id}/text`)
    if (differs('id', 'title', 'url')) tell(undefined) // a listing has titles
    if (!differs('id', 'title', 'url', 'visibility', 'focused', 'lastFocus')) return
    tell('tab:///')
    for (const id of ids) tell(`tab:///${id}`)
    if (last !== active) tell('tab:///active/text')
  }

  async function states(): Promise<readonly TabState[]> {
    await presence?.ready
    return presence?.all() ?? []
  }

  return {
    ...tabList({
      words,
      async tabs() {
        const open = await states()
        const activeId = activeOf(open)?.id
        return open.map((tab) => {
          const { id, title, url, visibility, focused, lastFocus } = tab
          const active = id === activeId
          const details = {
            id,
            title,
            url,
            visibility,
            focused,
            lastFocus: lastFocus === 0 ? null : new Date(lastFocus).toISOString(),
            active,
            this: presence?.isOwn(tab) ?? false,
          }
          return { id, title, url, active, hasText: tab.text, details }
        })
      },
      async text({ id }, { signal }) {
        const tab = (await states()).find((one) => one.id === id)
        return tab && presence?.textOf(tab, signal)
      },
    }),
    mounted: use,
    watch(changed, signal) {
      const listener: Changed = (what, under) => changed(what, under)
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
      use(signal)
    },
  }
}

function isSelectors(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === 'string')
}

/** The tab with the last focus; of several, one that has the focus now. */
function activeOf(all: readonly TabState[]): TabState | undefined {
  const [first] = [...all].sort(
    (a, b) =>
      Number(b.focused) - Number(a.focused) || b.lastFocus - a.lastFocus || (a.id < b.id ? -1 : 1),
  )
  return first
}

// A list of tabs as a source: URIs, listing, reading, templates and completion. {@link tabs} and the browser extension use it.

/** A tab of a list. */
export interface ListedTab {
  /** 1 to 64 letters, digits, `_` and `-`; not `active`. */
  readonly id: string
  /** See {@link tabTitle}. */
  readonly title: string
  /** See {@link tabUrl}. */
  readonly url: string
  /** Whether `tab:///active` is this one. */
  readonly active: boolean
  /** Whether its text can be read. */
  readonly hasText: boolean
  /** What a read returns: a JSON object. */
  readonly details: object
  /** JSON pointers of the details that differ from the tab's own values. */
  readonly lossy?: string[]
  /** The origin of its document. */
  readonly origin?: string
  /** The user has not shared it with this client: no list has it, and reads reject with a `NotAllowedError`. */
  readonly isDenied?: boolean
}

/** The text of a tab. */
export interface TabText {
  readonly text: string
  /** Whether the text is longer. */
  readonly cut: boolean
}

interface Words {
  readonly title: string
  readonly description: string
}

/** What {@link tabList} needs. */
export interface TabListOptions {
  /** Title and description of the list, of the active tab, and of the two templates. */
  readonly words: Readonly<Record<'list' | 'active' | 'tab' | 'text', Words>>
  /** The present tabs, in any order, each id once. */
  tabs(options: ReadOptions): Promise<readonly ListedTab[]>
  /** The visible text of such a tab; `undefined` if it is gone. */
  text(tab: ListedTab, options: ReadOptions): Promise<TabText | undefined>
}

/** The methods of a {@link Source} that a list of tabs has. */
export type TabList = Required<Pick<Source, 'list' | 'read' | 'templates' | 'complete'>>

const json = 'application/json'
const plain = 'text/plain'
const base = 'tab:///'
const activeUri = 'tab:///active'

/** The longest title. */
const maxTitle = 300 // UTF-16 code units

/** The longest URL; a longer one loses its query and fragment. */
const maxUrl = 4096 // UTF-16 code units

/**
 * Publishes tabs: `tab:///` is `{ active, tabs }`, JSON; `tab:///active` and `tab:///{id}` are the details of one,
 * JSON; `tab:///active/text` and `tab:///{id}/text` its text.
 *
 * Its `read` rejects with {@link NotFoundError}, or as `text` does. A cursor of `list` is the last URI of the previous part, whose tab may be gone.
 */
export function tabList({ words, tabs, text }: TabListOptions): TabList {
  const fixed: readonly Resource[] = [
    { uri: base, name: 'tabs', ...words.list, mimeType: json },
    { uri: activeUri, name: 'active', ...words.active, mimeType: json },
  ]
  const shared = async (options: ReadOptions) =>
    (await tabs(options))
      .filter(({ isDenied }) => !isDenied)
      .sort((a, b) => (orderOf(base + a.id) < orderOf(base + b.id) ? -1 : 1))

  return {
    async list(cursor, options) {
      if (cursor !== undefined && partsOf(cursor) === undefined) throw new BadCursorError(cursor)
      const all = [...fixed, ...(await shared(options)).flatMap(resourcesOf)]
      const from = cursor === undefined ? undefined : orderOf(cursor)
      const rest = all.filter(({ uri }) => from === undefined || orderOf(uri) > from)
      const resources = rest.slice(0, Math.max(options.pageSize, 1))
      const nextCursor = rest.length > resources.length ? resources.at(-1)?.uri : undefined
      return { resources, nextCursor }
    },

    async read(uri, options) {
      const parts = partsOf(uri)
      if (parts === undefined) throw new NotFoundError(uri)
      if (uri === base) return [listContents(await shared(options))]
      const isWanted = ({ id, active }: ListedTab) =>
        parts.id === 'active' ? active : id === parts.id
      const tab = (await tabs(options)).find(isWanted)
      if (tab?.isDenied) throw new DOMException(uri, 'NotAllowedError')
      if (tab === undefined || (parts.text && !tab.hasText)) throw new NotFoundError(uri)
      const { details, lossy = [] } = tab
      if (!parts.text) return [jsonContents(uri, details, lossy)]
      const found = await text(tab, options)
      if (found === undefined) throw new NotFoundError(uri)
      const _meta = found.cut ? { [metaLossy]: [''] } : undefined
      return [{ uri, mimeType: plain, text: found.text, _meta }]
    },

    templates: async () => [
      { uriTemplate: `${base}{id}`, name: 'tab', ...words.tab, mimeType: json },
      { uriTemplate: `${base}{id}/text`, name: 'tab-text', ...words.text, mimeType: plain },
    ],

    /** Ids that fit the typed text, by themselves or by the titles of their tabs; for `/text`, of tabs that have one. */
    async complete(ref, { name, value }, context) {
      if (ref.type !== 'ref/resource' || !ref.uri.startsWith(base) || name !== 'id') {
        throw new NotFoundError(ref.type === 'ref/resource' ? ref.uri : ref.name)
      }
      const wantsText = ref.uri.endsWith('/text')
      const open = await shared(context)
      const fitting = open.filter(({ hasText }) => hasText || !wantsText)
      const active = !wantsText || fitting.some((tab) => tab.active) ? ['active'] : []
      const ids = rankCompletions([...active, ...fitting.map(({ id }) => id)], value)
      const titled = rankCompletions([...new Set(fitting.map(({ title }) => title))], value)
      const byTitle = titled.flatMap((title) =>
        fitting.filter((tab) => tab.title === title).map(({ id }) => id),
      )
      return [...new Set([...ids, ...byTitle])]
    },
  }
}

/** The title of a tab as lists have it: see {@link plainLabel}. */
export function tabTitle(title: string): string {
  return plainLabel(title.slice(0, 2 * maxTitle), maxTitle)
}

/** The URL of a tab as lists have it: without secrets; a long one without query and fragment. */
export function tabUrl(url: string): string {
  return shortened(redactUrl(shortened(url)))
}

function shortened(url: string): string {
  if (url.length <= maxUrl) return url
  return (url.split(/[?#]/, 1)[0] ?? '').slice(0, maxUrl)
}

function listContents(all: readonly ListedTab[]): Contents {
  const active = all.find((tab) => tab.active)?.id ?? null
  const lossy = all.flatMap(({ lossy = [] }, i) => lossy.map((at) => `/tabs/${i}${at}`))
  return jsonContents(base, { active, tabs: all.map(({ details }) => details) }, lossy)
}

function jsonContents(uri: string, value: object, lossy: string[]): Contents {
  const _meta = lossy.length > 0 ? { [metaLossy]: lossy } : undefined
  return { uri, mimeType: json, text: JSON.stringify(value), _meta }
}

function resourcesOf({ id, title, url, hasText }: ListedTab): Resource[] {
  const name = title || url
  const own = { uri: `${base}${id}`, name, description: url, mimeType: json }
  if (!hasText) return [own]
  return [own, { uri: `${own.uri}/text`, name: `${name} (text)`, mimeType: plain }]
}

/** The id in a URI, '' in that of the list, and whether it is the URI of a text; `undefined`: another URI. */
function partsOf(uri: string): { id: string; text: boolean } | undefined {
  const [, id, text] = /^tab:\/\/\/([\w-]{0,64})(\/text)?$/.exec(uri) ?? []
  if (id === undefined || (id === '' && text !== undefined)) return undefined
  return { id, text: text !== undefined }
}

/**
 * The order of listings as text: the list, the active tab, then by id, a text after its tab. Shorter ids first, so that
 * numbers are in their order.
 */
function orderOf(uri: string): string {
  const { id, text } = partsOf(uri) ?? { id: '', text: false }
  if (uri === base || uri === activeUri) return uri === base ? '' : '0'
  return `${String(id.length).padStart(2, '0')}${id}${text ? '/' : ''}`
}

// Discovers the open tabs of an origin. Each tab holds the Web Lock of its id (connector.ts) and posts its state on a
// BroadcastChannel. The other tabs request its lock, and get it when the tab is closed or has crashed.
//
// A document in the back/forward cache is not an open tab. Before it enters the cache it sends `gone`, its lock is
// released, and it closes the channel, because a message or a request for the lock would evict it.
// `locks.query()` is not used: it evicts documents that hold a lock of the app.

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
  /** The page id, which survives reloads (connector.ts). */
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
  const reader = loader(async () => (await load()).partReader(selector ?? '', nextTask))

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

  async function ownText(user: AbortSignal): Promise<TabText> {
    const read = await reader()
    return cutText((await read('text', user)).text)
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
        void ownText(AbortSignal.any([leaving.signal, AbortSignal.timeout(textTimeout)])).then(
          answer,
          (error) => {
            globalThis.reportError?.(error)
            answer()
          },
        )
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
    reader().catch(() => {})
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
      if (isOwn) return ownText(signal)
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
