/**
 * Who may use what a page serves: the types of grants, questions and audit entries. The engine decides by a
 * {@link GrantTable}; the window keeps the grants and asks the user.
 */

import type { Json } from './source.ts'

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

/** `open`: all that a gateway admits; `ask`: the user decides; a function: the app decides first. */
export type AccessOption =
  | 'open'
  | 'ask'
  | ((request: AccessRequest) => 'allow' | 'deny' | 'ask' | Promise<'allow' | 'deny' | 'ask'>)

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
