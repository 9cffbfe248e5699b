/**
 * Which pages of this origin and browser are closed. A gateway keeps the name of a page that has gone, since it may
 * be reloading; a new page may take over the name of a closed one at once.
 *
 * Documents end alike when their tab is closed and when it is reloaded. But every navigation, a reload included, fires
 * `pageswap` first, in browsers that have it (Firefox 153 does not). Elsewhere, and in frames, a page counts as closed
 * when no document of its tab has started again in several times the time that it took to start.
 */

/**
 * In localStorage, before the id of a page of this browser: when it began or ended, ms since 1970. A page without a
 * mark may have ended with its browser, and one from days ago may still have its name, which a gateway then gives to
 * the browser that had it.
 */
const ownPrefix = 'pagemcp.page.'

/** How long, and how many, ids of pages are remembered. */
const ownLifetime = 7 * 86_400_000 // ms
const maxOwn = 32

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
    set(ownPrefix + id, Date.now())
    for (const [other] of ownPages().slice(0, -maxOwn)) storage()?.removeItem(ownPrefix + other)
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
    // Writes alone: Firefox sometimes fails to list the keys of storage in a tab that is being closed.
    if (!mayReturn) set(prefix + id, Date.now() + patience)
    set(ownPrefix + id, Date.now())
  })
}

/**
 * The ids of pages of this browser and origin that are closed, at most 16, those of the last seconds last. Waits for
 * those that may be reloading.
 *
 * @throws the signal's reason
 */
export async function closedPages(signal: AbortSignal): Promise<string[]> {
  const ended = await endedPages() // first: marks that come meanwhile count
  for (;;) {
    signal.throwIfAborted()
    const marks = youngMarks()
    const wait = Math.max(...marks.map(([, from]) => from - Date.now()))
    if (wait <= 0) {
      const recent = marks.map(([id]) => id)
      return [...ended.filter((id) => !recent.includes(id)), ...recent].slice(-16)
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, 200)))
  }
}

/**
 * Remembered pages that no document has: each holds a Web Lock (page-id.ts). Not those of the last seconds, which may
 * be reloading. The oldest is the first.
 */
async function endedPages(): Promise<string[]> {
  if (!globalThis.navigator?.locks) return []
  const { held = [], pending = [] } = await navigator.locks.query()
  const alive = new Set([...held, ...pending].map(({ name }) => name))
  const until = Date.now() - lifetime
  return ownPages()
    .filter(([id, time]) => time < until && !alive.has(`pagemcp:${id}`))
    .map(([id]) => id)
}

function set(key: string, time: number) {
  try {
    storage()?.setItem(key, String(time))
  } catch {
    // full
  }
}

/** Remembered pages, the oldest first. Those that are too old are removed. */
function ownPages(): [id: string, time: number][] {
  const pages = entries(ownPrefix)
  for (const [id, time] of pages) {
    if (!(Math.abs(Date.now() - time) < ownLifetime)) storage()?.removeItem(ownPrefix + id)
  }
  return pages
    .filter(([, time]) => Math.abs(Date.now() - time) < ownLifetime)
    .sort(([, a], [, b]) => a - b)
}

/** Ids and times that are stored under a prefix. Any script of this origin can write them. */
function entries(under: string): [id: string, time: number][] {
  const all = storage()
  return Object.keys(all ?? {})
    .filter((key) => key.startsWith(under))
    .map((key) => [key.slice(under.length), Number(all?.getItem(key))])
}

/** The marks that are young; others are removed. */
function youngMarks(): [id: string, from: number][] {
  return entries(prefix).filter(([id, from]) => {
    const isYoung = Math.abs(from - Date.now()) < lifetime
    if (!isYoung) storage()?.removeItem(prefix + id)
    return isYoung
  })
}

/** Without it, as in an opaque origin, the gateway keeps the names of closed pages for a while. */
function storage(): Storage | undefined {
  try {
    return globalThis.localStorage
  } catch {
    return undefined
  }
}
