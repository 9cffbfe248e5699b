/**
 * Who may use this page, as the window decides: loads access/decisions.ts when there is something to decide. In a page that is
 * open, without a denial or a pause, that is when the app uses `mcp.access` or its event.
 */

import type { AccessOptions, OpenAccess } from './access/decisions.ts'
import { lazily } from './module.ts'
import type { Json } from './source.ts'

interface Options extends Omit<AccessOptions, 'mode' | 'policy' | 'flag'> {
  /** Default: `open` for a page of this machine by `http:`, else `ask`. */
  readonly access?: AccessOption
}

export interface OwnAccess {
  readonly page: PageAccess
  /** Whether the engine must serve nothing before {@link OwnAccess.serve} has settled. */
  readonly asks: boolean
  /** Reads the decisions: settles when the table is set, if there is one. */
  serve(): Promise<unknown>
  /**
   * Other tabs may have decided something while the browser has stopped this page: settles when the engine has it.
   * If that cannot be read, this page must not serve.
   */
  refresh(): Promise<void>
  /** A gateway has refused the key of this page: it does not know the app any more. */
  forgotten(): void
  ask(request: AccessRequest, signal: AbortSignal): Promise<AccessAnswer>
  decided(decision: AccessDecision): void
  /** The app listens to events of access: it needs the use of assistants. */
  load(): void
  /** The page joins a gateway with a token of its app: the gateway's users have consented to reads. */
  consented(): void
  close(): void
}

/** The methods of {@link PageAccess} that access/decisions.ts has. */
const names = [
  'grants',
  'revoke',
  'allow',
  'forget',
  'pause',
  'resume',
  'withhold',
  'audit',
] as const

export function pageAccess(options: Options): OwnAccess {
  const { name, access = isOnThisMachine() ? 'open' : 'ask', report } = options
  const isPolicy = typeof access === 'function'
  if (!isPolicy && access !== 'open' && access !== 'ask') {
    throw new TypeError('access is open, ask, or a function')
  }
  const flag = `pagemcp.access:${name}`
  const mode = isPolicy ? 'policy' : access
  const over = new AbortController()
  const asks = mode !== 'open' || isDenied(flag)
  let opened: OpenAccess | undefined
  let loading: Promise<OpenAccess> | undefined
  let isConsented = false

  /** If it fails, the next use tries again; until then nothing is allowed. */
  const load = () => {
    loading ??= open().catch((error: unknown) => {
      loading = undefined
      throw error
    })
    return loading
  }
  const open = async () => {
    const { openAccess } = await lazily('decisions.js', import('./access/decisions.ts'))
    const policy = isPolicy ? access : undefined
    const made = await openAccess({ ...options, mode, policy, flag })
    if (over.signal.aborted) made.close()
    else if (isConsented) made.consented()
    opened = made
    return made
  }
  const loadOrDeny = () =>
    load().catch((error: unknown) => {
      options.setAccess({ default: 'ask', grants: [] }) // each request fails by `ask`
      report(error)
    })
  const use = async (name: (typeof names)[number] | 'ask', args: readonly unknown[]) => {
    const method = (await load())[name] as (...args: readonly unknown[]) => unknown
    return method(...args)
  }

  const page: PageAccess = {
    mode,
    app: `${globalThis.location?.origin ?? ''} ${name}`.trim(),
    get pausedUntil() {
      return opened?.pausedUntil
    },
    ...Object.fromEntries(names.map((name) => [name, (...args: never) => use(name, args)])),
  } as PageAccess
  return {
    page,
    asks,
    serve() {
      // Another tab of an open page has denied something.
      globalThis.addEventListener?.(
        'storage',
        ({ key }) => {
          if (key === flag && isDenied(flag)) void loadOrDeny()
        },
        over,
      )
      return asks ? loadOrDeny() : Promise.resolve()
    },
    async refresh() {
      if (asks || loading || isDenied(flag)) await (await load()).refresh()
    },
    forgotten() {
      if (asks || loading) load().then((made) => made.forgotten(), report)
    },
    ask: (...args) => use('ask', args) as Promise<AccessAnswer>,
    decided: (decision) => opened?.decided(decision),
    load: () => void loadOrDeny(),
    consented() {
      isConsented = true
      opened?.consented()
    },
    close() {
      over.abort()
      opened?.close()
    },
  }
}

/** Whether something is denied or paused: access/decisions.ts notes until when. */
function isDenied(flag: string): boolean {
  try {
    const until = localStorage.getItem(flag)
    return until !== null && !(Number(until) <= Date.now()) // what is no time is read from the database
  } catch {
    return false // an opaque origin has no storage
  }
}

/**
 * Whether the page is of this machine: a loopback address by `http:`, or no document of a site. Apps in a native shell
 * (Capacitor, Tauri, Cordova) have addresses such as `https://localhost`, `tauri.localhost`, or a file.
 */
function isOnThisMachine(): boolean {
  const { location } = globalThis
  if (location === undefined) return true
  return (
    location.protocol === 'http:' && /^localhost$|^127(\.\d+){3}$|^\[::1\]$/.test(location.hostname)
  )
}

// Who may use what a page serves: the types of grants, questions and audit entries. The engine decides by a
// {@link GrantTable}; the window keeps the grants and asks the user.

/**
 * `read`: lists, resources, templates, completions, subscriptions, prompts, skills, and tools with
 * `readOnlyHint: true`. `act`: all other tools.
 */
export type Right = 'read' | 'act'

/** How a page decides without a decision of the user. `policy`: a function of the app decides first. */
export type Mode = 'open' | 'ask' | 'policy'

/** A request of an assistant that needs a decision. */
export interface AccessRequest {
  /** The name that the gateway vouches for, `unnamed`, or the origin of a window. */
  readonly assistant: string
  /** `clientInfo.name`: a statement of the client, which is not verified. */
  readonly callsItself?: string
  readonly right: Right
  /** The MCP method, such as `resources/read`. */
  readonly method: string
  readonly uri?: string
  /** `destructive`: `annotations.destructiveHint` is true, so the user is asked each time. */
  readonly tool?: { readonly name: string; readonly title?: string; readonly destructive?: boolean }
  /** What the tool asks by its option `confirm`. */
  readonly question?: string
  /** The name of a prompt. */
  readonly prompt?: string
  /** Of a tool. */
  readonly arguments?: Json
}

/**
 * Why a request was allowed or denied: by a saved decision (`grant`), the user's answer (`asked`), the function of the app
 * (`policy`), or since the default is `open`; the user has `declined`, now or earlier, has `paused` all assistants, has not
 * answered in time or could not be asked (`unanswered`), or has ended the access (`revoked`).
 */
type Reason =
  | 'grant'
  | 'asked'
  | 'policy'
  | 'open'
  | 'declined'
  | 'paused'
  | 'unanswered'
  | 'revoked'

/** The answer to a request that the grants do not decide. */
export interface AccessAnswer {
  readonly allow: boolean
  readonly reason: Reason
  /** For the model, if it is denied: what to tell the user. Default: by the reason. */
  readonly message?: string
}

/** One decision that holds for a while. */
export interface Grant {
  readonly assistant: string
  readonly right: Right
  /** The only tool that it is about; for tools with `destructiveHint`. */
  readonly tool?: string
  readonly allow: boolean
  /** When it ends; ms since 1970. */
  readonly until: number
}

/** What the engine decides by. Replaced as a whole. */
export interface GrantTable {
  /** The decision without a grant. `ask`: {@link AccessRequest} goes to the window, which answers. */
  readonly default: 'open' | 'ask'
  /** Each request goes to the window that no denial decides, lists too: a function of the app decides. */
  readonly policy?: boolean
  /** Lists go to the window, too, if no decision is about them: it knows who may read without a question. */
  readonly asksLists?: boolean
  /** All requests are denied until then; ms since 1970. */
  readonly pausedUntil?: number
  readonly grants: readonly TableGrant[]
}

/** A decision in the table. `list`: lists and notifications alone, where a function decides about reads. */
export interface TableGrant extends Omit<Grant, 'right'> {
  readonly right: Right | 'list'
  /** Denies to read this resource, and all below it: {@link Withheld}. */
  readonly uri?: string
}

/** A resource that one assistant may not read, such as `note:a`, with all below it, such as `note:a/1`. */
export interface Withheld {
  readonly assistant: string
  readonly uri: string
}

/** A decision of the engine. Never has contents. That about a task has no size or time: its call is answered before. */
export interface AccessDecision {
  readonly assistant: string
  readonly callsItself?: string
  readonly right: Right
  readonly method: string
  /** The URI, or the name of the tool or prompt. */
  readonly what?: string
  /** The id of the task that waited for the decision. */
  readonly task?: string
  readonly allow: boolean
  readonly reason: Reason
  /** Of the answer, UTF-16 code units: of its contents (a blob in Base64), else of its JSON text. */
  readonly bytes: number
  /** From the decision to the answer: without the time in which the user was asked. */
  readonly ms: number
  /** How many equal requests this is; default 1. A gateway reports reads that it has answered once a second. */
  readonly count?: number
}

/** A line of the page's audit. */
export interface AuditEntry extends AccessDecision {
  /** Ms since 1970. */
  readonly time: number
}

/** What the function of an app decides. `deny` may be the words that the model reads. */
export type PolicyAnswer = 'allow' | 'deny' | 'ask' | { readonly deny: string }

/**
 * `open`: all that a gateway admits; `ask`: the user decides; a function: the app decides first. Its signal is aborted when the
 * request ends: the function may ask the user by itself.
 */
export type AccessOption =
  | 'open'
  | 'ask'
  | ((request: AccessRequest, signal: AbortSignal) => PolicyAnswer | Promise<PolicyAnswer>)

/** One assistant, with its decisions and its use of this app. */
export interface AssistantAccess {
  readonly assistant: string
  readonly callsItself?: string
  /** `session` ends after 8 hours, or when the gateway forgets the app. */
  readonly grants: readonly (Grant & { readonly lasts: 'session' | 'always' })[]
  /** Ms since 1970; `undefined`: never used. To the hour, if no tab that was open then is. */
  readonly lastUsed?: number
  /** Since midnight, in all tabs of the app while this one is open. */
  readonly readsToday: number
  readonly callsToday: number
}

/** The user's decisions about assistants: `mcp.access`. All tabs of an app share them. */
export interface PageAccess {
  readonly mode: Mode
  /** The app: origin and name. */
  readonly app: string
  /** Until when all requests are denied; ms since 1970; `undefined`: not paused. */
  readonly pausedUntil: number | undefined
  /** All assistants with a decision, or that have used this app today; those used last first. */
  grants(): Promise<readonly AssistantAccess[]>
  /**
   * Ends the access of an assistant, or of all, in all tabs, also hidden ones: what waits fails within 100 ms. The user is
   * not asked again.
   */
  revoke(assistant?: string, right?: Right): Promise<void>
  /** Allows without a question. Call it for a decision of the user only. `lasts` is `session` by default. */
  allow(assistant: string, right: Right, lasts?: 'session' | 'always'): Promise<void>
  /** Forgets the decisions about an assistant: the next request asks again. */
  forget(assistant: string): Promise<void>
  /** Denies all requests for a time, in ms; one hour by default, at most 30 days. */
  pause(ms?: number): Promise<void>
  resume(): Promise<void>
  /**
   * Withholds resources from single assistants, whatever else is decided: their reads fail, in any spelling of the URI and for
   * all that continues it by `/`, `?`, `;` or `#`, reads of other resources leave them out, and their changes are not announced.
   * Lists still name them; a source decides that by the `client` of its options.
   * Replaces what was withheld before, in this document alone, and is not stored.
   *
   * @param resources - at most 2,000
   */
  withhold(resources: readonly Withheld[]): Promise<void>
  /** The last 1,000 entries of all tabs, since this document was opened; newest first. */
  audit(): Promise<readonly AuditEntry[]>
}
