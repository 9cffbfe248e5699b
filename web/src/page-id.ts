/**
 * The ids by which a gateway knows this document. A page is a tab of an app: its id is stored in
 * sessionStorage, so that it survives reloads and differs between tabs. `window.open` and duplicating a
 * tab copy sessionStorage: a Web Lock decides which of two documents owns the id. An instance is one
 * document: it keeps both ids when it returns from the back/forward cache, unless a copy of the tab has
 * taken the page id meanwhile.
 */

import { toBase64Url } from './base64url.ts'

const storageKey = 'pagemcp.page'

/** How long a reload waits until the previous document releases the lock. */
const lockTimeout = 1000 // ms

/** The id of this document: 12 random bytes. */
export const instance = randomId()

const profileKey = 'pagemcp.profile'

/**
 * The id of the browser profile at this origin: its tabs share the decisions of one user. Undefined where nothing is
 * stored.
 */
export function profile(): string | undefined {
  try {
    const known = localStorage.getItem(profileKey)
    if (known !== null) return known
    localStorage.setItem(profileKey, randomId())
    return localStorage.getItem(profileKey) ?? undefined // another tab may have stored one at the same time
  } catch {
    return undefined // an opaque origin has no storage
  }
}

let current: Promise<string> | undefined // while it has users
let cached: { id: Promise<string>; claimed: (id: Promise<string>) => void } | undefined // in the back/forward cache
let claiming: AbortController | undefined // ends with the use of the id: then its lock is released
let watching: AbortController | undefined // the window; with `current`
const users = new Set<AbortSignal>()

/**
 * The id of this page. The document owns it, and the lock of {@link lockOf}, until the signal is aborted.
 *
 * @throws the signal's reason, if it is aborted already
 */
export async function pageId(user: AbortSignal): Promise<string> {
  user.throwIfAborted()
  if (!users.has(user)) {
    users.add(user)
    user.addEventListener('abort', () => leave(user), { once: true })
  }
  if (current === undefined) {
    watching = new AbortController()
    globalThis.addEventListener?.('pagehide', releaseWhenCached, watching)
    globalThis.addEventListener?.('pageshow', claimAfterCache, watching)
    return setCurrent((ends) => claim(stored(storageKey), ends))
  }
  return current
}

/**
 * The present id of this page, for an attempt to join. While the document is in the back/forward cache it waits: a
 * copy of the tab may take the id. Rejects if the id has no users.
 */
export async function presentPageId(): Promise<string> {
  if (current === undefined) throw new Error('the page has left')
  return current
}

/** The last user releases the id; another document may own it until it is used here again. */
function leave(user: AbortSignal) {
  users.delete(user)
  if (users.size > 0) return
  claiming?.abort()
  current = undefined
  cached = undefined
  watching?.abort()
}

/**
 * Replaces the id of this page: a newer document with the same id has joined the gateway. Rejects if the id
 * has no users any more.
 */
export async function newPageId(): Promise<string> {
  if (users.size === 0) throw new Error('the page has left')
  return setCurrent(lockFresh)
}

function setCurrent(make: (ends: AbortSignal) => Promise<string>): Promise<string> {
  claiming?.abort()
  claiming = new AbortController()
  current = make(claiming.signal)
  return current
}

/**
 * Releases the id while the document is in the back/forward cache: a request of another document for
 * the lock would evict it from the cache. The tab's next document may request it.
 */
function releaseWhenCached({ persisted }: PageTransitionEvent) {
  if (!persisted || current === undefined || cached) return
  claiming?.abort()
  const id = current
  current = new Promise((claimed) => {
    cached = { id, claimed }
  })
}

function claimAfterCache({ persisted }: PageTransitionEvent) {
  if (!persisted || cached === undefined) return
  const { id, claimed } = cached
  cached = undefined
  current = id
  claimed(setCurrent(async (ends) => claim(await id, ends)))
}

async function claim(known: string | undefined, ends: AbortSignal): Promise<string> {
  if (known !== undefined && ((await lock(known, ends)) || ends.aborted)) return known
  return lockFresh(ends)
}

async function lockFresh(ends: AbortSignal): Promise<string> {
  const id = store(storageKey, randomId())
  await lock(id, ends)
  return id
}

/** The name of the Web Lock of an id. */
export const lockOf = (id: string) => `pagemcp:${id}`

/** Acquires the lock of an id, and holds it until the signal is aborted or the document ends. */
async function lock(id: string, ends: AbortSignal): Promise<boolean> {
  if (!('locks' in navigator)) return true // not a secure context: there are no gateways either
  return new Promise((resolve) => {
    const request = (options: LockOptions) =>
      navigator.locks.request(lockOf(id), options, hold).catch(() => resolve(false))
    const hold = (lock: Lock | null) => {
      if (lock === null) {
        request({ signal: AbortSignal.any([AbortSignal.timeout(lockTimeout), ends]) })
        return
      }
      resolve(true)
      return new Promise<void>((release) => {
        if (ends.aborted) release()
        ends.addEventListener('abort', () => release(), { once: true })
      })
    }
    request({ ifAvailable: true }) // without a limit: a busy browser may answer late, and the id is ours all the same
  })
}

/** A value that is stored for the tab. */
function stored(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined
  } catch {
    return undefined // an opaque origin has no storage
  }
}

function store(key: string, value: string): string {
  try {
    sessionStorage.setItem(key, value)
  } catch {
    // then the value ends with the document
  }
  return value
}

function randomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(12)))
}
