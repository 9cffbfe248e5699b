/** The user's decisions about assistants, as a pure reducer, and what they say about a request. Without storage. */

import type { AccessRequest, Grant, GrantTable, Mode, Right, Withheld } from '../access-types.ts'

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
