/**
 * The user's decisions about assistants, with what asks for them: all that a page needs in order not to be open. They are
 * stored in the IndexedDB database `pagemcp`, for all tabs of the app; without one, in this document alone. A file of its own in
 * the package, `decisions.js`: a page on this machine loads it when something is decided.
 */

import type {
  AccessAnswer,
  AccessDecision,
  AccessOption,
  AccessRequest,
  AssistantAccess,
  AuditEntry,
  GrantTable,
  Mode,
  PageAccess,
  Right,
  Withheld,
} from '../access-types.ts'
import { inDatabase } from '../database.ts'
import { isFramed } from '../dialog-parts.ts'
import { result } from '../idb-request.ts'
import { lazily } from '../module.ts'
import { type Choice, questions, words } from './questions.ts'
import {
  type Action,
  type Decisions,
  decisionOf,
  holding,
  hostedPrefix,
  isWorn,
  keptTime,
  maxAssistants,
  reduce,
  tableOf,
  untilOf,
} from './rules.ts'

/** How long changes are collected for one event, ms. */
const eventDelay = 100

/** The longest time of a timer, ms. */
const maxDelay = 2_147_483_647

/** How many entries of the audit are kept. */
const maxEntries = 1000

/** How many resources are withheld. */
const maxWithheld = 2000

/** What stands before the title of a page that waits to be looked at. */
const titleMark = '(?) '

const what = 'the decisions about assistants'

export interface AccessOptions {
  readonly name: string
  readonly title?: string
  readonly mode: Mode
  readonly policy?: Exclude<AccessOption, string>
  /** The entry of localStorage that says until when something is denied or paused. */
  readonly flag: string
  setAccess(table: GrantTable): void
  /** Decisions, pause or use have changed. */
  changed(): void
  report(error: unknown): void
}

/** The access of a page, once it is loaded. */
export type OpenAccess = Awaited<ReturnType<typeof openAccess>>

/** Between the tabs of an app. */
type Message =
  /** Decisions are stored that this tab does not know. */
  | { readonly kind: 'changed' }
  /** A request has been decided. */
  | { readonly kind: 'used'; readonly entry: AuditEntry }

/** How an assistant uses the app. */
interface Use {
  readonly callsItself?: string
  /** Ms since 1970; 0: never. */
  readonly lastUsed: number
  readonly day: string
  readonly reads: number
  readonly calls: number
}

/**
 * Reads the decisions, sets the table of the engine, and answers from then on.
 *
 * @throws Error if they cannot be read, in a page that is open otherwise
 */
export async function openAccess(options: AccessOptions) {
  const { name, title, mode, policy, flag, report } = options
  const { origin } = globalThis
  const lists = new Set<string>() // who may see lists, where a function decides about reads
  const ended = new AbortController()
  const empty: Decisions = { app: name, grants: [] }
  const unstored = new Set<Action>() // for good, if it cannot be stored: what is denied here stays denied
  const uses = new Map<string, Use>() // those used last are the last
  const audit: AuditEntry[] = []
  let decisions = empty
  let withheld: readonly Withheld[] = []
  let isConsented = false
  let table = ''
  let eventTimer: ReturnType<typeof setTimeout> | undefined
  let pauseTimer: ReturnType<typeof setTimeout> | undefined
  let loading: Promise<unknown> = Promise.resolve()
  let next: Promise<void> | undefined
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  let channel = openChannel() // before the decisions are read: what changes meanwhile is read again

  const now = () => Date.now()
  const held = () => holding(decisions.grants, now())
  const pausedUntil = () => {
    const until = decisions.pausedUntil
    return until !== undefined && until > now() ? until : undefined
  }
  const changed = () => {
    eventTimer ??= setTimeout(() => {
      eventTimer = undefined
      options.changed()
    }, eventDelay)
  }
  /** Makes the decisions those of the engine, and answers what they decide. */
  const apply = () => {
    if (ended.signal.aborted) return
    const until = pausedUntil()
    const present = {
      app: name,
      grants: held(),
      ...(until !== undefined && { pausedUntil: until }),
    }
    // Who has consented at the gateway is not known before the first request. With a function of the app no
    // consent is in the table: it decides before the consent.
    const next = tableOf(mode, present, lists, withheld, isConsented && policy === undefined)
    const text = JSON.stringify(next)
    if (text !== table) options.setAccess(next)
    table = text
    noteDenials(flag, present)
    clearTimeout(pauseTimer)
    if (until !== undefined) pauseTimer = setTimeout(apply, Math.min(until - now() + 1, maxDelay))
    asking.settle()
    changed()
  }

  const read = async (transaction: IDBTransaction) =>
    ((await result(transaction.objectStore('access').get(name))) as Decisions | undefined) ?? empty
  const take = (stored: Decisions | undefined) => {
    if (stored) decisions = [...unstored].reduce((all, one) => reduce(all, one, now()), stored)
  }
  /** Calls that come while one is under way share the next one. */
  const load = () => {
    next ??= loading.then(async () => {
      next = undefined
      take(await inDatabase(['access'], 'readonly', what, read))
    })
    loading = next.catch(() => {})
    return next
  }
  const reload = async () => {
    await load()
    apply()
  }
  /** Holds here at once; settles when it is stored. Other tabs may have changed what is stored. */
  const change = async (action: Action) => {
    unstored.add(action)
    decisions = reduce(decisions, action, now())
    apply()
    const stored = await inDatabase(['access'], 'readwrite', what, async (transaction) => {
      const next = reduce(await read(transaction), action, now())
      await result(transaction.objectStore('access').put(next))
      return next
    })
    if (stored === undefined) return // there is no database
    unstored.delete(action)
    take(stored)
    apply()
    post({ kind: 'changed' })
  }

  function openChannel(): BroadcastChannel | undefined {
    if (typeof BroadcastChannel !== 'function') return undefined
    const made = new BroadcastChannel(`pagemcp.access:${name}`)
    made.onmessage = ({ data }) => void begun.then(() => receive(data)).catch(report)
    return made
  }
  function post(message: Message) {
    channel?.postMessage(message)
  }
  async function receive(data: unknown) {
    const message = messageOf(data)
    if (message?.kind === 'used') return note(message.entry)
    if (message?.kind === 'changed') await reload().catch(report)
  }

  const note = (entry: AuditEntry) => {
    audit.push(entry)
    if (audit.length > maxEntries) audit.shift()
    const { assistant } = entry
    const use = withUse(uses.get(assistant), entry)
    uses.delete(assistant)
    uses.set(assistant, use)
    if (uses.size > maxAssistants) uses.delete(uses.keys().next().value as string)
    changed()
  }

  const storedAnswer = (
    request: Pick<AccessRequest, 'assistant' | 'right' | 'tool'>,
  ): AccessAnswer | undefined => {
    if (pausedUntil() !== undefined) return { allow: false, reason: 'paused' }
    const grant = decisionOf(request, held())
    if (grant === undefined || grant.allow) return grant && { allow: true, reason: 'grant' }
    if (grant.isRevoked) return { allow: false, reason: 'revoked' }
    return { allow: false, reason: 'declined', message: words.declined }
  }
  const place = () => {
    const shown = bareTitle()
    return shown === '' || shown === name
      ? `“${name}” (${origin})`
      : `“${shown}” (${name}, ${origin})`
  }
  const dialog = globalThis.document && (await lazily('dialog.js', import('./dialog.ts')))
  const asking = questions({
    isVisible: () => globalThis.document?.visibilityState === 'visible',
    mark: markTitle,
    alone(act) {
      const newest = () => load().catch(report).then(act)
      return 'locks' in navigator
        ? navigator.locks.request(`pagemcp.question:${name}`, newest)
        : newest()
    },
    async show(asked, signal) {
      const wanted = [globalThis.document?.documentElement?.lang ?? '', ...navigator.languages]
      const about = { app: name, title, origin, wanted }
      return dialog ? dialog.showDialog(dialog.questionOf(asked, about, now()), signal) : 'unshown'
    },
    stored: storedAnswer,
    async store({ assistant, right, tool }, choice) {
      const grant = grantOf(choice, tool?.destructive ? tool.name : undefined)
      if (grant) await change({ do: 'decide', grant: { assistant, right, ...grant } }).catch(report)
    },
    place,
    report,
  })

  /** The function of the app, then the consent at a gateway, then the decisions, then the user. */
  async function decide(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer> {
    const stored = storedAnswer(request)
    if (stored && !stored.allow) return stored // by the user, who is above the app
    const answer = policy && (await byPolicy(policy, request, report))
    if (answer) return answer
    const { assistant, right, method } = request
    if (isConsented && right === 'read' && assistant.startsWith(hostedPrefix)) {
      return { allow: true, reason: 'grant' }
    }
    if (stored) return stored
    if (method.endsWith('/list')) return { allow: false, reason: 'unanswered' } // asked at first use
    if (globalThis.document !== undefined && isFramed()) {
      return { allow: false, reason: 'unanswered', message: words.framed(place()) }
    }
    return asking.ask(request, signal)
  }

  await load().catch((error: unknown) => {
    if (mode === 'open') throw error // there is a denial or a pause, which would be lost
    report(error) // the user is asked again
  })

  const on = (target: EventTarget | undefined, type: string, act: (event: Event) => void) =>
    target?.addEventListener?.(type, act, { signal: ended.signal })
  on(globalThis.document, 'visibilitychange', () => asking.looked())
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
    leave()
  })
  on(globalThis, 'pageshow', (event) => {
    if ((event as PageTransitionEvent).persisted) back()
  })
  apply()
  asking.looked()
  begin()

  const page: Omit<PageAccess, 'mode' | 'app'> = {
    get pausedUntil() {
      return pausedUntil()
    },
    async grants() {
      await load()
      return assistantsOf(held(), uses, now())
    },
    async revoke(assistant, right) {
      const known = [...decisions.grants.map((one) => one.assistant), ...uses.keys(), ...lists]
      const assistants = assistant === undefined ? [...new Set(known)] : [assistant]
      if (right !== 'act') for (const one of assistants) lists.delete(one)
      await change({ do: 'stop', assistants, rights: right ? [right] : ['read', 'act'] })
    },
    async allow(assistant, right, lasts = 'session') {
      const session = lasts === 'session' && { session: true as const }
      await change({ do: 'decide', grant: { assistant, right, allow: true, ...session } })
    },
    async forget(assistant) {
      lists.delete(assistant)
      await change({ do: 'forget', assistant })
    },
    pause: (ms = 3_600_000) =>
      change({ do: 'pause', until: now() + Math.min(Math.max(1, ms), keptTime) }),
    resume: () => change({ do: 'pause', until: undefined }),
    async withhold(resources) {
      if (resources.length > maxWithheld) {
        throw new RangeError(`withhold takes at most ${maxWithheld} resources`)
      }
      withheld = resources.map(({ assistant, uri }) => ({ assistant, uri }))
      apply()
    },
    audit: async () => [...audit].reverse(),
  }
  return Object.assign(page, {
    async ask(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer> {
      const answer = await decide(request, signal)
      const isSeen = policy === undefined && !isConsented
      if (answer.allow && request.right === 'read' && !isSeen && !lists.has(request.assistant)) {
        lists.add(request.assistant)
        apply() // before the answer
      }
      return answer
    },
    decided(decision: AccessDecision) {
      const { assistant, right } = decision
      const entry = { ...decision, time: now() }
      note(entry)
      post({ kind: 'used', entry })
      const own = held().filter((one) => one.assistant === assistant && one.right === right)
      if (own.some((one) => isWorn(one, now())))
        change({ do: 'used', assistant, right }).catch(report)
    },
    /** Reads what other tabs have decided, perhaps while the browser has stopped this one; settles when the engine has it. */
    refresh: reload,
    /** A gateway does not know this app any more: what was allowed "this time" ends. */
    forgotten: () => void change({ do: 'end-sessions' }).catch(report),
    /** The page joins a gateway whose users have consented that their assistants read, `client:…`. */
    consented() {
      if (isConsented || mode === 'open') return
      isConsented = true
      apply()
    },
    close() {
      ended.abort()
      asking.end()
      clearTimeout(eventTimer)
      clearTimeout(pauseTimer)
      leave()
    },
  })
}

/** A message of another tab: other scripts of this origin may post to the channel, too. */
function messageOf(data: unknown): Message | undefined {
  const { kind, entry } = (data ?? {}) as Partial<{ kind: unknown; entry: Partial<AuditEntry> }>
  const isKnown = kind === 'changed' || (kind === 'used' && typeof entry?.assistant === 'string')
  return isKnown ? (data as Message) : undefined
}

/** The answer of the app's function; `undefined`: ask. */
async function byPolicy(
  policy: Exclude<AccessOption, string>,
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
  if (choice === 'always') return { allow: true }
  if (choice === 'session') return { allow: true, session: true as const }
  if (choice === 'tool-session' && tool) return { allow: true, session: true as const, tool }
  return choice === 'deny' && tool === undefined ? { allow: false } : undefined
}

/** The day of a time at this place. */
const dayOf = (time: number) => new Date(time).toDateString()

function withUse(use: Use | undefined, entry: AuditEntry): Use {
  const { time, method, what, allow, count = 1 } = entry
  const day = dayOf(time)
  const { reads, calls } = use?.day === day ? use : { reads: 0, calls: 0 }
  const callsItself = entry.callsItself ?? use?.callsItself
  const isCall = method === 'tools/call'
  return {
    ...(callsItself !== undefined && { callsItself }),
    lastUsed: allow ? time : (use?.lastUsed ?? 0),
    day,
    reads: reads + (allow && !isCall && what !== undefined ? count : 0), // lists have none
    calls: calls + (allow && isCall ? count : 0),
  }
}

/** All assistants with a decision, or that have used the app today; those used last first. */
function assistantsOf(
  grants: ReturnType<typeof holding>,
  uses: ReadonlyMap<string, Use>,
  now: number,
): AssistantAccess[] {
  const today = dayOf(now)
  const active = [...uses.keys()].filter((assistant) => uses.get(assistant)?.day === today)
  const names = new Set([...grants.map(({ assistant }) => assistant), ...active])
  const all = [...names].map((assistant): AssistantAccess => {
    const use = uses.get(assistant)
    const isToday = use?.day === today
    const own = grants.filter((grant) => grant.assistant === assistant)
    const lastUsed = Math.max(
      use?.lastUsed ?? 0,
      ...own.map(({ allow, used = 0 }) => (allow ? used : 0)),
    )
    return {
      assistant,
      ...(use?.callsItself !== undefined && { callsItself: use.callsItself }),
      grants: own.map((grant) => ({
        assistant,
        right: grant.right as Right,
        ...(grant.tool !== undefined && { tool: grant.tool }),
        allow: grant.allow,
        until: untilOf(grant),
        lasts: grant.session ? ('session' as const) : ('always' as const),
      })),
      ...(lastUsed > 0 && { lastUsed }),
      readsToday: isToday ? use.reads : 0,
      callsToday: isToday ? use.calls : 0,
    }
  })
  return all.sort((a, b) => (b.lastUsed ?? 0) - (a.lastUsed ?? 0))
}

/** Notes until when something is denied or paused: a page that is open looks there before it loads this file. */
function noteDenials(flag: string, { grants, pausedUntil = 0 }: Decisions) {
  const until = Math.max(pausedUntil, ...grants.map((one) => (one.allow ? 0 : untilOf(one))))
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
