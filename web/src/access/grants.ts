/** The user's decisions about assistants: how long they hold, and what they say about a request. Without storage. */

import type { AccessRequest, Grant, GrantTable, Right, Withheld } from '../access-types.ts'

const hour = 3_600_000 // ms
const day = 24 * hour

/** How long "this time" is at most, ms. It ends earlier with the gateway's memory of the app. */
export const sessionTime = 8 * hour

/** How long other decisions hold after the last request that they decided, ms. */
export const keptTime = 30 * day

/** How many assistants an app has decisions about; those decided longest ago are forgotten. */
export const maxAssistants = 500

/** The principal of the page's own clients, which the engine never asks about. */
export const ownPrincipal = 'page'

/** A decision as it is stored. */
export interface SavedGrant {
  readonly assistant: string
  readonly right: Right
  readonly tool?: string
  readonly allow: boolean
  /** Ms since 1970. */
  readonly time: number
  /** It is for this time; without, it is kept. */
  readonly session?: true
  /** The user has ended the access, and was not asked. */
  readonly isRevoked?: true
}

/** An answer to one question that is no decision for later, for other tabs that have the same question. */
export interface Outcome {
  readonly key: string
  readonly time: number
  readonly allow: boolean
}

/** What is stored about an app, besides its use. */
export interface Decisions {
  readonly app: string
  grants: readonly SavedGrant[]
  outcomes: readonly Outcome[]
  /** Ms since 1970. */
  pausedUntil?: number
}

/** How an assistant uses the app. */
export interface Use {
  readonly assistant: string
  callsItself?: string
  /** The last request that was allowed; ms since 1970. */
  lastUsed?: number
  /** The last request of each right, allowed or denied: decisions are kept that long after it. */
  last: { [right in Right]?: number }
  /** The local day of the counts: `2026-11-26`. */
  day: string
  reads: number
  calls: number
}

export type Uses = ReadonlyMap<string, Use>

/** How long an outcome is kept: longer than a question waits. */
const outcomeTime = 120_000 // ms

export const isSame = (a: Pick<Grant, 'assistant' | 'right' | 'tool'>, b: typeof a) =>
  a.assistant === b.assistant && a.right === b.right && a.tool === b.tool

/** When a decision ends. */
export function untilOf({ assistant, right, time, session }: SavedGrant, uses: Uses): number {
  if (session !== undefined) return time + sessionTime
  return Math.max(time, uses.get(assistant)?.last[right] ?? 0) + keptTime
}

/** The decisions that hold now. */
export function present(
  decisions: Decisions,
  uses: Uses,
  now: number,
): readonly (SavedGrant & { readonly until: number })[] {
  return decisions.grants.flatMap((grant) => {
    const until = untilOf(grant, uses)
    return until <= now ? [] : { ...grant, until }
  })
}

/** Saves a decision in place of an earlier one; a denial of a right ends the grants of its tools. */
export function withGrant(decisions: Decisions, grant: SavedGrant): void {
  const { assistant, right, tool, allow } = grant
  const isDenied = !allow && tool === undefined
  const others = decisions.grants.filter(
    (other) =>
      !isSame(other, grant) &&
      !(isDenied && other.assistant === assistant && other.right === right),
  )
  decisions.grants = [...others, grant]
}

/** Denies the rights to assistants: what they were allowed ends. */
export function withDenials(
  decisions: Decisions,
  assistants: Iterable<string>,
  rights: readonly Right[],
  time: number,
): void {
  for (const assistant of assistants) {
    if (assistant === ownPrincipal) continue
    for (const right of rights) {
      withGrant(decisions, { assistant, right, allow: false, time, isRevoked: true })
    }
  }
}

/** Removes what has ended, and what is too much. */
export function prune(decisions: Decisions, uses: Uses, now: number): void {
  const kept = decisions.grants.filter((grant) => untilOf(grant, uses) > now)
  const newest = [...kept].sort((a, b) => b.time - a.time)
  const assistants = new Set<string>()
  for (const { assistant } of newest) if (assistants.size < maxAssistants) assistants.add(assistant)
  decisions.grants = kept.filter(({ assistant }) => assistants.has(assistant))
  decisions.outcomes = decisions.outcomes.filter(({ time }) => time > now - outcomeTime).slice(-100)
  if ((decisions.pausedUntil ?? 0) <= now) delete decisions.pausedUntil
}

/** How the page decides without a grant. */
export type Mode = 'open' | 'ask' | 'policy'

/** Begins the names of assistants at hosted gateways: an id that the authorization server vouches for. */
export const hostedPrefix = 'client:'

/** How many decisions the engine takes. */
const maxGrants = 4096

/** How many resources it withholds besides. */
export const maxWithheld = 2000

/**
 * The table for the engine. The page's own clients are not in it: the engine knows them, and an assistant may have any name.
 *
 * @param lists - assistants that may see lists and changes, since the function of the app has allowed them to read
 * @param isConsented - whether those of `lists` with an id of a hosted gateway may read all, by the consent there
 */
export function tableOf(
  mode: Mode,
  { pausedUntil }: Decisions,
  holding: ReturnType<typeof present>,
  lists: Iterable<string> = [],
  withheld: readonly Withheld[] = [],
  isConsented = false,
): GrantTable {
  const saved = holding.map(({ assistant, right, tool, allow, until }) => ({
    assistant,
    right,
    ...(tool !== undefined && { tool }),
    allow,
    until,
  }))
  const readers =
    mode === 'policy' ? saved.filter(({ allow, right }) => allow && right === 'read') : []
  const seeing = new Set([...readers.map(({ assistant }) => assistant), ...lists])
  const until = Number.MAX_SAFE_INTEGER // it ends with the document
  // A later entry about the same right replaces an earlier one, so none may follow a denial.
  const isDenied = (assistant: string) =>
    saved.some((one) => one.assistant === assistant && one.right === 'read' && !one.allow)
  const listed = [...seeing].map((assistant) => {
    const reads = isConsented && assistant.startsWith(hostedPrefix) && !isDenied(assistant)
    return { assistant, right: reads ? ('read' as const) : ('list' as const), allow: true, until }
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

/** The decision about a request, if there is one. A denial is stronger than a grant. */
export function decisionOf<G extends Pick<Grant, 'assistant' | 'right' | 'tool' | 'allow'>>(
  { assistant, right, tool }: Pick<AccessRequest, 'assistant' | 'right' | 'tool'>,
  holding: readonly G[],
): G | undefined {
  const about = holding.filter((one) => one.assistant === assistant && one.right === right)
  const fits = about.filter((one) => one.tool === undefined || one.tool === tool?.name)
  const denial = fits.find(({ allow }) => !allow)
  if (denial) return denial
  const needed = tool?.destructive ? tool.name : undefined // a grant for the right is not one for such a tool
  return about.find((one) => one.allow && one.tool === needed)
}
