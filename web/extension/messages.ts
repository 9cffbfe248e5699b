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
}

/** The text of a tab. */
export interface TabText {
  text: string
  /** Whether the text is longer. */
  cut: boolean
}

/** A read by an assistant. */
export interface ReadRecord {
  uri: string
  /** ms since 1970. */
  time: number
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
  /** The newest first. */
  reads: ReadRecord[]
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

/** The messages of each part: arguments and answer, both JSON. */
export interface Messages {
  background: {
    overview: { args: undefined; answer: Overview }
    /**
     * Ticks a tab if it still shows this site, to which there is consent, or unticks it. `time` is `session` by
     * default.
     */
    tick: {
      args: { tab: number; site: string; on: boolean; time?: TickTime }
      answer: undefined
    }
    /**
     * The user has ticked a tab, and sees the permission prompt for its site, which may close the popup;
     * `undefined`: the user has refused.
     */
    asking: { args: { tab: number; site: string } | undefined; answer: undefined }
    /** The user has granted the permission: ticks the tab. */
    consent: { args: { tab: number; site: string }; answer: undefined }
    /** Revokes consent. */
    forget: { args: { site: string }; answer: undefined }
    untickAll: { args: undefined; answer: undefined }
    /** The switch for all sharing. */
    share: { args: { on: boolean }; answer: undefined }
    /** Joins the gateway of a link. */
    join: { args: { link: string }; answer: undefined }
    /** Stops or allows an assistant, or pauses all. */
    access: { args: AccessChange; answer: undefined }
    /** Stops or allows an assistant at one site. */
    siteAccess: { args: SiteChange; answer: undefined }
  }
  /** The background, for the engine. */
  host: {
    /** The engine has started, and needs the tabs. */
    started: { args: undefined; answer: undefined }
    /** A tick has ended by its time. */
    ended: { args: undefined; answer: undefined }
    /** Assistants have read. */
    used: { args: { uses: SiteUse[] }; answer: undefined }
    /** The gateway is joined; the next start joins it again. */
    joined: { args: undefined; answer: undefined }
    /** Requests the tabs that assistants may read, except those in {@link TabInfo.stopped}. */
    sharedTabs: { args: undefined; answer: TabInfo[] }
    /** Requests the text of such a tab for an assistant; `undefined`: there is no such tab. */
    text: { args: { tab: number; site: string; client: string }; answer: TabText | undefined }
  }
  engine: {
    status: { args: undefined; answer: EngineStatus }
    /** Rejects if the text is not a link of a gateway. */
    join: { args: { link: string }; answer: undefined }
    access: { args: AccessChange; answer: undefined }
    /** Stops the engine after its last messages. */
    stop: { args: undefined; answer: undefined }
    /** The tabs that assistants may read, whenever one of them has changed. */
    tabs: { args: { tabs: TabInfo[]; loaded: number[] }; answer: undefined }
  }
  popup: {
    /** The state has changed. */
    news: { args: undefined; answer: undefined }
  }
}

type Part = keyof Messages
type Signature<P extends Part, Q extends keyof Messages[P]> = Messages[P][Q] extends {
  args: infer A
  answer: infer R
}
  ? { args: A; answer: R }
  : never

/** Handlers of a part. Results of messages without an answer are ignored. */
export type Handlers<P extends Part> = {
  [Q in keyof Messages[P]]: (
    args: Signature<P, Q>['args'],
  ) => [Signature<P, Q>['answer']] extends [undefined]
    ? unknown
    : Signature<P, Q>['answer'] | Promise<Signature<P, Q>['answer']>
}

interface Message {
  to: Part
  what: string
  args?: unknown
}

type Reply = { value?: unknown } | { error: { name: string; message: string } }

/** The timeout of an answer; a text may take 10 s. */
const defaultTimeout = 15_000 // ms

/** Handles messages of other parts of this extension. Call it before the first one can arrive. */
export function handleMessages<P extends Part>(part: P, handlers: Handlers<P>): void {
  chrome.runtime.onMessage.addListener(
    (message: Message, sender, reply: (reply: Reply) => void) => {
      // Content scripts can send messages, too; ours sends none.
      const ours =
        sender.id === chrome.runtime.id && sender.url?.startsWith(chrome.runtime.getURL(''))
      if (!ours || message?.to !== part || !Object.hasOwn(handlers, message.what)) return false
      const act = handlers[message.what as keyof Messages[P]] as (args: unknown) => unknown
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
 * Sends a request to another part.
 *
 * @throws the error of that part, by name and message; a `TimeoutError` after 15 s; an Error if that part
 *   does not run
 */
export async function request<P extends Part, Q extends keyof Messages[P] & string>(
  to: P,
  what: Q,
  args: Signature<P, Q>['args'],
  timeout = defaultTimeout,
): Promise<Signature<P, Q>['answer']> {
  const message: Message = { to, what, args }
  // The browser may stop the background during a request; a second message starts it again.
  const reply = (await sendOnce(message, timeout)) ?? (await sendOnce(message, timeout))
  if (reply === undefined) throw new Error(`the extension's ${to} does not answer`)
  if ('error' in reply) {
    throw Object.assign(new Error(reply.error.message), { name: reply.error.name })
  }
  return reply.value as Signature<P, Q>['answer']
}

/** The reply to a message; `undefined` if no part handles it. */
async function sendOnce(message: Message, timeout: number): Promise<Reply | undefined> {
  const sent: Promise<Reply | undefined> = chrome.runtime.sendMessage(message)
  return within(
    sent.catch(() => undefined), // the part does not run, or ended
    timeout,
  )
}

/** Sends a message to another part, if it runs. */
export function notify<P extends Part, Q extends keyof Messages[P] & string>(
  to: P,
  what: Q,
  args: Signature<P, Q>['args'],
): void {
  const message: Message = { to, what, args }
  void sendOnce(message, defaultTimeout).catch(() => {}) // it does not run: it requests the state when it starts
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
