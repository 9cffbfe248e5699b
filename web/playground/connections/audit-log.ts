/** The audit log of the gateway as monitors get it: the newest entries, each once. */

import { type Signal, signal } from '@preact/signals'

/** An entry about a request that needs a right; web/docs/security.md, Audit log. It never has contents. */
export interface AuditEntry {
  /** RFC 3339 */
  readonly time: string
  /** Name of the assistant; `token`, `stdio` and `anyone` have none. */
  readonly who: string
  /** What it calls itself. */
  readonly client?: string
  /** The endpoint: `/mcp`, `/mcp/notes`, `/ws`, `stdio`. */
  readonly door: string
  /** The method. */
  readonly verb: string
  /** URI, or name of the tool or prompt. */
  readonly uri?: string
  /** The page that the request is for; none for lists of all pages. */
  readonly app?: string
  readonly right: 'read' | 'act'
  /** `ok`, `cancelled`, `busy`, `paused`, an error code or an HTTP status. */
  readonly outcome: string
  /** Why it was denied. */
  readonly reason?: string
  /** Of the answer. */
  readonly bytes: number
  readonly ms: number
}

/** Older entries are forgotten here; the gateway keeps them in its files. */
export const maxEntries = 2_000

/** Oldest first. */
export const auditEntries: Signal<readonly AuditEntry[]> = signal([])

/** The gateway may send an entry twice: at the beginning, and after the socket was lost. */
const keyOf = ({ time, who, verb, uri }: AuditEntry) => [time, who, verb, uri].join('\n')
let known = new Set<string>()

/** Adds entries in the order in which they were recorded. */
export function addAuditEntries(entries: readonly AuditEntry[]): void {
  const fresh = entries.filter((entry) => {
    const key = keyOf(entry)
    const isNew = !known.has(key)
    known.add(key)
    return isNew
  })
  if (fresh.length === 0) return
  auditEntries.value = [...auditEntries.peek(), ...fresh].slice(-maxEntries)
  if (known.size > 2 * maxEntries) known = new Set(auditEntries.peek().map(keyOf))
}
