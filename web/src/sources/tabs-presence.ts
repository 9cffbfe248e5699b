/**
 * Discovers the open tabs of an origin. Each tab holds a Web Lock and posts its state on a BroadcastChannel.
 * The other tabs request its lock, and get it when the tab is closed or has crashed.
 *
 * A document in the back/forward cache is not an open tab. Before it enters the cache it sends `gone`,
 * releases its lock and closes the channel, because a message or a request for the lock would evict it.
 * `locks.query()` is not used: it evicts documents that hold a lock of the app.
 */

import { toBase64Url } from '../base64url.ts'
import { pageId, watchPageId } from '../page-id.ts'
import { NotFoundError } from '../source.ts'
import type { TabText } from './tab-list.ts'
import { isMessage, type Message } from './tabs-messages.ts'
import { receivedState, type TabState, watchContent, watchOwn } from './tabs-own.ts'
import { type OwnText, receivedText } from './tabs-text.ts'

/** How long a new tab waits for the states of the others. */
const discoveryTime = 250 // ms; a hidden window's timer takes a second

/** The timeout for the text of another tab; its answer waits for no timer there. */
const textTimeout = 10_000 // ms

const channelName = 'pagemcp.tabs'

/** A change of a tab. */
export interface TabEvent {
  /** `undefined`: the tab was opened. */
  readonly before?: TabState
  /** `undefined`: the tab was closed. */
  readonly now?: TabState
}

/** The tabs of this origin. */
export interface Presence {
  /** Resolves when earlier tabs have had time to answer. */
  readonly ready: Promise<void>
  /** This tab; `undefined` until it has its id. */
  own(): TabState | undefined
  /** Announces whether this tab has listeners. */
  watch(on: boolean): void
  /** All tabs; this one is the last. */
  all(): TabState[]
  /** Requests the text of a tab. Rejects with `NotFoundError` if the tab closes, or `TimeoutError`. */
  textOf(tab: TabState, signal: AbortSignal): Promise<TabText>
}

/**
 * Joins the tabs of this origin, until the signal is aborted. Without Web Locks (no secure context, or an
 * opaque origin) this tab is the only one.
 *
 * @param text - this tab's text; `undefined`: it is not shared
 * @param onEvent - called after each change
 */
export function joinTabs(
  text: OwnText | undefined,
  onEvent: (event: TabEvent) => void,
  signal: AbortSignal,
): Presence {
  const others = new Map<string, { tab: TabState; stop: AbortController }>() // by visit
  const textRequests = new Map<number, { stay: string; settle(answer?: TabText): void }>()
  let lastTextRequest = 0
  let id: string | undefined
  let own: TabState | undefined
  let visit: DocumentVisit | undefined
  let attempts = 0 // of `begin` and `end`: a later one may overtake
  let alone = !('locks' in navigator) || typeof BroadcastChannel === 'undefined'
  let watching = false
  let edits = 0
  let contentWatch: AbortController | undefined // of this tab's text
  let discovery: ReturnType<typeof setTimeout> | undefined
  const observeOwn = watchOwn(refresh, signal)
  const began = Promise.withResolvers<void>()

  /** Sends the state of this tab if it has changed. */
  function refresh() {
    if (id === undefined || visit === undefined) return
    const now: TabState = {
      id,
      stay: visit.name,
      text: text !== undefined,
      edits,
      watching,
      ...observeOwn(),
    }
    const before = own
    if (before !== undefined && same(before, now)) return
    own = now
    visit.send({ is: before?.stay === now.stay ? 'here' : 'new', tab: now })
    updateContentWatch()
    onEvent({ before, now })
  }

  /** Observes the text while any tab has listeners. */
  function updateContentWatch() {
    const wanted =
      text !== undefined &&
      visit !== undefined &&
      (watching || [...others.values()].some(({ tab }) => tab.watching))
    if (wanted === (contentWatch !== undefined)) return
    contentWatch?.abort()
    contentWatch = wanted ? new AbortController() : undefined
    if (text === undefined || contentWatch === undefined) return
    const changed = () => {
      edits++
      refresh()
    }
    watchContent(text.concerns, changed, contentWatch.signal)
  }

  /** Sends the text of this tab to another one; none if it cannot be read. */
  async function sendText(to: string, number: number, from: DocumentVisit) {
    const answer = await text?.read().catch((error: unknown) => {
      globalThis.reportError?.(error)
      return undefined
    })
    if (visit === from) from.send({ is: 'text', to, number, answer })
  }

  function receive(data: unknown) {
    if (!isMessage(data)) return
    switch (data.is) {
      case 'new':
        if (own) visit?.send({ is: 'here', tab: own })
        return addOrUpdate(receivedState(data.tab))
      case 'here':
        return addOrUpdate(receivedState(data.tab))
      case 'gone':
        return remove(data.stay)
      case 'ask':
        if (data.to !== visit?.name) return
        void sendText(data.from, data.number, visit)
        return
      case 'text':
        if (data.to !== visit?.name) return
        return textRequests.get(data.number)?.settle(data.answer && receivedText(data.answer))
    }
  }

  function addOrUpdate(tab: TabState) {
    if (visit === undefined || tab.stay === visit.name) return
    const known = others.get(tab.stay)
    if (known !== undefined) {
      const before = known.tab
      known.tab = tab
      updateContentWatch()
      if (!same(before, tab)) onEvent({ before, now: tab })
      return
    }
    const stop = new AbortController()
    others.set(tab.stay, { tab, stop })
    // Shared, so that a waiting tab does not block the others.
    const options = { mode: 'shared', signal: stop.signal } as const
    navigator.locks.request(lockOf(tab.stay), options, () => remove(tab.stay)).catch(() => {})
    updateContentWatch()
    onEvent({ now: tab })
  }

  function remove(name: string) {
    const known = others.get(name)
    if (known === undefined) return
    others.delete(name)
    known.stop.abort()
    for (const request of textRequests.values()) if (request.stay === name) request.settle()
    updateContentWatch()
    onEvent({ before: known.tab })
  }

  async function begin() {
    const attempt = ++attempts
    let next: DocumentVisit = { name: 'alone', send() {}, end() {} }
    try {
      if (!alone) next = await beginVisit(receive)
    } catch {
      alone = true // an opaque origin
    }
    if (attempt !== attempts || signal.aborted) return next.end()
    visit = next
    refresh()
    if (alone) began.resolve()
    else discovery = setTimeout(began.resolve, discoveryTime)
  }

  /** Leaves: sends `gone`, releases the lock, cancels all requests. */
  function end() {
    attempts++
    visit?.end()
    visit = undefined
    for (const { stop } of others.values()) stop.abort()
    for (const { settle } of textRequests.values()) settle()
    updateContentWatch()
  }

  /** Forgets the other tabs; after the back/forward cache they are discovered again. */
  function forget() {
    const gone = [...others.values()]
    others.clear()
    for (const { tab } of gone) onEvent({ before: tab })
  }

  const takeId = (next: string) => {
    id = next
    refresh()
  }
  watchPageId(takeId, signal)
  signal.addEventListener('abort', () => {
    end()
    clearTimeout(discovery)
    began.resolve()
  })
  addEventListener('pagehide', () => end(), { signal })
  addEventListener(
    'pageshow',
    ({ persisted }) => {
      if (!persisted) return
      forget()
      void begin()
    },
    { signal },
  )
  void begin()

  return {
    ready: Promise.all([began.promise, pageId(signal)]).then(() => {}),
    own: () => own,
    watch(on) {
      watching = on
      refresh()
    },
    all: () => [...Array.from(others.values(), ({ tab }) => tab), ...(own ? [own] : [])],
    async textOf(tab, signal) {
      if (tab.stay === own?.stay) {
        if (text === undefined) throw new NotFoundError(`tab:///${tab.id}/text`)
        return text.read()
      }
      if (!tab.text || !others.has(tab.stay)) throw new NotFoundError(`tab:///${tab.id}/text`)
      const number = ++lastTextRequest
      const limit = AbortSignal.any([signal, AbortSignal.timeout(textTimeout)])
      limit.throwIfAborted()
      try {
        const answer = await new Promise<TabText | undefined>((settle, reject) => {
          textRequests.set(number, { stay: tab.stay, settle })
          limit.addEventListener('abort', () => reject(limit.reason))
          visit?.send({ is: 'ask', to: tab.stay, from: visit.name, number })
        })
        if (answer === undefined) throw new NotFoundError(`tab:///${tab.id}/text`)
        return answer
      } finally {
        textRequests.delete(number)
      }
    },
  }
}

/** The time from showing a document until it is closed or enters the back/forward cache. */
interface DocumentVisit {
  readonly name: string
  send(message: Message): void
  end(): void
}

async function beginVisit(receive: (data: unknown) => void): Promise<DocumentVisit> {
  const name = toBase64Url(crypto.getRandomValues(new Uint8Array(12)))
  // Acquired before it is announced: a tab that gets this lock treats the visit as ended.
  const release = await new Promise<() => void>((resolve, reject) => {
    const hold = () => new Promise<void>((end) => resolve(end))
    navigator.locks.request(lockOf(name), hold).catch(reject)
  })
  const channel = new BroadcastChannel(channelName)
  channel.onmessage = ({ data }) => receive(data)
  let ended = false
  return {
    name,
    send(message) {
      if (!ended) channel.postMessage(message)
    },
    end() {
      if (ended) return
      channel.postMessage({ is: 'gone', stay: name } satisfies Message)
      ended = true
      channel.close()
      release()
    },
  }
}

function lockOf(stay: string): string {
  return `pagemcp.tab:${stay}`
}

function same(a: TabState, b: TabState): boolean {
  return JSON.stringify(a) === JSON.stringify(b) // made by the same code, so their members have one order
}
