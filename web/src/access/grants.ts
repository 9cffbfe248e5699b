/** The user's decisions about assistants: how long they hold, and what they say about a request. Without storage. */

import type { AccessRequest, Grant, GrantTable, Right } from '../access-types.ts'

const hour = 3_600_000 // ms
const day = 24 * hour

/** How long a decision for a session holds at most, ms. */
export const sessionTime = 16 * hour

/** How long other decisions hold after the last request that they decided, ms. */
export const keptTime = 30 * day

/** How many assistants an app has decisions about; those decided longest ago are forgotten. */
export const maxAssistants = 500

/** The page's own clients, who are never asked. */
export const ownPrincipal = 'page'

/** A decision as it is stored. */
export interface SavedGrant {
  readonly assistant: string
  readonly right: Right
  readonly tool?: string
  readonly allow: boolean
  /** Ms since 1970. */
  readonly time: number
  /** The session that it ends with; without one it is kept. */
  readonly session?: string
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

/** The decisions that hold now, in this session. */
export function present(
  decisions: Decisions,
  uses: Uses,
  session: string,
  now: number,
): readonly (SavedGrant & { readonly until: number })[] {
  return decisions.grants.flatMap((grant) => {
    const until = untilOf(grant, uses)
    const isOver = until <= now || (grant.session !== undefined && grant.session !== session)
    return isOver ? [] : { ...grant, until }
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
      withGrant(decisions, { assistant, right, allow: false, time })
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

/**
 * The table for the engine. With a policy it has denials only: the function of the app is asked about everything else.
 *
 * @param granted - assistants that may read by a decision outside of the page
 */
export function tableOf(
  mode: Mode,
  decisions: Decisions,
  holding: ReturnType<typeof present>,
  granted: readonly string[] = [],
): GrantTable {
  const own = (['read', 'act'] as const).map((right) => ({
    assistant: ownPrincipal,
    right,
    allow: true,
    until: Number.MAX_SAFE_INTEGER,
  }))
  const saved = holding
    .filter(({ allow }) => mode !== 'policy' || !allow)
    .map(({ assistant, right, tool, allow, until }) => ({
      assistant,
      right,
      ...(tool !== undefined && { tool }),
      allow,
      until,
    }))
  const consented = granted
    .filter((assistant) => !saved.some((one) => isSame(one, { assistant, right: 'read' })))
    .map((assistant) => ({
      assistant,
      right: 'read' as const,
      allow: true,
      until: Number.MAX_SAFE_INTEGER,
    }))
  const { pausedUntil } = decisions
  return {
    default: mode === 'open' ? 'open' : 'ask',
    ...(pausedUntil !== undefined && { pausedUntil }),
    grants: [...own, ...saved, ...consented],
  }
}

/** What the decisions say about a request; `undefined`: nothing. A denial is stronger than a grant. */
export function decided(
  { assistant, right, tool }: Pick<AccessRequest, 'assistant' | 'right' | 'tool'>,
  holding: readonly Pick<Grant, 'assistant' | 'right' | 'tool' | 'allow'>[],
): boolean | undefined {
  const about = holding.filter((one) => one.assistant === assistant && one.right === right)
  const fits = about.filter((one) => one.tool === undefined || one.tool === tool?.name)
  if (fits.some(({ allow }) => !allow)) return false
  const needed = tool?.destructive ? tool.name : undefined // a grant for the right is not one for such a tool
  return about.some((one) => one.tool === needed) ? true : undefined
}
