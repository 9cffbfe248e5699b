/**
 * Keeps the newest rows of this tab in IndexedDB, so that a reload shows them again, as earlier ones: of closed
 * connections, above a row that says so. Other tabs do not see them. They are removed with "Clear", and by later
 * pages of this origin an hour after the tab was closed; a tab that was closed by mistake can be opened again.
 * Like the composer's history, texts are kept as they are; HTTP headers never contain secrets. An embedded
 * playground stores nothing.
 */

import { done } from '../base/idb.ts'
import { clientName, setClientName } from '../connections/names.ts'
import type { Entry } from '../messages/entry.ts'
import { store } from '../messages/log.ts'
import { earlier, earlierKey } from './view.ts'

/** The newest rows that are kept; older ones are removed. */
export const maxRows = 2000

/** Length of all their texts. */
export const maxLength = 2_000_000 // UTF-16 code units

/** Rows with longer texts are not kept. */
const maxText = 500_000 // UTF-16 code units

/** What `pagehide` stores at once, since IndexedDB may not: rows since the last write. */
const maxTail = 200_000 // UTF-16 code units

/** Minimum interval between two writes. */
const interval = 500 // ms

/** How long rows of a closed tab are kept. */
const keptAfterClose = 3_600_000 // ms

/** Numbers of earlier connections count down from the highest, so that those of this page are 1, 2 … as ever. */
const lastConnection = 65_535

/** Maximum waiting for the lock of the page before the reload: a duplicated tab, which never gets it, waits as long. */
const patience = 1000 // ms

/** Maximum waiting for the lock and IndexedDB. */
const storePatience = 5000 // ms

const database = 'pagemcp-playground-timeline'
const objects = 'rows'
const tailKey = `${earlierKey}.tail`

/** Says that the stored rows are being removed. */
const clearedKey = `${earlierKey}.cleared`

/** Rows of one page, with the names of its connections. */
interface Block {
  page: string
  names: readonly { id: number; letter: string; title: string }[]
  rows: readonly Entry[]
}

/** The key and the size of a stored block. Keys are ms since 1970, and increase. */
interface Stored {
  key: number
  rows: number
  length: number
}

const page = crypto.getRandomValues(new Uint32Array(2)).join('-')
let tab = ''
let db: IDBDatabase | undefined
let blocks: Stored[] = []
let saved = 0 // rows before are stored
let scheduled = false

const ofTab = (tab: string, until: number | [] = []) => IDBKeyRange.bound([tab], [tab, until])

const rowsOf = (mode: IDBTransactionMode = 'readwrite') =>
  (db as IDBDatabase).transaction(objects, mode).objectStore(objects)

/** Number of the oldest blocks to remove, so that the others keep to the limits. The newest stays. */
export function excess(all: readonly Pick<Stored, 'rows' | 'length'>[]): number {
  let rows = 0
  let length = 0
  for (let i = all.length - 1; i >= 0; i--) {
    rows += all[i]?.rows ?? 0
    length += all[i]?.length ?? 0
    if (rows > maxRows || length > maxLength) return Math.min(i + 1, all.length - 1)
  }
  return 0
}

let opening: Promise<boolean> | undefined

/**
 * Shows the rows of this tab's earlier pages, then keeps the rows of this one. Called before the first row, or
 * later if the tab has no earlier rows. Settles soon, also without IndexedDB.
 */
export async function restoreEarlier(): Promise<void> {
  let late = false
  opening ??= open()
  const opened = Promise.all([opening, stored()])
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, storePatience))
  const restored = opened.then(async ([ok, found]) => {
    if (ok && !late) await show(found)
    saved = late ? store.length : Math.max(0, earlier.peek() - 1) // the row that says so is kept, too
    if (ok) keep()
  })
  await Promise.race([restored.catch(() => {}), timeout])
  late = true
}

/** Opens the database under the tab's name. A duplicated tab has the name of the other one, and gets its own. */
async function open(): Promise<boolean> {
  tab = sessionStorage.getItem(earlierKey) ?? ''
  if (tab === '' || !(await hold(tab))) {
    sessionStorage.removeItem(tailKey)
    tab = page
    sessionStorage.setItem(earlierKey, tab)
    await hold(tab)
  }
  const request = indexedDB.open(database, 1)
  request.onupgradeneeded = () => request.result.createObjectStore(objects)
  db = await done(request)
  db.onversionchange = () => db?.close()
  return true
}

/** Holds the lock of a tab until the page unloads; false if another page has it. */
async function hold(tab: string): Promise<boolean> {
  if (!navigator.locks) return true
  return new Promise((resolve) => {
    navigator.locks
      .request(`${database} ${tab}`, { signal: AbortSignal.timeout(patience) }, () => {
        resolve(true)
        return new Promise(() => {}) // until the page unloads
      })
      .catch(() => resolve(false))
  })
}

/** The blocks of this tab, with what the last page left at its end. */
async function stored(): Promise<readonly Block[]> {
  await opening
  if (sessionStorage.getItem(clearedKey) !== null) removeStored()
  const [keys, values] = await Promise.all([
    done(rowsOf('readonly').getAllKeys(ofTab(tab))),
    done(rowsOf('readonly').getAll(ofTab(tab))),
  ])
  const found = values as Block[]
  blocks = found.map((block, i) => ({ key: (keys[i] as [string, number])[1], ...sizeOf(block) }))
  const tail = sessionStorage.getItem(tailKey)
  sessionStorage.removeItem(tailKey)
  if (tail === null) return found
  const left = JSON.parse(tail) as Block
  put(left)
  return [...found, left]
}

const sizeOf = ({ rows }: Block) => ({
  rows: rows.length,
  length: rows.reduce((sum, { raw }) => sum + raw.length, 0),
})

async function show(found: readonly Block[]): Promise<void> {
  if (found.length === 0) return
  const connections = new Map<string, number>()
  for (const { page, names } of found) {
    for (const { id, letter, title } of names) {
      const key = `${page} ${id}`
      if (connections.has(key)) continue
      const own = lastConnection - connections.size
      connections.set(key, own)
      // With a number, so that the filter `client:A` matches the current A only.
      setClientName(own, { letter: `${letter.replace(/\d+$/, '')}0`, title })
    }
  }
  let count = 0
  for (const { page, rows } of found) {
    for (const row of rows) {
      store.push({ ...row, connection: connections.get(`${page} ${row.connection}`) ?? 0 })
      if (++count % 200 === 0) await new Promise((resolve) => setTimeout(resolve)) // no long task
    }
  }
  for (const connection of connections.values()) store.end(connection) // nothing more comes
  const raw = 'page reloaded: the rows above are earlier ones'
  earlier.value = store.push({ connection: 0, direction: 'world', framing: 'world', raw }) + 1
}

/** Stores new rows from now on. */
function keep(): void {
  store.changed.subscribe(() => {
    if (!scheduled) setTimeout(save, interval)
    scheduled = true
  })
  let cleared = store.emptied.peek()
  store.emptied.subscribe((count) => {
    if (count === cleared) return
    cleared = count
    saved = 0
    blocks = []
    sessionStorage.removeItem(tailKey)
    if (db) removeStored()
  })
  addEventListener('pagehide', () => {
    const block = blockOf(maxTail)
    if (block) sessionStorage.setItem(tailKey, JSON.stringify(block))
  })
  sweep().catch(() => {})
}

/** Removes the rows of this tab. If a reload interrupts that, the next page does it. */
function removeStored(): void {
  sessionStorage.setItem(clearedKey, '')
  const all = rowsOf()
  all.delete(ofTab(tab))
  all.transaction.oncomplete = () => sessionStorage.removeItem(clearedKey)
}

function save(): void {
  scheduled = false
  const block = blockOf(maxLength)
  saved = store.length
  if (!block || !db) return
  try {
    put(block)
    sessionStorage.removeItem(tailKey) // of a page that was hidden, and came back
  } catch {
    db = undefined // full or deleted: later rows last as long as the page
  }
}

/** The newest rows that are not stored yet, within the limits. */
function blockOf(most: number): Block | undefined {
  const rows: Entry[] = []
  const connections = new Set<number>()
  let length = 0
  for (let row = store.length - 1; row >= Math.min(saved, store.length); row--) {
    const raw = store.raw(row)
    if (raw.length > maxText || store.isArchived(row)) continue
    length += raw.length
    if (length > most || rows.length === maxRows) break
    const connection = store.connection(row)
    connections.add(connection)
    rows.unshift({
      connection,
      direction: store.direction(row),
      framing: store.framing(row),
      raw,
      time: store.time(row),
      http: store.http(row),
    })
  }
  if (rows.length === 0) return undefined
  connections.delete(0)
  return { page, rows, names: [...connections].map((id) => ({ id, ...clientName(id) })) }
}

/** Stores a block, and removes the oldest beyond the limits. */
function put(block: Block): void {
  const key = Math.max(Date.now(), (blocks.at(-1)?.key ?? 0) + 1)
  const all = rowsOf()
  all.put(block, [tab, key])
  all.transaction.onabort = () => {
    db = undefined // full
  }
  blocks.push({ key, ...sizeOf(block) })
  const removed = blocks.splice(0, excess(blocks)).at(-1)
  if (removed) all.delete(ofTab(tab, removed.key))
}

/** Removes rows of tabs that were closed some time ago: without Web Locks, of none. */
async function sweep(): Promise<void> {
  if (!navigator.locks) return
  const { held = [] } = await navigator.locks.query()
  const open = new Set(held.map(({ name }) => name))
  const all = rowsOf()
  const newest = new Map((await done(all.getAllKeys())) as [string, number][])
  for (const [other, time] of newest) {
    if (open.has(`${database} ${other}`) || Date.now() - time < keptAfterClose) continue
    all.delete(ofTab(other))
  }
}
