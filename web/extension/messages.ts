/// <reference types="chrome" />

/**
 * What the parts of the extension ask each other. The background owns tabs, ticks and consent, and may
 * be asleep: a message wakes it. The offscreen document holds the engine, and has no other API than
 * this one.
 */

import type { GatewayState, JoinReason } from 'pagemcp'

/** A tab as the background sees it. Title and URL are the page's own: nothing is redacted yet. */
export interface TabInfo {
  id: number
  title: string
  url: string
  /** Its origin, if that is one whose tabs can be read: http or https. */
  site?: string
  window: number
  /** Whether it is in front of its window. */
  front: boolean
  /** Whether it is in front of the window used last. */
  active: boolean
  audible: boolean
  pinned: boolean
  loading: boolean
  /** Put to sleep by the browser: it has no text until it is shown again. */
  discarded: boolean
  /** ms since 1970. */
  lastAccessed?: number
  /** Whether the user has ticked it, and its site still has consent. */
  ticked: boolean
  /** Whether assistants may read it: ticked, and sharing is not stopped. */
  shared: boolean
}

/** The text of a tab. */
export interface TabText {
  text: string
  /** Whether there is more. */
  cut: boolean
}

/** A read that an assistant was answered. */
export interface Reading {
  uri: string
  /** ms since 1970. */
  time: number
}

/** How the engine is doing. */
export interface Standing {
  gateway?: GatewayState
  /** Why it is not joined, and will not be by waiting. */
  reason?: JoinReason
  /** Why there is no engine. */
  failure?: string
  /** The newest first. */
  readings: Reading[]
}

/** All that the popup shows. */
export interface Overview {
  /** Whether anything is shared at all. */
  on: boolean
  tabs: TabInfo[]
  /** Origins whose tabs may be ticked without asking. */
  sites: string[]
  standing: Standing
}

/** What can be asked of each part: arguments and answer. Both have to be JSON. */
export interface Questions {
  background: {
    overview: { args: undefined; answer: Overview }
    /** Ticks a tab of a site with consent, or unticks one. */
    tick: { args: { tab: number; on: boolean }; answer: undefined }
    /** The user has ticked a tab, and is asked for the site now; the popup may not see the answer. */
    asking: { args: { tab: number; site: string }; answer: undefined }
    /** The user has said yes: ticks the tab. */
    consent: { args: { tab: number; site: string }; answer: undefined }
    /** Takes consent back. */
    forget: { args: { site: string }; answer: undefined }
    untickAll: { args: undefined; answer: undefined }
    /** The one switch. */
    share: { args: { on: boolean }; answer: undefined }
    /** Joins the gateway of a link. */
    join: { args: { link: string }; answer: undefined }
    /** Of the offscreen document: it has started, and wants to be told of the tabs. */
    started: { args: undefined; answer: undefined }
    /** Of the offscreen document: the gateway is joined, and is to be joined again at the next start. */
    joined: { args: undefined; answer: undefined }
    /** Of the offscreen document: the tabs that assistants may read. */
    sharedTabs: { args: undefined; answer: TabInfo[] }
    /** Of the offscreen document: the text of such a tab; none if there is no such tab. */
    text: { args: { tab: number; site: string }; answer: TabText | undefined }
  }
  offscreen: {
    standing: { args: undefined; answer: Standing }
    /** Rejects if that is no link. */
    join: { args: { link: string }; answer: undefined }
    /** Ends everything; what was to be said has been said then. */
    stop: { args: undefined; answer: undefined }
    /** The tabs that assistants may read, whenever one of them has changed. */
    tabs: { args: { tabs: TabInfo[]; loaded: number[] }; answer: undefined }
  }
  popup: {
    /** There is something new to show. */
    news: { args: undefined; answer: undefined }
  }
}

type Part = keyof Questions
type Asked<P extends Part, Q extends keyof Questions[P]> = Questions[P][Q] extends {
  args: infer A
  answer: infer R
}
  ? { args: A; answer: R }
  : never

/** Answers what a part is asked. Where there is nothing to say, nobody looks at what comes back. */
export type Answers<P extends Part> = {
  [Q in keyof Questions[P]]: (
    args: Asked<P, Q>['args'],
  ) => [Asked<P, Q>['answer']] extends [undefined]
    ? unknown
    : Asked<P, Q>['answer'] | Promise<Asked<P, Q>['answer']>
}

interface Message {
  to: Part
  what: string
  args?: unknown
}

type Reply = { value?: unknown } | { error: { name: string; message: string } }

/** How long an answer may take; a text may take 10 s. */
const patience = 15_000 // ms

/** Answers questions of other parts of this extension. To be called before the first of them can come. */
export function answer<P extends Part>(part: P, answers: Answers<P>): void {
  chrome.runtime.onMessage.addListener(
    (message: Message, sender, reply: (reply: Reply) => void) => {
      // Scripts within web pages speak here too, and there is one that we put there: it says nothing.
      const ours =
        sender.id === chrome.runtime.id && sender.url?.startsWith(chrome.runtime.getURL(''))
      if (!ours || message?.to !== part || !Object.hasOwn(answers, message.what)) return false
      const act = answers[message.what as keyof Questions[P]] as (args: unknown) => unknown
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
 * Asks another part.
 *
 * @throws what that part threw, by name and message; a `TimeoutError` after 15 s; an Error if there is
 *   no such part
 */
export async function ask<P extends Part, Q extends keyof Questions[P] & string>(
  to: P,
  what: Q,
  args: Asked<P, Q>['args'],
  timeout = patience,
): Promise<Asked<P, Q>['answer']> {
  const message: Message = { to, what, args }
  // The service worker may be ended in the middle of a question; a second one wakes it again.
  const reply = (await once(message, timeout)) ?? (await once(message, timeout))
  if (reply === undefined) throw new Error(`there is no ${to} to ask`)
  if ('error' in reply) {
    throw Object.assign(new Error(reply.error.message), { name: reply.error.name })
  }
  return reply.value as Asked<P, Q>['answer']
}

/** The reply to a message; undefined if there is none, and will not be. */
async function once(message: Message, timeout: number): Promise<Reply | undefined> {
  const sent: Promise<Reply | undefined> = chrome.runtime.sendMessage(message)
  return within(
    sent.catch(() => undefined), // nobody is there, or nobody is left
    timeout,
  )
}

/** Tells another part, if it is there. */
export function tell<P extends Part, Q extends keyof Questions[P] & string>(
  to: P,
  what: Q,
  args: Asked<P, Q>['args'],
): void {
  const message: Message = { to, what, args }
  void once(message, patience).catch(() => {}) // it is not there: then it asks when it comes
}

/** What a promise settles with, unless that takes too long. */
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
