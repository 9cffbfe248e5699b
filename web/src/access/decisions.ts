/**
 * The user's decisions about assistants, with what asks for them: all that a page needs in order not to be open. They are
 * stored in the IndexedDB database `pagemcp`, for all tabs of the app; without one, in this document alone. A file of its own in
 * the package, `decisions.js`: a page on this machine loads it when something is decided.
 */

import { inDatabase, result } from '../database.ts'
import { isFramed } from '../dialog-parts.ts'
import { lazily } from '../module.ts'
import type {
  AccessAnswer,
  AccessDecision,
  AccessOption,
  AccessRequest,
  AssistantAccess,
  AuditEntry,
  Grant,
  GrantTable,
  Mode,
  PageAccess,
  Right,
  Withheld,
} from '../page-access.ts'

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
  const unstored = new Set<Action>() // what cannot be stored holds here, and is stored with the next change
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
  /**
   * Holds here at once; settles when it is stored, with what could not be stored before. Other tabs may have changed what is
   * stored.
   */
  const change = async (action: Action) => {
    unstored.add(action)
    decisions = reduce(decisions, action, now())
    apply()
    let included: Action[] = []
    const stored = await inDatabase(['access'], 'readwrite', what, async (transaction) => {
      included = [...unstored]
      const before = await read(transaction)
      const next = included.reduce((all, one) => reduce(all, one, now()), before)
      await result(transaction.objectStore('access').put(next))
      return next
    })
    if (stored === undefined) return // there is no database
    for (const one of included) unstored.delete(one)
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
      ? `the tab “${name}” (${origin})`
      : `the tab “${shown}” (${name}, ${origin})`
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
    const answer = policy && (await byPolicy(policy, request, signal, report))
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
        throw new RangeError(`withhold takes at most ${maxWithheld} resources: name one above them`)
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
  signal: AbortSignal,
  report: (error: unknown) => void,
): Promise<AccessAnswer | undefined> {
  try {
    const answer: unknown = await policy(request, signal)
    if (answer === 'ask') return undefined
    const { deny: message } = (answer ?? {}) as { deny?: unknown }
    if (typeof message === 'string') return { allow: false, reason: 'policy', message }
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

// The user's decisions about assistants, as a pure reducer, and what they say about a request. Without storage.

const hour = 3_600_000 // ms
const day = 24 * hour

/** How long "this time" is at most, ms. It ends earlier with the gateway's memory of the app. */
export const sessionTime = 8 * hour

/** How long other decisions hold after the last request that they decided, and a pause at most, ms. */
export const keptTime = 30 * day

/** How many assistants an app has decisions about; those decided longest ago are forgotten. */
export const maxAssistants = 500

/** How many decisions the engine takes. */
const maxGrants = 4096

/** Begins the names of assistants at hosted gateways: an id that the authorization server vouches for. */
export const hostedPrefix = 'client:'

/** A decision as it is stored. */
export interface SavedGrant extends Omit<Grant, 'until'> {
  /** When it was made; ms since 1970. */
  readonly time: number
  /** The last request that it decided, to the hour; ms since 1970. */
  readonly used?: number
  /** It is for this time; without, it is kept. */
  readonly session?: true
  /** The user has ended the access, and was not asked. */
  readonly isRevoked?: true
}

/** What is stored about an app. */
export interface Decisions {
  readonly app: string
  readonly grants: readonly SavedGrant[]
  /** Ms since 1970. */
  readonly pausedUntil?: number
}

export type Action =
  /** One decision replaces the earlier one; a denial of a right ends the grants of its tools. */
  | { readonly do: 'decide'; readonly grant: Omit<SavedGrant, 'time'> }
  /** The user ends access. */
  | {
      readonly do: 'stop'
      readonly assistants: readonly string[]
      readonly rights: readonly Right[]
    }
  | { readonly do: 'forget'; readonly assistant: string }
  /** A gateway does not know the app any more: what was allowed "this time" ends. */
  | { readonly do: 'end-sessions' }
  /** `undefined`: not paused. */
  | { readonly do: 'pause'; readonly until: number | undefined }
  /** A request has been decided. */
  | { readonly do: 'used'; readonly assistant: string; readonly right: Right }

/** The decisions after an action, without what has ended and what is too much. */
export function reduce(decisions: Decisions, action: Action, now: number): Decisions {
  const { app, pausedUntil } = {
    ...decisions,
    ...(action.do === 'pause' && { pausedUntil: action.until }),
  }
  const alive = holding(changed(decisions.grants, action, now), now)
  const newest = [...alive].sort((a, b) => b.time - a.time).map(({ assistant }) => assistant)
  const kept = new Set([...new Set(newest)].slice(0, maxAssistants))
  return {
    app,
    grants: alive.filter(({ assistant }) => kept.has(assistant)),
    ...(pausedUntil !== undefined && pausedUntil > now && { pausedUntil }),
  }
}

function changed(
  grants: readonly SavedGrant[],
  action: Action,
  time: number,
): readonly SavedGrant[] {
  switch (action.do) {
    case 'decide':
      return withGrant(grants, { ...action.grant, time })
    case 'stop':
      return action.assistants
        .filter((assistant) => assistant !== 'page') // the page's own clients, which nothing decides about
        .flatMap((assistant) => action.rights.map((right) => ({ assistant, right })))
        .reduce((all, of) => withGrant(all, { ...of, allow: false, time, isRevoked: true }), grants)
    case 'forget':
      return grants.filter(({ assistant }) => assistant !== action.assistant)
    case 'end-sessions':
      return grants.filter(({ session }) => session === undefined)
    case 'used':
      return grants.map((grant) =>
        grant.assistant === action.assistant && grant.right === action.right
          ? { ...grant, used: time }
          : grant,
      )
    case 'pause':
      return grants
  }
}

function withGrant(grants: readonly SavedGrant[], grant: SavedGrant): readonly SavedGrant[] {
  const endsTools = !grant.allow && grant.tool === undefined
  const others = grants.filter(
    ({ assistant, right, tool }) =>
      assistant !== grant.assistant || right !== grant.right || (tool !== grant.tool && !endsTools),
  )
  return [...others, grant]
}

/** When a decision ends. */
export const untilOf = ({ time, used = time, session }: SavedGrant) =>
  session ? time + sessionTime : Math.max(time, used) + keptTime

/** Those that hold now. */
export const holding = (grants: readonly SavedGrant[], now: number) =>
  grants.filter((grant) => untilOf(grant) > now)

/** Whether a request makes decisions hold longer; they are stored once an hour at most. */
export const isWorn = (grant: SavedGrant, now: number) =>
  !grant.session && untilOf(grant) < now + keptTime - hour

/** The decision about a request, if there is one. A denial is stronger than a grant. */
export function decisionOf<G extends Pick<Grant, 'assistant' | 'right' | 'tool' | 'allow'>>(
  { assistant, right, tool }: Pick<AccessRequest, 'assistant' | 'right' | 'tool'>,
  grants: readonly G[],
): G | undefined {
  const about = grants.filter((one) => one.assistant === assistant && one.right === right)
  const denial = about.find((one) => !one.allow && [undefined, tool?.name].includes(one.tool))
  const needed = tool?.destructive ? tool.name : undefined // a grant for the right is not one for such a tool
  return denial ?? about.find((one) => one.allow && one.tool === needed)
}

/**
 * The table for the engine. The page's own clients are not in it: the engine knows them, and an assistant may have any name.
 *
 * @param lists - assistants that may see lists and changes, since the function of the app has allowed them to read
 * @param isConsented - whether those of `lists` with an id of a hosted gateway may read all, by the consent there
 */
export function tableOf(
  mode: Mode,
  { grants, pausedUntil }: Decisions,
  lists: Iterable<string> = [],
  withheld: readonly Withheld[] = [],
  isConsented = false,
): GrantTable {
  const saved = grants.map((grant) => {
    const { assistant, right, tool, allow } = grant
    return { assistant, right, ...(tool && { tool }), allow, until: untilOf(grant) }
  })
  const readers =
    mode === 'policy' ? saved.filter(({ allow, right }) => allow && right === 'read') : []
  const until = Number.MAX_SAFE_INTEGER // it ends with the document
  // A later entry about the same right replaces an earlier one, so none may follow a denial.
  const reads = (assistant: string) =>
    isConsented &&
    assistant.startsWith(hostedPrefix) &&
    !saved.some((one) => one.assistant === assistant && one.right === 'read' && !one.allow)
  const seeing = new Set([...readers.map(({ assistant }) => assistant), ...lists])
  const listed = [...seeing].map((assistant) => {
    return {
      assistant,
      right: reads(assistant) ? ('read' as const) : ('list' as const),
      allow: true,
      until,
    }
  })
  const denied = withheld.map(({ assistant, uri }) => {
    return { assistant, right: 'read' as const, uri, allow: false, until }
  })
  return {
    default: mode === 'open' ? 'open' : 'ask',
    ...(mode === 'policy' && { policy: true }),
    ...(isConsented && { asksLists: true }),
    ...(pausedUntil !== undefined && { pausedUntil }),
    grants: [...denied, ...[...saved, ...listed].slice(0, maxGrants)],
  }
}

// The questions to the user in one tab: one for each assistant and right, and one for each call of a destructive tool; at
// most one is shown at a time.
//
// A tab that is hidden marks its title, and shows its questions when it is visible. Who shows one is alone among the tabs
// of an app (a Web Lock), and stores the answer before that ends: the next tab reads it before it shows its own.

/**
 * What the user has chosen. `dismissed`: closed without a decision. `ended`: its requests have ended. `unshown`: the
 * question cannot be shown here, or not on top.
 */
export type Choice =
  | 'session'
  | 'always'
  | 'once'
  | 'tool-session'
  | 'deny'
  | 'dismissed'
  | 'ended'
  | 'unshown'

/** How long a request waits for the user, ms: clients give up after 60 s. */
export const waitTime = 45_000

/** How many refusals end all questions about an assistant until the page is loaded again. */
const maxRefusals = 3

export interface QuestionHost {
  readonly isVisible: () => boolean
  /** Sets or removes the mark of the title. */
  readonly mark: (on: boolean) => void
  /** Acts while no other tab of the app does, and after this one has read what others have stored. */
  readonly alone: (act: () => Promise<void>) => Promise<void>
  readonly show: (asked: Asked, signal: AbortSignal) => Promise<Choice>
  /** What the decisions say. */
  readonly stored: (asked: Asked) => AccessAnswer | undefined
  /** Stores the user's answer, and tells the engine. */
  readonly store: (asked: Asked, choice: Choice) => Promise<void>
  /** How the page is called in words for the model. */
  readonly place: () => string
  readonly report: (error: unknown) => void
}

export interface Questions {
  ask(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer>
  /** Answers the questions that the decisions answer now. */
  settle(): void
  /** The page was hidden, or is visible again. */
  looked(): void
  /** Answers all questions: the document ends, or is put into the back/forward cache. */
  end(): void
}

/** A question, and the requests that wait for its answer. */
interface Question {
  readonly key: string
  readonly asked: Asked
  readonly waiting: Set<(answer: AccessAnswer) => void>
  /** While it is on the screen. */
  closing?: AbortController
  /** The user has answered, and that is being stored. */
  isStoring?: true
}

const unanswered = (message?: string): AccessAnswer => ({
  allow: false,
  reason: 'unanswered',
  ...(message !== undefined && { message }),
})

/** What models read about requests that were not allowed: what to tell the user, and when to ask again. */
export const words = {
  declined: 'The user declined. Do not try again unless they ask.',
  dismissed:
    'The user has closed the question without a decision. Do not try again unless they ask.',
  refused:
    'The user has refused this assistant several times, and is not asked about it again before the page is loaded again. Do not try again unless they ask.',
  hidden: (place: string) =>
    `The user could not be asked: ${place} is hidden. Tell the user to look there, where the question waits for the next request. Do not try again before they say that they see it.`,
  visible: (place: string) =>
    `The user has not answered the question in ${place}. Tell the user to look there. Do not try again before they say so.`,
  covered: (place: string) =>
    `The user could not be asked: the question cannot be shown on top in ${place}. Tell the user to open the page in a tab of its own. Do not try again before they say so.`,
  framed: (place: string) =>
    `The user could not be asked: ${place} is shown within another site. Tell the user to open the page in a tab of its own. Do not try again before they say so.`,
  name: 'The user could not be asked: the name of this assistant, or of the tool, has characters that cannot be shown, or is too long. Tell the user to give it another name.',
}

export function questions(host: QuestionHost): Questions {
  const open = new Map<string, Question>()
  const refusals = new Map<string, number>() // by assistant
  let lastCall = 0
  let isShowing = false

  const keyOf = ({ assistant, right, tool }: Asked) =>
    JSON.stringify([assistant, right, ...(tool?.destructive ? [tool.name, ++lastCall] : [])])
  const marked = () => host.mark(!host.isVisible() && open.size > 0)
  const answerAll = ({ waiting }: Question, answer: AccessAnswer) => {
    for (const done of [...waiting]) done(answer)
  }
  const isRefused = ({ assistant }: Asked) => (refusals.get(assistant) ?? 0) >= maxRefusals
  const answerOf = (choice: Choice, asked: Asked): AccessAnswer => {
    if (choice === 'unshown' || choice === 'ended') return unanswered(words.covered(host.place()))
    if (choice !== 'deny' && choice !== 'dismissed') return { allow: true, reason: 'asked' }
    const said = choice === 'deny' ? words.declined : words.dismissed
    return { allow: false, reason: 'declined', message: isRefused(asked) ? words.refused : said }
  }
  /** Answers a question; after the third refusal of an assistant, all about it. */
  const conclude = (question: Question, choice: Choice) => {
    const { assistant } = question.asked
    answerAll(question, answerOf(choice, question.asked))
    if (choice !== 'deny' && choice !== 'dismissed') return
    refusals.set(assistant, (refusals.get(assistant) ?? 0) + 1)
    for (const one of [...open.values()]) {
      if (isRefused(one.asked)) answerAll(one, answerOf('deny', one.asked))
    }
  }

  /** Waits for the answer to a question, 45 s at most. */
  function join(asked: Asked, signal: AbortSignal, answered: (answer: AccessAnswer) => void) {
    const key = keyOf(asked)
    const question = open.get(key) ?? { key, asked, waiting: new Set() }
    open.set(key, question)
    const done = (answer: AccessAnswer) => {
      if (!question.waiting.delete(done)) return
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      answered(answer)
      if (question.waiting.size > 0) return
      open.delete(key)
      question.closing?.abort()
      marked()
    }
    const leave = () => done(unanswered())
    const timer = setTimeout(() => {
      done(unanswered(words[host.isVisible() ? 'visible' : 'hidden'](host.place())))
    }, waitTime)
    question.waiting.add(done)
    if (signal.aborted) return leave()
    signal.addEventListener('abort', leave, { once: true })
    marked()
    void showAll()
  }

  /** Shows the questions, one after the other and in turns with other tabs. */
  async function showAll() {
    if (isShowing) return
    isShowing = true
    try {
      while (open.size > 0 && host.isVisible()) await host.alone(showNext)
    } catch (error) {
      host.report(error)
      for (const one of [...open.values()]) answerAll(one, answerOf('unshown', one.asked))
    } finally {
      isShowing = false
    }
  }

  async function showNext() {
    settle()
    const [question] = open.values()
    if (question === undefined || !host.isVisible()) return
    question.closing = new AbortController()
    const choice = await host.show(question.asked, question.closing.signal)
    delete question.closing
    if (choice === 'ended') return // left, hidden, or answered elsewhere
    if (choice !== 'unshown') {
      question.isStoring = true
      await host.store(question.asked, choice)
    }
    conclude(question, choice)
  }

  function settle() {
    for (const question of [...open.values()]) {
      const answer = question.isStoring ? undefined : host.stored(question.asked)
      if (answer) answerAll(question, answer)
    }
  }

  return {
    ask(request, signal) {
      const asked = askedOf(request)
      if (!isShowable(asked.assistant) || (asked.tool && !isShowable(asked.tool.name))) {
        return Promise.resolve(unanswered(words.name))
      }
      if (isRefused(asked)) return Promise.resolve(answerOf('deny', asked))
      return new Promise((resolve) => join(asked, signal, resolve))
    },
    settle,
    looked() {
      marked()
      if (host.isVisible()) void showAll()
      else for (const { closing } of open.values()) closing?.abort()
    },
    end() {
      for (const question of [...open.values()]) answerAll(question, unanswered())
    },
  }
}

// What a question is about.

export interface Asked
  extends Pick<AccessRequest, 'assistant' | 'callsItself' | 'right' | 'method' | 'tool'> {
  /** A URI, or the name of a prompt. */
  readonly what?: string
  /** What the tool asks. */
  readonly question?: string
  /** Whole, as JSON: a user must be able to read all that they allow. */
  readonly arguments?: string
}

/** The request with its texts cut and cleaned, except the names that decisions belong to. */
export function askedOf(request: AccessRequest): Asked {
  const { assistant, callsItself, right, method, uri, prompt, tool, question } = request
  const { arguments: given } = request
  const what = uri === 'access:///read' ? undefined : (uri ?? prompt) // that one stands for all
  return {
    assistant,
    right,
    method: clean(method),
    ...(callsItself && { callsItself: clean(callsItself) }),
    ...(what !== undefined && { what: clean(what) }),
    ...(tool && { tool: { ...tool, ...(tool.title && { title: clean(tool.title) }) } }),
    ...(question !== undefined && { question: clean(question, maxQuestion) }),
    ...(given !== undefined && right === 'act' && { arguments: shownJson(given) }),
  }
}

/** Whether a name is shown as it is: decisions belong to what the user has seen. */
export const isShowable = (name: string) => name !== '' && clean(name) === name

/** How many characters of a name, and of a question, are shown. */
const maxName = 128
const maxQuestion = 500

// Controls, and marks that change the direction of a text or are invisible; those of other lines, too.
const hidden = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}]/gu

/** A text that shows as it is: no controls, no invisible marks, none that change its direction. */
export function clean(text: string, max = maxName): string {
  const points = [...text.toWellFormed().replace(hidden, ' ').replace(/\s+/g, ' ').trim()]
  return points.length > max ? `${points.slice(0, max - 1).join('')}…` : points.join('')
}

/** JSON over several lines, without hidden characters. */
function shownJson(value: unknown): string {
  return (JSON.stringify(value, undefined, 2) ?? '')
    .toWellFormed()
    .replace(hidden, (mark) => (mark === '\n' ? mark : `\\u{${mark.codePointAt(0)?.toString(16)}}`))
}
