/**
 * The session of an app: from its first tab to the end of its last one. A tab holds a shared Web Lock with the id of its session, so
 * that a new tab finds the session of one that lives. The id is also in sessionStorage: after a reload the tab continues
 * its session, unless it was away for longer than a reload takes.
 */

import { toBase64Url } from '../base64url.ts'

/** How long a document may take to follow another one of its tab, ms. Later the tab begins a new session. */
const reloadTime = 60_000

/** How long a tab waits for others that join at the same time, ms. */
const turnTime = 2_000

export interface Session {
  /** Of the present session. */
  readonly id: string
  /** Leaves the session: for a page that stops serving. */
  leave(): void
}

interface Left {
  id: string
  /** When the last document of the tab ended; ms since 1970. */
  left?: number
}

/**
 * Joins the session of the app, or begins one.
 *
 * @param moved - called if this tab continues in the session of other tabs: what belonged to its own belongs to that now.
 *   Also called later, after the document was in the back/forward cache
 */
export async function joinSession(
  name: string,
  moved: (from: string | undefined, to: string) => void,
): Promise<Session> {
  const key = `pagemcp.session:${name}`
  const prefix = `${key}:`
  const own = stored(key)
  let id = own?.id ?? ''
  let release = () => {}
  const events = new AbortController()

  /** Within the turn of this tab: no other tab decides at the same time. */
  const join = async (continues: boolean) => {
    const living = await livingSessions(prefix)
    const before = id
    if (before === '' || !(living.includes(before) || (continues && living.length === 0))) {
      id = living[0] ?? randomId()
    }
    release = await hold(prefix + id)
    store(key, { id })
    const isOwn = before !== '' && continues
    if (id !== before) moved(isOwn ? before : undefined, id)
  }
  const inTurn = (continues: boolean) => {
    if (!('locks' in navigator)) {
      if (!continues || id === '') id = randomId()
      store(key, { id })
      return Promise.resolve()
    }
    const late = AbortSignal.timeout(turnTime)
    return navigator.locks
      .request(`pagemcp.join:${name}`, { signal: late }, () => join(continues))
      .catch(() => join(continues)) // it was not our turn in time: at worst there are two sessions
  }

  await inTurn(isRecent(own))

  globalThis.addEventListener?.(
    'pagehide',
    ({ persisted }) => {
      store(key, { id, left: Date.now() })
      if (persisted) release() // it may be the last tab for a long time
    },
    { signal: events.signal },
  )
  globalThis.addEventListener?.(
    'pageshow',
    ({ persisted }) => {
      if (persisted) void inTurn(isRecent(stored(key)))
    },
    { signal: events.signal },
  )
  return {
    get id() {
      return id
    },
    leave() {
      events.abort()
      release()
    },
  }
}

/** Whether the tab had a document a moment ago; browsers discard tabs without an event. */
function isRecent(own: Left | undefined): boolean {
  if (own === undefined) return false
  if ((globalThis.document as { wasDiscarded?: boolean } | undefined)?.wasDiscarded) return true
  const away = Date.now() - (own.left ?? 0)
  return away >= 0 && away < reloadTime
}

async function livingSessions(prefix: string): Promise<string[]> {
  const { held = [] } = await navigator.locks.query().catch((): LockManagerSnapshot => ({})) // Firefox: in a frame of another site
  const ids = held.flatMap(({ name = '' }) =>
    name.startsWith(prefix) ? name.slice(prefix.length) : [],
  )
  return [...new Set(ids)].sort()
}

/** Acquires a shared lock; the browser releases it with the document. Returns a function that releases it. */
function hold(name: string): Promise<() => void> {
  return new Promise((resolve) => {
    navigator.locks
      .request(
        name,
        { mode: 'shared' },
        () => new Promise<void>((release) => resolve(() => release())),
      )
      .catch(() => resolve(() => {})) // an opaque origin has no locks
  })
}

function stored(key: string): Left | undefined {
  try {
    const { id, left } = JSON.parse(sessionStorage.getItem(key) ?? '{}') as Partial<Left>
    return typeof id === 'string' && id !== '' ? { id, left } : undefined
  } catch {
    return undefined // an opaque origin has no storage
  }
}

function store(key: string, left: Left) {
  try {
    sessionStorage.setItem(key, JSON.stringify(left))
  } catch {
    // then the session ends with the document
  }
}

const randomId = () => toBase64Url(crypto.getRandomValues(new Uint8Array(12)))
