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
import { heedPage, page } from '../pages.ts'
import { NotFoundError } from '../source.ts'
import { isMessage, type Message, type TabText } from './tabs-messages.ts'
import { type TabState, watchContent, watchOwn } from './tabs-own.ts'
import type { OwnText } from './tabs-text.ts'

/** How long answers to a newcomer's question may take until it believes to know all tabs. */
const rollCall = 250 // ms; a hidden window's timer takes a second

/** How long another tab may take to say its text; it has no timers to wait for. */
const answerLimit = 10_000 // ms

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
 * @param heard - called after each change
 */
export function joinTabs(
  text: OwnText | undefined,
  heard: (event: TabEvent) => void,
  signal: AbortSignal,
): Presence {
  const others = new Map<string, { tab: TabState; stop: AbortController }>() // by stay
  const asked = new Map<number, { stay: string; settle(answer?: TabText): void }>()
  let lastAsked = 0
  let id: string | undefined
  let own: TabState | undefined
  let stay: Stay | undefined
  let turns = 0 // of beginning and ending: what was begun may be over before it is done
  let alone = !('locks' in navigator) || typeof BroadcastChannel === 'undefined'
  let watching = false
  let edits = 0
  let looking: AbortController | undefined // at what this tab's text is
  const view = watchOwn(refresh, signal)
  const began = Promise.withResolvers<void>()

  /** Tells what this tab is now, if that is anything new. */
  function refresh() {
    if (id === undefined || stay === undefined) return
    const now: TabState = {
      id,
      stay: stay.name,
      text: text !== undefined,
      edits,
      watching,
      ...view(),
    }
    const before = own
    if (before !== undefined && same(before, now)) return
    own = now
    stay.say({ is: before?.stay === now.stay ? 'here' : 'new', tab: now })
    lookAtText()
    heard({ before, now })
  }

  /** Looks at the text as long as somebody watches, in whichever tab. */
  function lookAtText() {
    const wanted =
      text !== undefined &&
      stay !== undefined &&
      (watching || [...others.values()].some(({ tab }) => tab.watching))
    if (wanted === (looking !== undefined)) return
    looking?.abort()
    looking = wanted ? new AbortController() : undefined
    if (text === undefined || looking === undefined) return
    const changed = () => {
      edits++
      refresh()
    }
    watchContent(text.concerns, changed, looking.signal)
  }

  function hear(data: unknown) {
    if (!isMessage(data)) return
    switch (data.is) {
      case 'new':
        if (own) stay?.say({ is: 'here', tab: own })
        return meet(data.tab)
      case 'here':
        return meet(data.tab)
      case 'gone':
        return part(data.stay)
      case 'ask':
        if (data.to !== stay?.name) return
        return stay.say({ is: 'text', to: data.from, number: data.number, answer: text?.read() })
      case 'text':
        if (data.to === stay?.name) asked.get(data.number)?.settle(data.answer)
    }
  }

  function meet(tab: TabState) {
    if (stay === undefined || tab.stay === stay.name) return
    const known = others.get(tab.stay)
    if (known !== undefined) {
      const before = known.tab
      known.tab = tab
      lookAtText()
      if (!same(before, tab)) heard({ before, now: tab })
      return
    }
    const stop = new AbortController()
    others.set(tab.stay, { tab, stop })
    // Shared, so that one of those who wait cannot keep the others waiting.
    const options = { mode: 'shared', signal: stop.signal } as const
    navigator.locks.request(lockOf(tab.stay), options, () => part(tab.stay)).catch(() => {})
    lookAtText()
    heard({ now: tab })
  }

  function part(name: string) {
    const known = others.get(name)
    if (known === undefined) return
    others.delete(name)
    known.stop.abort()
    for (const question of asked.values()) if (question.stay === name) question.settle()
    lookAtText()
    heard({ before: known.tab })
  }

  async function begin() {
    const turn = ++turns
    let next: Stay = { name: 'alone', say() {}, end() {} }
    try {
      if (!alone) next = await beginStay(hear)
    } catch {
      alone = true // an opaque origin
    }
    if (turn !== turns || signal.aborted) return next.end()
    stay = next
    refresh()
    if (alone) began.resolve()
    else setTimeout(began.resolve, rollCall)
  }

  /** Leaves without a trace that others could stumble upon. */
  function end() {
    turns++
    stay?.end()
    stay = undefined
    for (const { stop } of others.values()) stop.abort()
    for (const { settle } of asked.values()) settle()
    lookAtText()
  }

  /** Forgets who was there: whoever comes back to life asks anew. */
  function forget() {
    const gone = [...others.values()]
    others.clear()
    for (const { tab } of gone) heard({ before: tab })
  }

  const stopHeeding = heedPage((next) => {
    id = next
    refresh()
  })
  signal.addEventListener('abort', () => {
    stopHeeding()
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
    ready: Promise.all([began.promise, page()]).then(() => {}),
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
      const number = ++lastAsked
      const limit = AbortSignal.any([signal, AbortSignal.timeout(answerLimit)])
      limit.throwIfAborted()
      try {
        const answer = await new Promise<TabText | undefined>((settle, reject) => {
          asked.set(number, { stay: tab.stay, settle })
          limit.addEventListener('abort', () => reject(limit.reason))
          stay?.say({ is: 'ask', to: tab.stay, from: stay.name, number })
        })
        if (answer === undefined) throw new NotFoundError(`tab:///${tab.id}/text`)
        return answer
      } finally {
        asked.delete(number)
      }
    },
  }
}

/** From when a document is shown until it goes, be it into the back/forward cache. */
interface Stay {
  readonly name: string
  say(message: Message): void
  end(): void
}

async function beginStay(hear: (data: unknown) => void): Promise<Stay> {
  const name = toBase64Url(crypto.getRandomValues(new Uint8Array(12)))
  // Held before anybody hears of it: whoever gets this lock takes the tab for gone.
  const release = await new Promise<() => void>((resolve, reject) => {
    const hold = () => new Promise<void>((end) => resolve(end))
    navigator.locks.request(lockOf(name), hold).catch(reject)
  })
  const channel = new BroadcastChannel(channelName)
  channel.onmessage = ({ data }) => hear(data)
  let ended = false
  return {
    name,
    say(message) {
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
