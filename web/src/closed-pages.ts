/**
 * Which pages of this origin were closed a moment ago. A gateway keeps the name of a page that has gone, since it may
 * be reloading; a new page may take over the name of a closed one at once.
 *
 * Documents end alike when their tab is closed and when it is reloaded. But every navigation, a reload included, fires
 * `pageswap` first, in browsers that have it (Firefox 153 does not). Elsewhere, and in frames, a page counts as closed
 * when no document of its tab has started again in several times the time that it took to start.
 */

/**
 * In localStorage, before the id of a page: when it counts as closed, ms since 1970. One key for each, since tabs that
 * close at once would overwrite each other's marks.
 */
const prefix = 'pagemcp.closed.'

/** How long a mark is kept. The gateway gives away names of pages that have gone for 10 s by itself. */
const lifetime = 15_000 // ms

/** How long the start of a tab's next document may take, at least, where a reload looks like a closing. */
const reloadTime = 1000 // ms

/** Of pages that are watched. */
const watched = new WeakSet<AbortSignal>()

/**
 * Marks a page as closed when its document ends, until the signal is aborted. Later calls with the same signal do
 * nothing.
 *
 * @param id - its id
 * @param idListeners - called with each further id
 */
export function watchClosing(
  id: string,
  idListeners: Set<(id: string) => void>,
  signal: AbortSignal,
): void {
  if (signal.aborted || watched.has(signal)) return
  watched.add(signal)
  youngMarks() // removes those of tabs that nothing followed
  const owns = (next: string) => {
    id = next
    storage()?.removeItem(prefix + id) // a document of this page runs: it is not closed
  }
  owns(id)
  idListeners.add(owns)
  signal.addEventListener('abort', () => idListeners.delete(owns), { once: true })
  const startTime = performance.now() // ms since this document was requested
  const isCertain = globalThis.top === globalThis.self && 'onpageswap' in globalThis
  const patience = isCertain ? 0 : reloadTime + 3 * startTime
  let navigates = false
  const listen = (type: string, listener: (event: Event) => void) =>
    globalThis.addEventListener?.(type, listener, { signal })
  listen('pageswap', () => {
    navigates = isCertain
  })
  listen('pageshow', () => {
    navigates = false // it returns from the back/forward cache
  })
  listen('pagehide', (event) => {
    const mayReturn = (event as PageTransitionEvent).persisted || navigates || patience >= lifetime
    if (mayReturn) return
    try {
      storage()?.setItem(prefix + id, String(Date.now() + patience))
    } catch {
      // full
    }
  })
}

/**
 * The ids of pages of this origin that were closed in the last seconds, at most 16. Waits for those that may be
 * reloading.
 *
 * @throws the signal's reason
 */
export async function closedPages(signal: AbortSignal): Promise<string[]> {
  for (;;) {
    signal.throwIfAborted()
    const marks = youngMarks()
    const wait = Math.max(...marks.map(([, from]) => from - Date.now()))
    if (wait <= 0) return marks.map(([id]) => id).slice(-16)
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 200)))
  }
}

/** The marks that are young; others are removed. Any script of this origin can write them. */
function youngMarks(): [id: string, from: number][] {
  const all = storage()
  const young: [string, number][] = []
  for (const key of Object.keys(all ?? {})) {
    if (!key.startsWith(prefix)) continue
    const from = Number(all?.getItem(key))
    if (Math.abs(from - Date.now()) < lifetime) young.push([key.slice(prefix.length), from])
    else all?.removeItem(key)
  }
  return young
}

/** Without it, as in an opaque origin, the gateway keeps the names of closed pages for a while. */
function storage(): Storage | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}
