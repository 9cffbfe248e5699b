/// <reference types="chrome" />

/**
 * Messages between the parts of the extension. The background owns tabs, ticks and consent; a message
 * starts it if it is stopped. Where the engine does not run in the background, it has no other extension API.
 */

import type { GatewayState, JoinReason, PageAccess } from 'pagemcp'

/** A tab as the background sees it, with the page's title and URL, not redacted. */
export interface TabInfo {
  id: number
  title: string
  url: string
  /** Its origin, if it is http or https: other tabs cannot be read. */
  site?: string
  window: number
  /** Whether it is in front of its window. */
  front: boolean
  /** Whether it is in front of the window used last. */
  active: boolean
  audible: boolean
  pinned: boolean
  loading: boolean
  /** Unloaded by the browser: it has no text until it is shown again. */
  discarded: boolean
  /** ms since 1970. */
  lastAccessed?: number
  /** Whether the user has ticked it, and its site still has consent. */
  ticked: boolean
  /** When the tick ends; ms since 1970. Without it, with the browser. */
  until?: number
  /** Whether assistants may read it: ticked, and sharing is not stopped. */
  shared: boolean
  /** Assistants that may not, since the user has stopped them at its site; in order. */
  stopped: string[]
  /** Assistants that may use the tools of its site now. */
  acting: string[]
}

/** The text of a tab. */
export interface TabText {
  text: string
  /** Whether the text is longer. */
  cut: boolean
}

/** Reads of a site by an assistant, and the user's decision about it. */
export interface SiteUse {
  site: string
  assistant: string
  /** What the assistant says of itself. */
  callsItself?: string
  /** Of the last read; ms since 1970. 0: there was none. */
  time: number
  reads: number
  /** The user has stopped the assistant at this site: it reads none of its tabs. */
  isStopped?: boolean
  /** Until when it may use the tools of the site, ms since 1970. */
  actsUntil?: number
}

/** The user stops an assistant at a site, or allows it again. */
export interface SiteChange {
  site: string
  assistant: string
  stop: boolean
}

/** How long a tick lasts: until the browser ends, for an hour, or until midnight. */
export type TickTime = 'session' | 'hour' | 'today'

/** What the user changes about assistants: all of them, or one. */
export type AccessChange = { pause: boolean } | { stop: string } | { allow: string }

/** The status of the engine. */
export interface EngineStatus {
  gateway?: GatewayState
  /** Why it cannot join; a retry would not help. */
  reason?: JoinReason
  /** Why the engine did not start. */
  failure?: string
  /** Assistants that have read today, or are stopped. */
  assistants: Awaited<ReturnType<PageAccess['grants']>>
  /** No assistant reads anything until then; ms since 1970. */
  pausedUntil?: number
}

/** The state that the popup shows. */
export interface Overview {
  /** Whether sharing is on. */
  on: boolean
  tabs: TabInfo[]
  /** Origins whose tabs may be ticked without a prompt. */
  sites: string[]
  /** Which assistants have read which sites. */
  uses: SiteUse[]
  status: EngineStatus
}

/** What each part does for the others. Arguments and answers are JSON. */
export interface Parts {
  background: {
    overview(): Promise<Overview>
    /**
     * Ticks a tab if it still shows this site, to which there is consent, or unticks it. `time` is `session` by
     * default.
     */
    tick(args: { tab: number; site: string; on: boolean; time?: TickTime }): Promise<void>
    /**
     * The user has ticked a tab, and sees the permission prompt for its site, which may close the popup;
     * `undefined`: the user has refused.
     */
    asking(wanted: { tab: number; site: string } | undefined): Promise<void>
    /** The user has granted the permission: ticks the tab. */
    consent(choice: { tab: number; site: string }): Promise<void>
    /** Revokes consent. */
    forget(args: { site: string }): Promise<void>
    untickAll(): Promise<void>
    /** The switch for all sharing. */
    share(args: { on: boolean }): Promise<void>
    /** Joins the gateway of a link. */
    join(args: { link: string }): Promise<void>
    /** Stops or allows an assistant, or pauses all. */
    access(change: AccessChange): Promise<void>
    /** Stops or allows an assistant at one site. */
    siteAccess(change: SiteChange): Promise<void>
  }
  /** The background, for the engine. */
  host: {
    /** The engine has started, and needs the tabs. */
    started(): Promise<void>
    /** A tick has ended by its time. */
    ended(): Promise<void>
    /** Assistants have read. */
    used(args: { uses: SiteUse[] }): Promise<void>
    /** The gateway is joined; the next start joins it again. */
    joined(): Promise<void>
    /** The tabs that assistants may read, except those in {@link TabInfo.stopped}. */
    sharedTabs(): Promise<TabInfo[]>
    /** The text of such a tab for an assistant; `undefined`: there is no such tab. */
    text(args: { tab: number; site: string; client: string }): Promise<TabText | undefined>
    /** Makes the document of a shared tab connect its tools to the engine. */
    attach(args: { tab: number }): Promise<void>
    /** Opens the window that asks the user. */
    ask(): Promise<void>
    /** The user lets an assistant use the tools of a site, for 8 hours. */
    mayAct(args: { site: string; assistant: string }): Promise<void>
  }
  engine: {
    status(): Promise<EngineStatus>
    /** Rejects with a TypeError if the text is not a link of a gateway. */
    join(args: { link: string }): Promise<void>
    access(change: AccessChange): Promise<void>
    /** Ends subscriptions with a result, and the connection with a close. */
    stop(): Promise<void>
    /** The tabs that assistants may read, whenever one of them has changed. `loaded`: those with new documents. */
    tabs(args: { tabs: TabInfo[]; loaded: number[] }): Promise<void>
  }
  popup: {
    /** The state has changed. */
    news(): Promise<void>
  }
}

interface Message {
  to: keyof Parts
  what: string
  args?: unknown
}

type Reply = { value?: unknown } | { error: { name: string; message: string } }

/** The timeout of an answer; a text may take 10 s. */
const answerTimeout = 15_000 // ms

/** Handles messages of other parts of this extension. Call it before the first one can arrive. */
export function handleMessages<P extends keyof Parts>(part: P, handlers: Parts[P]): void {
  chrome.runtime.onMessage.addListener(
    (message: Message, sender, reply: (reply: Reply) => void) => {
      // Content scripts can send messages, too; ours sends none.
      const ours =
        sender.id === chrome.runtime.id && sender.url?.startsWith(chrome.runtime.getURL(''))
      if (!ours || message?.to !== part || !Object.hasOwn(handlers, message.what)) return false
      const act = handlers[message.what as keyof Parts[P]] as (args: unknown) => unknown
      Promise.resolve(message.args)
        .then(act)
        .then(
          (value) => reply({ value }),
          (error: Error) => reply({ error: { name: error.name, message: error.message } }),
        )
      return true // the reply comes later
    },
  )
}

/**
 * Another part. Its functions reject with the error of that part, by name and message; with a `TimeoutError`
 * after 15 s; with an Error if that part does not run.
 */
export function remote<P extends keyof Parts>(to: P): Parts[P] {
  return new Proxy({} as Parts[P], {
    get: (_, what: string) =>
      what === 'then' ? undefined : (args: unknown) => request({ to, what, args }), // it is no promise
  })
}

async function request(message: Message): Promise<unknown> {
  // The browser may stop the background during a request; a second message starts it again.
  const reply = (await sendOnce(message)) ?? (await sendOnce(message))
  if (reply === undefined) throw new Error(`the extension's ${message.to} does not answer`)
  if ('error' in reply) {
    throw Object.assign(new Error(reply.error.message), { name: reply.error.name })
  }
  return reply.value
}

/** The reply to a message; `undefined` if no part handles it. */
async function sendOnce(message: Message): Promise<Reply | undefined> {
  const sent: Promise<Reply | undefined> = chrome.runtime.sendMessage(message)
  return within(
    sent.catch(() => undefined), // the part does not run, or ended
    answerTimeout,
  )
}

/** Tells the popup that the state has changed. If it does not run, it requests the state when it starts. */
export function refreshPopup(): void {
  sendOnce({ to: 'popup', what: 'news' }).catch(() => {})
}

/** Settles like the promise, or rejects with a `TimeoutError` after `ms`. */
export async function within<T>(promise: Promise<T>, ms: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new DOMException('it took too long', 'TimeoutError')
    timer = setTimeout(() => reject(error), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
