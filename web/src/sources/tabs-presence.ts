/**
 * Who is there: tabs of one origin that know of each other. Each holds a Web Lock of its own name and
 * tells the others on a BroadcastChannel what it is; they queue for its lock, and have it when it is
 * gone, be it by a crash.
 *
 * A document in the back/forward cache is no open tab. On its way there it says goodbye, lets go of
 * its lock, and closes the channel: a message or somebody's request for the lock would throw it out
 * of the cache. So nobody ever asks `locks.query()` either: that evicts documents which hold a lock of
 * the app's own.
 */

import { toBase64Url } from '../base64url.ts'
import { pageId, watchPageId } from '../page-id.ts'
import { NotFoundError } from '../source.ts'
import { isMessage, type Message, type TabText } from './tabs-messages.ts'
import { type TabState, watchContent, watchOwn } from './tabs-own.ts'
import type { OwnText } from './tabs-text.ts'

/** How long answers to a newcomer's question may take until it believes to know all tabs. */
const discoveryTime = 250 // ms; a hidden window's timer takes a second

/** How long another tab may take to say its text; it has no timers to wait for. */
const textTimeout = 10_000 // ms

const channelName = 'pagemcp.tabs'

/** What happened to a tab. */
export interface TabEvent {
  /** undefined: it came. */
  readonly before?: TabState
  /** undefined: it went. */
  readonly now?: TabState
}

/** The tabs of this origin. */
export interface Presence {
  /** Settles when those that were there before this one had time to say so. */
  readonly ready: Promise<void>
  /** This one; undefined until it has its id. */
  own(): TabState | undefined
  /** Says that somebody watches here, or nobody any more. */
  watch(on: boolean): void
  /** All, this one among them. */
  all(): TabState[]
  /** Asks a tab for its text. Rejects with `NotFoundError` if it goes, or `TimeoutError`. */
  textOf(tab: TabState, signal: AbortSignal): Promise<TabText>
}

/**
 * Joins the tabs of this origin, until the signal ends it. Where there are no Web Locks (no secure
 * context, or an opaque origin), this tab is alone.
 *
 * @param text - this tab's text; undefined: it is not for others
 * @param onEvent - called after each change
 */
export function joinTabs(
  text: OwnText | undefined,
  onEvent: (event: TabEvent) => void,
  signal: AbortSignal,
): Presence {
  const others = new Map<string, { tab: TabState; stop: AbortController }>() // by stay
  const textRequests = new Map<number, { stay: string; settle(answer?: TabText): void }>()
  let lastTextRequest = 0
  let id: string | undefined
  let own: TabState | undefined
  let visit: DocumentVisit | undefined
  let attempts = 0 // of beginning and ending: what was begun may be over before it is done
  let alone = !('locks' in navigator) || typeof BroadcastChannel === 'undefined'
  let watching = false
  let edits = 0
  let contentWatch: AbortController | undefined // at what this tab's text is
  const observeOwn = watchOwn(refresh, signal)
  const began = Promise.withResolvers<void>()

  /** Tells what this tab is now, if that is anything new. */
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

  /** Looks at the text as long as somebody watches, in whichever tab. */
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

  function receive(data: unknown) {
    if (!isMessage(data)) return
    switch (data.is) {
      case 'new':
        if (own) visit?.send({ is: 'here', tab: own })
        return addOrUpdate(data.tab)
      case 'here':
        return addOrUpdate(data.tab)
      case 'gone':
        return remove(data.stay)
      case 'ask':
        if (data.to !== visit?.name) return
        return visit.send({ is: 'text', to: data.from, number: data.number, answer: text?.read() })
      case 'text':
        if (data.to === visit?.name) textRequests.get(data.number)?.settle(data.answer)
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
    // Shared, so that one of those who wait cannot keep the others waiting.
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
    else setTimeout(began.resolve, discoveryTime)
  }

  /** Leaves without a trace that others could stumble upon. */
  function end() {
    attempts++
    visit?.end()
    visit = undefined
    for (const { stop } of others.values()) stop.abort()
    for (const { settle } of textRequests.values()) settle()
    updateContentWatch()
  }

  /** Forgets who was there: whoever comes back to life asks anew. */
  function forget() {
    const gone = [...others.values()]
    others.clear()
    for (const { tab } of gone) onEvent({ before: tab })
  }

  const stopWatchingId = watchPageId((next) => {
    id = next
    refresh()
  })
  signal.addEventListener('abort', () => {
    stopWatchingId()
    end()
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
    ready: Promise.all([began.promise, pageId()]).then(() => {}),
    own: () => own,
    watch(on) {
      watching = on
      refresh()
    },
    all: () => [...(own ? [own] : []), ...Array.from(others.values(), ({ tab }) => tab)],
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

/** From when a document is shown until it goes, be it into the back/forward cache. */
interface DocumentVisit {
  readonly name: string
  send(message: Message): void
  end(): void
}

async function beginVisit(receive: (data: unknown) => void): Promise<DocumentVisit> {
  const name = toBase64Url(crypto.getRandomValues(new Uint8Array(12)))
  // Held before anybody hears of it: whoever gets this lock takes the tab for gone.
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
  return JSON.stringify(a) === JSON.stringify(b) // made alike, so their members have one order
}
