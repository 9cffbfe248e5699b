/**
 * Stores the decisions about assistants, their use and the audit of one app, in the IndexedDB database `pagemcp`, for all of its
 * tabs. Where there is no IndexedDB they are kept in memory, for this document alone.
 *
 * A change applies here at once, and is then made to what is stored, which other tabs may have changed meanwhile: so a
 * change may run twice. Decisions are written at once; the use of assistants once a minute, the audit in batches.
 */

import type { AccessDecision, AuditEntry } from '../access-types.ts'
import { inDatabase } from '../database.ts'
import { result } from '../idb-request.ts'
import { type Decisions, maxAssistants, prune, type Use } from './grants.ts'

/** How many entries of the audit are kept. */
export const maxEntries = 1000

/** How long decisions of the engine are collected before they are written, ms. */
const auditDelay = 2_000

/** How often the use of assistants is written at most, ms. */
const useDelay = 60_000

const what = 'the decisions about assistants'

export interface Saved {
  readonly decisions: Readonly<Decisions>
  readonly uses: ReadonlyMap<string, Use>
  /** Reads what other tabs have written. */
  reload(): Promise<void>
  /** Changes the decisions, here at once; settles when they are stored. */
  change(change: (decisions: Decisions) => void): Promise<void>
  /** Counts a decision of the engine, and enters it into the audit. */
  note(decision: AccessDecision): void
  /** Writes what {@link Saved.note} has collected; whether there was something. */
  flush(): Promise<boolean>
  /** Newest first. */
  audit(): Promise<readonly AuditEntry[]>
}

/**
 * @param isStored - false: in memory only
 * @throws Error if the database cannot be read now
 */
export async function openSaved(
  app: string,
  report: (error: unknown) => void,
  isStored = true,
  now: () => number = Date.now,
): Promise<Saved> {
  let decisions: Decisions = { app, grants: [], outcomes: [] }
  let uses = new Map<string, Use>()
  let isKept = false // by a database
  const changing = new Set<(decisions: Decisions) => void>() // that are not stored yet
  /** What is not written yet. */
  let unwritten = new Map<string, Use>()
  let entries: AuditEntry[] = []
  let inMemory: AuditEntry[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let writtenUse = 0

  const read = async (transaction: IDBTransaction) => {
    const [stored, used] = await Promise.all([
      result(transaction.objectStore('access').get(app)),
      result(transaction.objectStore('use').get(app)),
    ])
    return {
      decisions: (stored as Decisions | undefined) ?? { app, grants: [], outcomes: [] },
      uses: new Map(
        ((used as StoredUse | undefined)?.assistants ?? []).map((u) => [u.assistant, u]),
      ),
    }
  }
  const take = (next: Awaited<ReturnType<typeof read>> | undefined) => {
    if (next === undefined) return
    isKept = true
    decisions = next.decisions
    uses = next.uses
    for (const use of unwritten.values())
      uses.set(use.assistant, added(uses.get(use.assistant), use))
    for (const change of changing) change(decisions)
    prune(decisions, uses, now())
  }
  const reload = async () => take(await inDatabase(['access', 'use'], 'readonly', what, read))

  const write = async (withUse: boolean) => {
    const writing = entries
    const using = withUse ? unwritten : new Map<string, Use>()
    entries = []
    if (withUse) {
      unwritten = new Map()
      writtenUse = now()
    }
    if (!isKept) {
      inMemory = [...inMemory, ...writing].slice(-maxEntries)
      return
    }
    const act = async (transaction: IDBTransaction) => {
      const audit = transaction.objectStore('audit')
      for (const entry of writing) audit.add({ ...entry, app })
      if (using.size > 0) {
        const store = transaction.objectStore('use')
        const used = (await result(store.get(app))) as StoredUse | undefined
        const all = new Map((used?.assistants ?? []).map((use) => [use.assistant, use]))
        for (const use of using.values()) all.set(use.assistant, added(all.get(use.assistant), use))
        await result(store.put({ app, assistants: newest(all) }))
      }
      await trim(audit, app)
    }
    await inDatabase(['use', 'audit'], 'readwrite', what, act)
  }
  const flush = async () => {
    clearTimeout(timer)
    timer = undefined
    const writes = entries.length + unwritten.size > 0
    if (writes) await write(true)
    return writes
  }

  if (isStored) await reload()
  return {
    get decisions() {
      return decisions
    },
    get uses() {
      return uses
    },
    reload: () => (isStored ? reload() : Promise.resolve()),
    async change(change) {
      const both = (of: Decisions) => {
        change(of)
        prune(of, uses, now())
      }
      decisions = { ...decisions }
      both(decisions)
      if (!isKept) return
      const act = async (transaction: IDBTransaction) => {
        const stored = await read(transaction)
        both(stored.decisions)
        await result(transaction.objectStore('access').put(stored.decisions))
        return stored
      }
      changing.add(change) // for good, if it cannot be stored: what is denied here stays denied
      const stored = await inDatabase(['access', 'use'], 'readwrite', what, act)
      changing.delete(change)
      take(stored)
    },
    note(decision) {
      const time = now()
      entries.push({ ...decision, time })
      const use = useOf(decision, time)
      const { assistant } = decision
      unwritten.set(assistant, added(unwritten.get(assistant), use))
      uses.set(assistant, added(uses.get(assistant), use))
      if (uses.size > 2 * maxAssistants) uses = new Map(newest(uses).map((u) => [u.assistant, u]))
      if (entries.length > maxEntries) entries.shift()
      timer ??= setTimeout(() => {
        timer = undefined
        write(now() - writtenUse >= useDelay).catch(report)
      }, auditDelay)
    },
    flush,
    async audit() {
      await flush()
      if (!isKept) return [...inMemory].reverse()
      const all = await inDatabase(['audit'], 'readonly', what, (transaction) =>
        result(transaction.objectStore('audit').index('app').getAll(app)),
      )
      return ((all ?? []) as (AuditEntry & { app?: string })[])
        .map(({ app: _, ...entry }) => entry)
        .reverse()
    },
  }
}

interface StoredUse {
  readonly app: string
  readonly assistants: readonly Use[]
}

/** The day of a time at this place. */
export function dayOf(time: number): string {
  const date = new Date(time)
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()].join('-')
}

function useOf(
  { assistant, callsItself, right, method, what, allow, count = 1 }: AccessDecision,
  time: number,
): Use {
  const isCall = method === 'tools/call'
  return {
    assistant,
    ...(callsItself !== undefined && { callsItself }),
    ...(allow && { lastUsed: time }),
    last: { [right]: time },
    day: dayOf(time),
    reads: allow && !isCall && what !== undefined ? count : 0, // lists have none
    calls: allow && isCall ? count : 0,
  }
}

/** The sum of two uses, with the counts of the later day. */
function added(a: Use | undefined, b: Use): Use {
  if (a === undefined) return { ...b, last: { ...b.last } }
  const ofDay = (use: Use, count: number) => (use.day === b.day ? count : 0)
  const last = { ...a.last, ...b.last }
  const callsItself = b.callsItself ?? a.callsItself
  const lastUsed = Math.max(a.lastUsed ?? 0, b.lastUsed ?? 0)
  return {
    assistant: a.assistant,
    ...(callsItself !== undefined && { callsItself }),
    ...(lastUsed > 0 && { lastUsed }),
    last,
    day: b.day,
    reads: ofDay(a, a.reads) + b.reads,
    calls: ofDay(a, a.calls) + b.calls,
  }
}

function newest(uses: ReadonlyMap<string, Use>): Use[] {
  const lastOf = ({ last }: Use) => Math.max(last.read ?? 0, last.act ?? 0)
  return [...uses.values()].sort((a, b) => lastOf(b) - lastOf(a)).slice(0, maxAssistants)
}

/** Removes the oldest entries of an app above {@link maxEntries}. */
async function trim(audit: IDBObjectStore, app: string): Promise<void> {
  const tooMany = (await result(audit.index('app').count(app))) - maxEntries
  if (tooMany <= 0) return
  const keys = await result(audit.index('app').getAllKeys(app, tooMany))
  await Promise.all(keys.map((key) => result(audit.delete(key))))
}
