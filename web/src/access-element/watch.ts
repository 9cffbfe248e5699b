/** The state of access, again whenever it changes: for the elements, and for apps that draw their own. */

import type { AssistantAccess, AssistantGrant, PageAccess, Right } from '../access-types.ts'

/** What the elements need of an engine: `start` returns it. */
export interface AccessHost {
  readonly access: PageAccess
  on(type: 'access', listener: () => void): () => void
}

/** An assistant at this moment. */
export interface AssistantState extends AssistantAccess {
  /** Decisions that still hold. */
  readonly grants: readonly AssistantGrant[]
  /** It has used the page within the last seconds. */
  readonly isActive: boolean
  /** It may do nothing: each of its rights is denied. */
  readonly isStopped: boolean
}

/** Access at this moment. */
export interface AccessState {
  readonly mode: PageAccess['mode']
  /** `undefined`: not paused. Ms since 1970. */
  readonly pausedUntil: number | undefined
  /** In order of their first appearance while this is watched. */
  readonly assistants: readonly AssistantState[]
}

export interface WatchOptions {
  /** How long an assistant counts as active after a use, in ms; 30,000 by default. */
  readonly activeFor?: number
  /** Ends it. */
  readonly signal?: AbortSignal
}

/** Each use of the page is a change: the state is read at most this often. */
const interval = 200 // ms

/** Relative times and counts of the day change without an event. */
const longest = 60_000 // ms

/**
 * Calls `show` with the state of access now, and whenever it changes, until the signal aborts or the returned function
 * is called. A state that cannot be read is reported (`window.onerror`), and read again at the next change.
 */
export function watchAccess(
  mcp: AccessHost,
  show: (state: AccessState) => void,
  { activeFor = 30_000, signal }: WatchOptions = {},
): () => void {
  let isEnded = signal?.aborted === true
  let isReading = false
  let isStale = false
  let lastRead = -interval
  let timer: ReturnType<typeof setTimeout> | undefined
  const order: string[] = []

  const plan = (ms: number) => {
    clearTimeout(timer)
    if (!isEnded) timer = setTimeout(read, Math.max(0, ms))
  }
  const changed = () => {
    isStale = true
    if (!isReading) plan(lastRead + interval - performance.now())
  }
  const read = async () => {
    isReading = true
    isStale = false
    lastRead = performance.now()
    let next = longest
    try {
      const assistants = await mcp.access.grants()
      if (isEnded) return
      const state = stateOf(mcp.access, assistants, order, activeFor)
      next = Math.min(next, nextChange(state, activeFor))
      show(state)
    } catch (error) {
      globalThis.reportError?.(error)
    } finally {
      isReading = false
      plan(isStale ? lastRead + interval - performance.now() : next)
    }
  }
  const removeListener = isEnded ? undefined : mcp.on('access', changed)
  const end = () => {
    isEnded = true
    clearTimeout(timer)
    removeListener?.()
  }
  signal?.addEventListener('abort', end, { once: true })
  if (!isEnded) void read()
  return end
}

/** Rows keep their places: what the user is about to click must not move. */
function stateOf(
  access: PageAccess,
  all: readonly AssistantAccess[],
  order: string[],
  activeFor: number,
): AccessState {
  const now = Date.now()
  const { mode, pausedUntil } = access
  for (const { assistant } of all) if (!order.includes(assistant)) order.push(assistant)
  const assistants = all.map((one): AssistantState => {
    const grants = one.grants.filter(({ until }) => until > now)
    return {
      ...one,
      grants,
      isActive: one.lastUsed !== undefined && now - one.lastUsed < activeFor,
      isStopped: (['read', 'act'] as const).every(
        (right) => grantOf(grants, right)?.allow === false,
      ),
    }
  })
  assistants.sort((a, b) => order.indexOf(a.assistant) - order.indexOf(b.assistant))
  const isPaused = pausedUntil !== undefined && pausedUntil > now
  return { mode, pausedUntil: isPaused ? pausedUntil : undefined, assistants }
}

/** The decision about a right as a whole, not about single tools. A denial wins. */
export function grantOf(
  grants: readonly AssistantGrant[],
  right: Right,
): AssistantGrant | undefined {
  const own = grants.filter((grant) => grant.right === right && grant.tool === undefined)
  return own.find(({ allow }) => !allow) ?? own[0]
}

/** After how many ms the state changes by itself. */
function nextChange({ pausedUntil, assistants }: AccessState, activeFor: number): number {
  const times = assistants.flatMap(({ grants, lastUsed, isActive }) => [
    ...grants.map(({ until }) => until),
    ...(isActive && lastUsed !== undefined ? [lastUsed + activeFor] : []),
  ])
  if (pausedUntil !== undefined) times.push(pausedUntil)
  return Math.min(...times) - Date.now()
}
