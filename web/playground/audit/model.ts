/** What the tables show of the entries: the selected ones, and sums by assistant and page. */

import type { AuditEntry } from '../connections/audit-log.ts'
import { isVouched } from '../connections/names.ts'

/** `''` selects all. */
export interface Selection {
  assistant: string
  /** `-` selects lists of all pages. */
  app: string
  right: string
  decision: string
  /** In any text of the entry, in any case. */
  text: string
}

export const everything: Selection = { assistant: '', app: '', right: '', decision: '', text: '' }

/** The assistant's name at the gateway, else `unnamed`. */
export const assistantOf = ({ who }: AuditEntry): string => (isVouched(who) ? who : 'unnamed')

/** The page that a request is for; `-`: lists of all pages. */
export const appOf = ({ app }: AuditEntry): string => app ?? '-'

/** A request without a reason was allowed, although it may have failed. */
export const decisionOf = ({ reason }: AuditEntry): 'allowed' | 'denied' =>
  reason ? 'denied' : 'allowed'

/** The selected entries, the newest first. */
export function select(entries: readonly AuditEntry[], by: Selection): AuditEntry[] {
  const wanted = by.text.trim().toLowerCase()
  const is = (selected: string, value: string) => selected === '' || selected === value
  return entries
    .filter(
      (entry) =>
        is(by.assistant, assistantOf(entry)) &&
        is(by.app, appOf(entry)) &&
        is(by.right, entry.right) &&
        is(by.decision, decisionOf(entry)) &&
        (wanted === '' || textOf(entry).includes(wanted)),
    )
    .reverse()
}

const textOf = (entry: AuditEntry) =>
  [assistantOf(entry), entry.client, entry.app, entry.right, entry.verb, entry.uri, entry.outcome]
    .concat(entry.reason, entry.door)
    .join('\n')
    .toLowerCase()

/** What an assistant has used of a page. */
export interface Use {
  assistant: string
  /** `-`: lists of all pages. */
  app: string
  /** Resources, prompts and skills that it got. */
  reads: number
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
    const app = appOf(entry)
    const key = `${assistant}\n${app}`
    const use = all.get(key) ?? {
      assistant,
      app,
      reads: 0,
      calls: 0,
      denied: 0,
      bytes: 0,
      last: '',
    }
    all.delete(key)
    all.set(key, use) // in order of the last use
    use.last = entry.time
    use.bytes += entry.bytes
    if (decisionOf(entry) === 'denied') {
      use.denied += 1
      use.denial = entry
    } else if (entry.outcome === 'ok') {
      if (entry.right === 'act') use.calls += 1
      else if (contents.includes(entry.verb)) use.reads += 1
    }
  }
  return [...all.values()].reverse()
}
