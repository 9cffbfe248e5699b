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

let current: Promise<string> | undefined
let release: (() => void) | undefined
const idListeners = new Set<(id: string) => void>()

/** The id of this page. */
export function pageId(): Promise<string> {
  if (current === undefined) {
    setCurrent(claim(stored()))
    globalThis.addEventListener?.('pagehide', releaseWhenCached)
    globalThis.addEventListener?.('pageshow', claimAfterCache)
  }
  return current as unknown as Promise<string>
}

/** Replaces the id of this page: a newer document with the same id has joined the gateway. */
export function newPageId(): Promise<string> {
  release?.()
  return setCurrent(lockFresh())
}

/**
 * Calls the listener with the id of this page, and again whenever the id changes.
 *
 * @returns a function that removes the listener
 */
export function watchPageId(listener: (id: string) => void): () => void {
  idListeners.add(listener)
  void pageId().then((id) => idListeners.has(listener) && listener(id))
  return () => idListeners.delete(listener)
}

function setCurrent(next: Promise<string>): Promise<string> {
  const before = current
  current = next
  void next.then(async (id) => {
    if (before === undefined || id === (await before) || current !== next) return
    for (const listener of idListeners) listener(id)
  })
  return next
}

/**
 * Releases the id while the document is in the back/forward cache: a request of another document for
 * the lock would evict it from the cache. The tab's next document may request it.
 */
function releaseWhenCached({ persisted }: PageTransitionEvent) {
  if (persisted) release?.()
}

function claimAfterCache({ persisted }: PageTransitionEvent) {
  if (persisted && current !== undefined) setCurrent(current.then(claim))
}

async function claim(known: string | undefined): Promise<string> {
  if (known !== undefined && (await lock(known))) return known
  return lockFresh()
}

async function lockFresh(): Promise<string> {
  const id = store(randomId())
  await lock(id)
  return id
}

/** Acquires the lock of an id, and holds it until `release` or the end of the document. */
async function lock(id: string): Promise<boolean> {
  if (!('locks' in navigator)) return true // not a secure context: there are no gateways either
  return new Promise((resolve) => {
    const mine = () => {
      resolve(true)
      return new Promise<void>((end) => {
        release = end
      })
    }
    const signal = AbortSignal.timeout(lockTimeout)
    navigator.locks.request(`pagemcp:${id}`, { signal }, mine).catch(() => resolve(false))
  })
}

function stored(): string | undefined {
  try {
    return sessionStorage.getItem(storageKey) ?? undefined
  } catch {
    return undefined // an opaque origin has no storage
  }
}

function store(id: string): string {
  try {
    sessionStorage.setItem(storageKey, id)
  } catch {
    // then each reload is a new page
  }
  return id
}

/**
 * The key that signs cursors and the `requestState` of handlers. It is stored for the tab, so that both
 * remain valid after a reload. Scripts of this origin can read it, clients cannot.
 */
export function cursorKey(): string {
  const name = 'pagemcp.cursors'
  const fresh = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))
  try {
    const known = sessionStorage.getItem(name)
    if (known !== null) return known
    sessionStorage.setItem(name, fresh)
  } catch {
    // an opaque origin: cursors end with the document
  }
  return fresh
}

function randomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(12)))
}
