/**
 * Stores the tasks of an app, in the IndexedDB database `pagemcp`. A task belongs to a tab, through all its reloads. A page
 * that starts takes over those of tabs that are gone: Web Locks say which are there. Where there is no IndexedDB they
 * live as long as the document.
 *
 * A file of its own in the package, loaded by the first tool with tasks.
 */

import { inDatabase } from './database.ts'
import { result } from './idb-request.ts'
import { tabLock, tabOwner } from './tab-owner.ts'

/** A question of the engine: to store a record, to delete one, or for those that there are. */
export interface RecordQuestion {
  readonly app: string
  readonly id?: string
  readonly record?: string
  /** It has the records of this tab: it asks for those of others. */
  readonly more?: boolean
}

interface Row {
  readonly id: string
  readonly app: string
  /** Of the tab. */
  readonly owner: string
  /** JSON text of the engine's. */
  readonly record: string
  /** When the task is over, ms since 1970. */
  readonly until: number
}

const what = 'tasks'
const storageKey = 'pagemcp.tasks'

/** How long the lock of another tab has to be free, ms: it may be reloading. */
const reloadTime = 3_000
const lookEvery = 200 // ms

/** How long records are kept beyond their time, ms: the engine shows a task that has failed by it. */
const keptAfter = 600_000

const inMemory = new Map<string, Row>()
let claimed: Promise<string> | undefined

export async function answerRecords({
  app,
  id,
  record,
  more,
}: RecordQuestion): Promise<{ records?: string[]; more?: boolean }> {
  if (id === undefined) {
    const records = more ? await recordsOfOthers(app) : await ownRecords(app)
    return { records, more: !more }
  }
  if (record === undefined) {
    await inStore(
      (store) => store.delete(id),
      () => inMemory.delete(id),
    )
  } else {
    const row = { id, app, owner: await owner(), record, until: endOf(record) }
    await inStore(
      (store) => store.put(row),
      () => inMemory.set(id, row),
    )
  }
  return {}
}

/** When a task is over, by its record. */
function endOf(record: string): number {
  const { numbers } = JSON.parse(record) as { numbers: [created: number, ttl: number] }
  return numbers[0] + numbers[1]
}

async function ownRecords(app: string): Promise<string[]> {
  const own = await owner()
  return (await rows()).flatMap((row) => (row.app === app && row.owner === own ? [row.record] : []))
}

/** Takes over the tasks of tabs that are gone. */
async function recordsOfOthers(app: string): Promise<string[]> {
  const own = await owner()
  const others = new Set((await rows()).filter((row) => row.app === app).map((row) => row.owner))
  others.delete(own)
  const taken = [...others].map((other) =>
    whileGone(other, () => moveRecords(app, other, own)).then((records) => records ?? []),
  )
  return (await Promise.all(taken)).flat()
}

/** Gives the tasks of a tab to another one, and returns their records. */
async function moveRecords(app: string, from: string, to: string): Promise<string[]> {
  const moved: string[] = []
  await inDatabase(['tasks'], 'readwrite', what, async (transaction) => {
    const store = transaction.objectStore('tasks')
    for (const row of (await result(store.getAll())) as Row[]) {
      if (row.app !== app || row.owner !== from) continue
      store.put({ ...row, owner: to })
      moved.push(row.record)
    }
  })
  return moved
}

/** All rows; those that are long over are deleted. */
async function rows(): Promise<Row[]> {
  const all = await inDatabase(['tasks'], 'readwrite', what, async (transaction) => {
    const store = transaction.objectStore('tasks')
    const found = (await result(store.getAll())) as Row[]
    const isOver = ({ until }: Row) => until + keptAfter < Date.now()
    for (const { id } of found.filter(isOver)) store.delete(id)
    return found.filter((row) => !isOver(row))
  })
  return all ?? [...inMemory.values()]
}

/** Changes one row; settles when that is stored. */
async function inStore(act: (store: IDBObjectStore) => void, otherwise: () => void): Promise<void> {
  const stored = await inDatabase(['tasks'], 'readwrite', what, async (transaction) => {
    act(transaction.objectStore('tasks'))
    return true
  })
  if (!stored) otherwise()
}

function owner(): Promise<string> {
  claimed ??= tabOwner(storageKey)
  return claimed
}

/** Acts if a tab is gone, while it cannot come back; it may be reloading, and then waits for its lock. */
async function whileGone<T>(tab: string, act: () => Promise<T>): Promise<T | undefined> {
  const locks = globalThis.navigator?.locks
  return locks?.request(tabLock(storageKey, tab), { ifAvailable: true }, async (lock) => {
    if (lock === null) return undefined
    for (let waited = 0; waited < reloadTime; waited += lookEvery) {
      const { pending = [] } = await locks.query()
      if (pending.some(({ name }) => name === tabLock(storageKey, tab))) return undefined
      await new Promise((resolve) => setTimeout(resolve, lookEvery))
    }
    return act()
  })
}
