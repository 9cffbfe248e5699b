/**
 * The id of this tab, through all its reloads, as the owner of what it stores: tasks (task-store.ts) and events. A copy of
 * the tab gets another one: a Web Lock says that it is taken.
 */

import { toBase64Url } from './base64url.ts'

/** How long a tab waits for its own lock, ms: the document before it may still have it. */
const ownPatience = 1_000

/** @param key - in sessionStorage, and the beginning of the name of the lock */
export async function tabOwner(key: string): Promise<string> {
  const known = stored(key)
  if (known !== undefined && (await hold(key, known, AbortSignal.timeout(ownPatience)))) {
    return known
  }
  const fresh = toBase64Url(crypto.getRandomValues(new Uint8Array(12)))
  try {
    sessionStorage.setItem(key, fresh)
  } catch {
    // then it ends with the document
  }
  await hold(key, fresh)
  return fresh
}

function stored(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined
  } catch {
    return undefined // an opaque origin has no storage
  }
}

/** The name of the lock that a tab holds. */
export const tabLock = (key: string, tab: string) => `${key}:${tab}`

/** Holds the lock of a tab until the document ends; whether it was free in time. */
function hold(key: string, tab: string, signal?: AbortSignal): Promise<boolean> {
  const locks = globalThis.navigator?.locks
  if (locks === undefined) return Promise.resolve(true)
  return new Promise((resolve) => {
    const forGood = () => {
      resolve(true)
      return new Promise(() => {})
    }
    locks.request(tabLock(key, tab), signal ? { signal } : {}, forGood).catch(() => resolve(false))
  })
}
