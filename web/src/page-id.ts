/**
 * Who this document is to a gateway. A page is a tab of an app: its id lives in sessionStorage, so
 * that it stays through reloads and is another one in another tab. `window.open` and duplicating a
 * tab copy sessionStorage: a Web Lock tells which of two documents the id belongs to. An instance is
 * one document: it stays when the page comes back from the back/forward cache, and so does its id,
 * unless a copy of the tab has taken it meanwhile.
 */

import { toBase64Url } from './base64url.ts'

const storageKey = 'pagemcp.page'

/** How long a reload waits for the document before it to let go of the lock. */
const lockTimeout = 1000 // ms

/** The number of this document: 12 random bytes. */
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

/** Another id: a gateway knows this page's one from a newer document. */
export function newPageId(): Promise<string> {
  release?.()
  return setCurrent(lockFresh())
}

/**
 * Tells the id of this page, and again whenever it has become another one.
 *
 * @returns how to stop that
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
 * Lets go of the id while the document is in the back/forward cache: were the lock kept, whoever
 * asked for it would throw the document out of there. The tab's next document may want it.
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

/** Takes the lock of an id, and keeps it until `release` or as long as the document lives. */
async function lock(id: string): Promise<boolean> {
  if (!('locks' in navigator)) return true // not a secure context: there is no joining either
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
 * The key that signs cursors, and what handlers keep in a `requestState`. It is kept for the tab, so
 * that both are good after a reload; scripts of this origin can read it, clients cannot.
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
