/**
 * Opens databases under a Web Lock.
 *
 * A page that is left while its request to open a database is under way goes into the back/forward cache with the
 * request (Chromium, WebKit). As long as it is there, requests of later pages get no event at all, not even `blocked`.
 * If each opens under one exclusive lock, the request of the later page for the lock ends the cached page.
 */

/**
 * Calls `open` while it has the lock, where there are locks, and returns its result.
 *
 * @param limit - how long both may take, ms
 * @throws a `DOMException` named `TimeoutError` after `limit`; `over` is aborted then, and `open` closes what it opens later
 */
export async function underLock<T>(
  database: string,
  limit: number,
  open: (over: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = AbortSignal.timeout(limit)
  let isBegun = false
  const begin = () => {
    isBegun = true
    return new Promise<T>((resolve, reject) => {
      over.addEventListener('abort', () => reject(over.reason), { once: true })
      open(over).then(resolve, reject)
    })
  }
  const { locks } = globalThis.navigator ?? {}
  if (!locks) return begin()
  try {
    return (await locks.request(`pagemcp opens ${database}`, { signal: over }, begin)) as T
  } catch (error) {
    if (isBegun || over.aborted) throw error
    return begin() // an opaque origin, or a browser that stores nothing
  }
}
