/** Who read what today, from the audit log of the gateway: sums by assistant. */

/** An entry about a request that needs a right; docs/gateway.md, "Audit log". It never has contents. */
export interface Entry {
  /** RFC 3339 */
  readonly time: string
  /** Name of the assistant; `token`, `stdio` and `anyone` have none. */
  readonly who: string
  /** What it calls itself. */
  readonly client?: string
  /** The endpoint. */
  readonly door: string
  /** The method. */
  readonly verb: string
  /** URI, or name of the tool or prompt. */
  readonly uri?: string
  /** The page that the request is for. */
  readonly app?: string
  readonly right: 'read' | 'act'
  readonly outcome: string
  readonly reason?: string
}

/** What an assistant did. */
export interface Reader {
  /** As the gateway names it, for {@link Entry.who}. */
  who: string
  /** Whether it has a name that the gateway vouches for. */
  isNamed: boolean
  /** What it calls itself; `''`: nothing, or the same. */
  claims: string
  /** Number of contents that it got, by page. */
  reads: ReadonlyMap<string, number>
  /** Number of tools that ran. */
  calls: number
  denied: number
  /** What it got last, the newest first, each once. */
  latest: readonly string[]
  /** RFC 3339 */
  last: string
}

/** How the gateway names clients without a name of their own. */
const unnamed: readonly string[] = ['token', 'stdio', 'anyone']

/** Methods that get contents. */
const contents: readonly string[] = ['resources/read', 'prompts/get', 'skills/get']

/** Older entries are forgotten; the gateway keeps them in its files. */
export const maxEntries = 2_000

/** Most of {@link Reader.latest}. */
const maxLatest = 3

/** Adds entries to the known ones, each once: the gateway may send one twice. */
export function merged(known: readonly Entry[], more: readonly Entry[]): readonly Entry[] {
  const keyOf = ({ time, who, verb, uri }: Entry) => [time, who, verb, uri].join('\n')
  const all = new Map([...known, ...more].map((entry) => [keyOf(entry), entry]))
  return [...all.values()].slice(-maxEntries)
}

/**
 * The assistants since a time, the last used first. The playground's own requests (`/watch`) are left out.
 *
 * @param since - ms since 1970
 */
export function readersOf(entries: readonly Entry[], since: number): Reader[] {
  const all = new Map<string, Reader>()
  for (const { who, client = '', door, verb, uri = '', app = '', ...entry } of entries) {
    if (door === '/watch' || Date.parse(entry.time) < since) continue
    const isNamed = !unnamed.includes(who)
    const before = all.get(who)
    const reads = new Map(before?.reads)
    const isDone = !entry.reason && entry.outcome === 'ok'
    const isRead = isDone && entry.right === 'read' && contents.includes(verb)
    const isCall = isDone && entry.right === 'act'
    if (isRead) reads.set(app, (reads.get(app) ?? 0) + 1)
    const latest = before?.latest ?? []
    all.delete(who)
    all.set(who, {
      who,
      isNamed,
      claims: client === who ? '' : client || (before?.claims ?? ''),
      reads,
      calls: (before?.calls ?? 0) + Number(isCall),
      denied: (before?.denied ?? 0) + Number(Boolean(entry.reason)),
      latest:
        isRead || isCall
          ? [uri, ...latest.filter((one) => one !== uri)].slice(0, maxLatest)
          : latest,
      last: entry.time,
    })
  }
  return [...all.values()].reverse()
}
