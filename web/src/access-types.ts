/**
 * Who may use what a page serves: the types of grants, questions and audit entries. The engine decides by a
 * {@link GrantTable}; the window keeps the grants and asks the user.
 */

import type { Json } from './source.ts'

/**
 * `read`: lists, resources, templates, completions, subscriptions, prompts, skills, and tools with
 * `readOnlyHint: true`. `act`: all other tools, and methods of extensions.
 */
export type Right = 'read' | 'act'

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
  readonly tool?: {
    readonly name: string
    readonly title?: string
    /** `annotations.destructiveHint` is true: the user is asked each time. */
    readonly destructive?: boolean
  }
  /** The name of a prompt. */
  readonly prompt?: string
  /** Of a tool. */
  readonly arguments?: Json
}

/** Why a request was allowed or denied. */
export type AccessReason =
  /** By a saved decision. */
  | 'grant'
  /** The user was asked. */
  | 'asked'
  /** By the function of the app. */
  | 'policy'
  /** The default is `open`. */
  | 'open'
  /** The user has declined, now or earlier. */
  | 'declined'
  /** The user has paused all assistants. */
  | 'paused'
  /** The user did not answer in time, or no tab could ask. */
  | 'unanswered'
  /** The user has ended the access while the request waited. */
  | 'revoked'

/** The answer to a request that the grants do not decide. */
export interface AccessAnswer {
  readonly allow: boolean
  readonly reason: AccessReason
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
  readonly reason: AccessReason
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

/** How a page decides: `start({ access })`. */
export type AccessPolicy = (
  request: AccessRequest,
) => 'allow' | 'deny' | 'ask' | Promise<'allow' | 'deny' | 'ask'>

/** A decision about an assistant, as users see it. */
export interface AssistantGrant extends Grant {
  /** Ms since 1970; `undefined`: never used. */
  readonly lastUsed?: number
  /** `session` ends after 8 hours, or when the gateway forgets the app. */
  readonly lasts: 'session' | 'always'
}

/** One assistant, with its decisions and its use of this app. */
export interface AssistantAccess {
  readonly assistant: string
  readonly callsItself?: string
  readonly grants: readonly AssistantGrant[]
  /** Ms since 1970. */
  readonly lastUsed?: number
  /** Since midnight, over all tabs of the app. */
  readonly readsToday: number
  readonly callsToday: number
}

/** The user's decisions about assistants: `mcp.access`. All tabs of an app share them. */
export interface PageAccess {
  /** `policy`: a function of the app decides first. */
  readonly mode: 'open' | 'ask' | 'policy'
  /** The app: origin and name. */
  readonly app: string
  /** Until when all requests are denied; ms since 1970; `undefined`: not paused. */
  readonly pausedUntil: number | undefined
  /** All assistants with a decision, or that have used this app today. */
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
  /** The last entries, newest first; 1,000 at most are kept. */
  audit(): Promise<readonly AuditEntry[]>
}
