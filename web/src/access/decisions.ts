/**
 * The user's decisions about assistants, with what asks for them: all that a page needs in order not to be open. A file of its
 * own in the package, `decisions.js`: a page on this machine loads it when something is decided.
 */

import type {
  AccessAnswer,
  AccessDecision,
  AccessPolicy,
  AccessRequest,
  AssistantAccess,
  GrantTable,
  PageAccess,
  Withheld,
} from '../access-types.ts'
import { toBase64Url } from '../base64url.ts'
import { isFramed } from '../dialog-parts.ts'
import { type Choice, showQuestion } from './dialog.ts'
import {
  type Decisions,
  decisionOf,
  hostedPrefix,
  keptTime,
  type Mode,
  maxWithheld,
  present,
  tableOf,
  withDenials,
  withGrant,
} from './grants.ts'
import { type QuestionMessage, questions, titleMark } from './questions.ts'
import { dayOf, openSaved, type Saved } from './saved.ts'
import { type Asked, shownOf } from './shown.ts'
import { placeOf, refusalWords, unansweredWords } from './words.ts'

/** How long changes are collected for one event, ms. */
const eventDelay = 100

/** How often the table follows the last use of assistants, ms: decisions hold for weeks after it. */
const tableTime = 3_600_000

/** The longest time of a timer, ms. */
const maxDelay = 2_147_483_647

export interface AccessOptions {
  readonly name: string
  readonly title?: string
  readonly mode: Mode
  readonly policy?: AccessPolicy
  /** The entry of localStorage that says until when something is denied or paused. */
  readonly flag: string
  setAccess(table: GrantTable): void
  /** Decisions, pause or use have changed. */
  changed(): void
  report(error: unknown): void
}

/** The access of a page, once it is loaded. */
export interface OpenAccess
  extends Omit<PageAccess, 'mode' | 'app'>,
    Readonly<{
      ask(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer>
      decided(decision: AccessDecision): void
      /** Reads what other tabs have decided, perhaps while the browser has stopped this one; settles when the engine has it. */
      refresh(): Promise<void>
      /** A gateway does not know this app any more: what was allowed "this time" ends. */
      forgotten(): void
      /** The page joins a gateway whose users have consented that their assistants read, `client:…`. */
      consented(): void
      close(): void
    }> {}

type Message =
  | QuestionMessage
  /** Decisions are stored that this tab does not know. */
  | { readonly kind: 'changed' }
  /** Another tab shows the use of assistants. */
  | { readonly kind: 'flush' }
  /** The use of assistants is stored that this tab does not know. */
  | { readonly kind: 'used' }

/**
 * Reads the decisions, sets the table of the engine, and answers from then on.
 *
 * @throws Error if they cannot be read, in a page that is open otherwise
 */
export async function openAccess(options: AccessOptions): Promise<OpenAccess> {
  const { name, title, mode, policy, flag, report } = options
  const tab = toBase64Url(crypto.getRandomValues(new Uint8Array(12)))
  const { origin } = globalThis
  const lists = new Set<string>() // who may see lists, where a function decides about reads
  const ended = new AbortController()
  let withheld: readonly Withheld[] = []
  let isConsented = false
  let isClosed = false
  let table = ''
  let tableSince = 0
  let eventTimer: ReturnType<typeof setTimeout> | undefined
  let pauseTimer: ReturnType<typeof setTimeout> | undefined
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  let channel = openChannel() // before the decisions are read: what changes meanwhile is read again

  const opening: Promise<Saved> = openSaved(name, report).catch((error: unknown) => {
    if (mode === 'open') throw error // there is a denial or a pause, which would be lost
    report(error)
    return openSaved(name, report, false) // the user is asked again
  })
  opening.catch(() => {}) // it is awaited below
  const saved = await opening

  const now = () => Date.now()
  const holding = () => present(saved.decisions, saved.uses, now())
  const pausedUntil = () => {
    const until = saved.decisions.pausedUntil
    return until !== undefined && until > now() ? until : undefined
  }
  const changed = () => {
    eventTimer ??= setTimeout(() => {
      eventTimer = undefined
      if (!isClosed) options.changed()
    }, eventDelay)
  }
  /** Makes the decisions those of the engine, and answers what they decide. */
  const apply = () => {
    if (isClosed) return
    const held = holding()
    // Who has consented at the gateway is not known before the first request. With a function of the app no
    // consent is in the table: it decides before the consent.
    const isTabled = isConsented && policy === undefined
    const next = tableOf(mode, saved.decisions, held, lists, withheld, isTabled)
    const text = JSON.stringify(next)
    tableSince = now()
    if (text !== table) options.setAccess(next)
    table = text
    noteDenials(flag, held, pausedUntil())
    clearTimeout(pauseTimer)
    const until = pausedUntil()
    if (until !== undefined) pauseTimer = setTimeout(apply, Math.min(until - now() + 1, maxDelay))
    asking.settle()
    changed()
  }
  const change = async (act: (decisions: Decisions) => void) => {
    const stored = saved.change(act)
    apply()
    await stored
    apply() // other tabs may have changed something
    post({ kind: 'changed' })
  }
  const reload = async () => {
    await saved.reload()
    apply()
  }

  function openChannel(): BroadcastChannel | undefined {
    if (typeof BroadcastChannel !== 'function') return undefined
    const made = new BroadcastChannel(`pagemcp.access:${name}`)
    made.onmessage = ({ data }) => void begun.then(() => receive(data as Message))
    return made
  }
  function post(message: Message) {
    channel?.postMessage(message)
  }
  function receive(message: Message) {
    switch (message.kind) {
      case 'changed':
        reload().catch(report)
        return
      case 'flush':
        saved
          .flush()
          .then((wrote) => wrote && post({ kind: 'used' }))
          .catch(report)
        return
      case 'used':
        changed()
        return
      case 'answered': // the engine has the decision before a request has its answer
        void reload()
          .catch(report)
          .then(() => asking.receive(message))
        return
      default:
        asking.receive(message)
    }
  }

  const storedAnswer = (asked: Asked | AccessRequest, key?: string, since = 0) => {
    const denied = (reason: AccessAnswer['reason'], message?: string): AccessAnswer => {
      return { allow: false, reason, ...(message !== undefined && { message }) }
    }
    if (pausedUntil() !== undefined) return denied('paused')
    const grant = decisionOf(asked, holding())
    if (grant?.allow) return { allow: true, reason: 'grant' } as const
    if (grant?.isRevoked) return denied('revoked')
    if (grant) return denied('declined', refusalWords('deny', 0))
    const outcome = saved.decisions.outcomes.find((one) => one.key === key && one.time >= since)
    if (outcome?.allow) return { allow: true, reason: 'asked' } as const
    return outcome && denied('declined', refusalWords('dismissed', 0))
  }
  const place = () => placeOf(bareTitle(), name, origin)
  const asking = questions({
    tab,
    post,
    isVisible: () => globalThis.document?.visibilityState === 'visible',
    mark: markTitle,
    alone: (act) =>
      'locks' in navigator ? navigator.locks.request(`pagemcp.question:${name}`, act) : act(),
    show: (asked, signal) =>
      showQuestion(shownOf(asked, name, title, origin, wantedLanguages(), now()), signal),
    refresh: () => saved.reload().catch(report),
    stored: storedAnswer,
    store: ({ assistant, right, tool }, key, choice) =>
      change((decisions) => {
        const grant = grantOf(choice, tool?.destructive ? tool.name : undefined)
        if (grant) withGrant(decisions, { assistant, right, time: now(), ...grant })
        else {
          const outcome = { key, time: now(), allow: choice === 'once' }
          decisions.outcomes = [...decisions.outcomes.filter((one) => one.key !== key), outcome]
        }
      }).catch(report), // it holds in this document
    place,
    report,
    now,
    later(act, ms) {
      const timer = setTimeout(act, ms)
      return () => clearTimeout(timer)
    },
  })

  /** The function of the app, then the consent at a gateway, then the decisions, then the user. */
  async function decide(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer> {
    const stored = storedAnswer(request)
    if (stored && !stored.allow) return stored // by the user, who is above the app
    if (policy) {
      const answer = await byPolicy(policy, request, report)
      if (answer) return answer
    }
    const { assistant, right, method } = request
    if (isConsented && right === 'read' && assistant.startsWith(hostedPrefix)) {
      return { allow: true, reason: 'grant' }
    }
    if (stored) return stored
    if (method.endsWith('/list')) return { allow: false, reason: 'unanswered' } // asked at first use
    if (globalThis.document !== undefined && isFramed()) {
      return { allow: false, reason: 'unanswered', message: unansweredWords.framed(place()) }
    }
    return asking.ask(request, signal)
  }

  const on = (target: EventTarget | undefined, type: string, act: (event: Event) => void) =>
    target?.addEventListener?.(type, act, { signal: ended.signal })
  on(globalThis.document, 'visibilitychange', () => {
    asking.looked()
    if (document.visibilityState === 'hidden') saved.flush().catch(report)
  })
  // A page that its browser does not run hears nothing: a frozen one would get the messages, and hold the lock of the
  // database, which it is granted, until it goes on.
  const leave = () => {
    channel?.close()
    channel = undefined
  }
  const back = () => {
    if (channel) return
    channel = openChannel()
    reload().catch(report)
  }
  on(globalThis.document, 'freeze', leave)
  on(globalThis.document, 'resume', back)
  on(globalThis, 'pagehide', () => {
    asking.end()
    saved.flush().catch(() => {}) // the document ends
    leave()
  })
  on(globalThis, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) back()
  })
  apply()
  asking.looked()
  begin()

  return {
    async ask(request, signal) {
      const answer = await decide(request, signal)
      const isSeen = policy === undefined && !isConsented
      if (answer.allow && request.right === 'read' && !isSeen && !lists.has(request.assistant)) {
        lists.add(request.assistant)
        apply() // before the answer
      }
      return answer
    },
    decided(decision) {
      saved.note(decision)
      if (now() - tableSince > tableTime) apply()
      changed()
    },
    refresh: reload,
    forgotten() {
      change((decisions) => {
        decisions.grants = decisions.grants.filter(({ session }) => session === undefined)
      }).catch(report)
    },
    consented() {
      if (isConsented || mode === 'open') return
      isConsented = true
      apply()
    },
    get pausedUntil() {
      return pausedUntil()
    },
    async grants() {
      post({ kind: 'flush' })
      await saved.flush()
      await saved.reload()
      return assistantsOf(saved, holding(), now())
    },
    revoke(assistant, right) {
      const known = [...saved.decisions.grants, ...saved.uses.values()].map((one) => one.assistant)
      const assistants = assistant === undefined ? [...known, ...lists] : [assistant]
      if (right !== 'act') for (const one of assistants) lists.delete(one)
      const time = now()
      const rights = right === undefined ? (['read', 'act'] as const) : [right]
      return change((decisions) => withDenials(decisions, assistants, rights, time))
    },
    allow(assistant, right, lasts = 'session') {
      const time = now()
      const ends = lasts === 'session' && { session: true as const }
      return change((decisions) =>
        withGrant(decisions, { assistant, right, allow: true, time, ...ends }),
      )
    },
    forget(assistant) {
      lists.delete(assistant)
      return change((decisions) => {
        decisions.grants = decisions.grants.filter((one) => one.assistant !== assistant)
      })
    },
    pause(ms = 3_600_000) {
      const until = now() + Math.min(Math.max(1, ms), keptTime)
      return change((decisions) => {
        decisions.pausedUntil = until
      })
    },
    resume: () =>
      change((decisions) => {
        delete decisions.pausedUntil
      }),
    async withhold(resources) {
      if (resources.length > maxWithheld) {
        throw new RangeError(`withhold takes at most ${maxWithheld} resources`)
      }
      withheld = resources.map(({ assistant, uri }) => ({ assistant, uri }))
      apply()
    },
    async audit() {
      post({ kind: 'flush' })
      return saved.audit()
    },
    close() {
      isClosed = true
      ended.abort()
      asking.end()
      clearTimeout(eventTimer)
      clearTimeout(pauseTimer)
      saved.flush().catch(report)
      leave()
    },
  }
}

/** The answer of the app's function; `undefined`: ask. */
async function byPolicy(
  policy: AccessPolicy,
  request: AccessRequest,
  report: (error: unknown) => void,
): Promise<AccessAnswer | undefined> {
  try {
    const answer: unknown = await policy(request)
    if (answer === 'ask') return undefined
    if (answer === 'allow' || answer === 'deny') {
      return { allow: answer === 'allow', reason: 'policy' }
    }
    report(new TypeError(`access: the function returned ${String(answer)}, not allow, deny or ask`))
  } catch (error) {
    report(error)
  }
  return { allow: false, reason: 'policy' }
}

/** What of a choice is saved; `undefined`: it is about the requests that wait. */
function grantOf(choice: Choice, tool: string | undefined) {
  const session = true as const
  switch (choice) {
    case 'session':
      return { allow: true, session }
    case 'tool-session':
      return { allow: true, session, tool }
    case 'always':
      return { allow: true }
    case 'deny':
      return tool === undefined ? { allow: false } : undefined
  }
  return undefined
}

/** All assistants with a decision, or that have used the app today; those used last first. */
function assistantsOf(
  { uses }: Saved,
  holding: ReturnType<typeof present>,
  now: number,
): AssistantAccess[] {
  const today = dayOf(now)
  const names = new Set(holding.map(({ assistant }) => assistant))
  for (const { assistant, day } of uses.values()) if (day === today) names.add(assistant)
  const all = [...names].map((assistant): AssistantAccess => {
    const use = uses.get(assistant)
    const isToday = use?.day === today
    return {
      assistant,
      ...(use?.callsItself !== undefined && { callsItself: use.callsItself }),
      grants: holding
        .filter((grant) => grant.assistant === assistant)
        .map(({ right, tool, allow, until, session }) => ({
          assistant,
          right,
          ...(tool !== undefined && { tool }),
          allow,
          until,
          lasts: session === undefined ? ('always' as const) : ('session' as const),
          ...(use?.last[right] !== undefined && { lastUsed: use.last[right] }),
        })),
      ...(use?.lastUsed !== undefined && { lastUsed: use.lastUsed }),
      readsToday: isToday ? use.reads : 0,
      callsToday: isToday ? use.calls : 0,
    }
  })
  return all.sort((a, b) => (b.lastUsed ?? 0) - (a.lastUsed ?? 0))
}

/** Notes until when something is denied or paused: a page that is open looks there before it loads this file. */
function noteDenials(
  flag: string,
  holding: ReturnType<typeof present>,
  pausedUntil: number | undefined,
) {
  const denied = holding.flatMap(({ allow, until }) => (allow ? [] : until))
  const until = Math.max(pausedUntil ?? 0, ...denied)
  try {
    if (until === 0) localStorage.removeItem(flag)
    else if (localStorage.getItem(flag) !== String(until)) localStorage.setItem(flag, String(until))
  } catch {
    // an opaque origin has no storage
  }
}

function bareTitle(): string {
  const title = globalThis.document?.title ?? ''
  return title.startsWith(titleMark) ? title.slice(titleMark.length) : title
}

function markTitle(on: boolean) {
  const { document } = globalThis
  if (document === undefined || document.title.startsWith(titleMark) === on) return
  document.title = on ? titleMark + document.title : bareTitle()
}

function wantedLanguages(): readonly string[] {
  return [globalThis.document?.documentElement?.lang ?? '', ...navigator.languages]
}
