/**
 * The notes of this app in IndexedDB: database `notes-app`, store `notes`. It does not use
 * PageMCP.
 */

export interface Note {
  id: number
  title: string
  text: string
  created: Date
  changed: Date
  /** The user has checked it off. */
  done?: boolean
}

/** A note without a number of the database. */
export type NewNote = Omit<Note, 'id'> & { id?: number }

interface NoteStore {
  all(): Promise<Note[]>
  /** Stores a note and returns its number. */
  put(note: NewNote): Promise<number>
  remove(id: number): Promise<void>
}

/**
 * Opens the database.
 *
 * @param seeds - the notes of a new database; the last one is first in the list
 */
export async function openNotes(
  seeds: readonly { title: string; text: string }[],
): Promise<NoteStore> {
  const opening = indexedDB.open('notes-app', 1)
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore('notes', { keyPath: 'id', autoIncrement: true })
    const now = Date.now()
    for (const [i, { title, text }] of seeds.entries()) {
      const created = new Date(now + i) // so that the last one stands first
      store.add({ title, text, created, changed: created })
    }
  }
  const db = await done(opening)
  db.onversionchange = () => db.close() // another tab has a newer version of this app
  const notes = (mode: IDBTransactionMode) => db.transaction('notes', mode).objectStore('notes')
  return {
    all: () => done(notes('readonly').getAll()),
    put: async (note) => (await written(notes('readwrite'), (store) => store.put(note))) as number,
    remove: (id) => written(notes('readwrite'), (store) => store.delete(id)),
  }
}

/** Commits at once: a page that is going away has no time to wait for the result first. */
function written<T>(
  store: IDBObjectStore,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const request = act(store)
  store.transaction.commit()
  return done(request)
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
