/**
 * The audit log of the gateway as monitors get it: the newest entries, each once; their sums, and a connection whose rows
 * they are.
 */

import { type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { isVouched } from './names.ts'
import type { Dialer } from './transport.ts'

/** An entry about a request that needs a right; web/docs/gateway.md, "Audit log". It never has contents. */
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

/** The assistant's name at the gateway, else `unnamed`. */
const assistantOf = ({ who }: AuditEntry): string => (isVouched(who) ? who : 'unnamed')

/** An entry as a row of the log, in the words of the gateway. A request without a reason was allowed, although it may have failed. */
export function auditLine(entry: AuditEntry): string {
  const { client, door, verb, uri, app, right, outcome, reason, bytes, ms } = entry
  const who = [assistantOf(entry), client && `(${client})`, 'at', door].filter(Boolean).join(' ')
  const what = [verb, uri, app && `of ${app}`].filter(Boolean).join(' ')
  const decision = reason ? `denied: ${reason}` : `allowed: ${right}`
  return `${who}: ${what}, ${decision}, ${outcome}, ${bytes} bytes, ${ms} ms`
}

/**
 * A connection whose rows are the entries, so that filter, export and follow of the log serve them.
 *
 * @param start - monitors the gateway
 */
export const auditDialer = (start: () => Promise<void>): Dialer => ({
  title: t('connections.audit.title'),
  kind: 'tap',
  url: '',
  framing: 'ws',
  readOnly: true,
  async dial(events) {
    let last: AuditEntry | undefined
    const close = auditEntries.subscribe((all) => {
      for (const one of all.slice(last ? all.lastIndexOf(last) + 1 : 0))
        events.note(auditLine(one), Date.parse(one.time))
      last = all.at(-1)
    })
    void start()
    return { send: () => {}, close }
  },
})

/** What an assistant has used of a page. */
export interface Use {
  assistant: string
  /** `''`: lists of all pages. */
  app: string
  /** Resources, prompts and skills that it got: how often, and how many bytes, by URI or name. */
  contents: Map<string, { reads: number; bytes: number }>
  /** Tools that it has run. */
  calls: number
  denied: number
  /** Of all answers. */
  bytes: number
  /** RFC 3339, of the last request. */
  last: string
  /** The last request that was denied. */
  denial?: AuditEntry
}

/** Methods that get contents. */
const contents: readonly string[] = ['resources/read', 'prompts/get', 'skills/get']

/** Sums by assistant and page, the last used first. */
export function uses(entries: readonly AuditEntry[]): Use[] {
  const all = new Map<string, Use>()
  for (const entry of entries) {
    const assistant = assistantOf(entry)
    const { app = '' } = entry
    const key = `${assistant}\n${app}`
    const use: Use = all.get(key) ?? {
      assistant,
      app,
      contents: new Map(),
      calls: 0,
      denied: 0,
      bytes: 0,
      last: '',
    }
    all.delete(key)
    all.set(key, use) // in order of the last use
    use.last = entry.time
    use.bytes += entry.bytes
    if (entry.reason) {
      use.denied += 1
      use.denial = entry
    } else if (entry.outcome === 'ok') {
      if (entry.right === 'act') use.calls += 1
      else if (contents.includes(entry.verb)) {
        const { reads, bytes } = use.contents.get(entry.uri ?? '') ?? { reads: 0, bytes: 0 }
        use.contents.set(entry.uri ?? '', { reads: reads + 1, bytes: bytes + entry.bytes })
      }
    }
  }
  return [...all.values()].reverse()
}
