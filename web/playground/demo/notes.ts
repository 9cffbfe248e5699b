/**
 * The demo's notes, in IndexedDB: database `pagemcp-playground`, store `notes`, records `{ id, text, changed
 * }`. Changes by other tabs are noticed. Without IndexedDB (some private windows) they last as long as the
 * page.
 */

import { done, stored } from '../base/idb.ts'
import { demoContents, listOf } from './contents.ts'

export interface Note {
  id: string
  text: string
  /** ms since 1970 */
  changed: number
}

export const database = 'pagemcp-playground'
export const storeName = 'notes'

/** Notes at the first visit; they stay in the language of that visit. */
const first = (): readonly [id: string, text: string][] => {
  const { ideas, trip } = demoContents()
  return [
    ['today', listOf(0, 1)],
    ['ideas', ideas],
    ['trip', trip],
  ]
}

export interface Notes {
  all(): readonly Note[]
  get(id: string): Note | undefined
  /** Stores a note, for all tabs. */
  put(id: string, text: string): Promise<void>
  remove(id: string): Promise<void>
}

/** @param changed - called after a note was stored or removed in any tab */
export async function openNotes(changed: (id: string) => void): Promise<Notes> {
  const db = await open().catch(() => undefined)
  const notes = new Map<string, Note>()
  const others = new BroadcastChannel(database)
  others.onmessage = async ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'string') return
    await load()
    changed(data)
  }
  const load = async () => {
    if (db === undefined) return
    const all = await done(db.transaction(storeName).objectStore(storeName).getAll())
    notes.clear()
    for (const note of all as Note[]) notes.set(note.id, note)
  }
  const write = async (id: string, act: (store: IDBObjectStore) => void) => {
    if (db !== undefined) {
      const transaction = db.transaction(storeName, 'readwrite')
      act(transaction.objectStore(storeName))
      await stored(transaction)
    }
    changed(id)
    others.postMessage(id)
  }
  if (db === undefined)
    for (const [id, text] of first()) notes.set(id, { id, text, changed: Date.now() })
  await load()
  return {
    all: () => [...notes.values()],
    get: (id) => notes.get(id),
    async put(id, text) {
      const note = { id, text, changed: Date.now() }
      notes.set(id, note)
      await write(id, (store) => store.put(note))
    },
    async remove(id) {
      notes.delete(id)
      await write(id, (store) => store.delete(id))
    },
  }
}

async function open(): Promise<IDBDatabase> {
  const opening = indexedDB.open(database, 1)
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore(storeName, { keyPath: 'id' })
    for (const [id, text] of first()) store.add({ id, text, changed: Date.now() })
  }
  const db = await done(opening)
  db.onversionchange = () => db.close()
  return db
}
