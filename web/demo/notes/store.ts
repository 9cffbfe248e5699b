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
}

/** A note without a number of the database. */
export type NewNote = Omit<Note, 'id'> & { id?: number }

export interface NoteStore {
  all(): Promise<Note[]>
  /** Stores a note and returns its number. */
  put(note: NewNote): Promise<number>
  remove(id: number): Promise<void>
}

const firstNotes: [title: string, text: string][] = [
  [
    'Trip to Lisbon',
    'Flight on Friday at 09:40, back on Tuesday.\n\n- Tram 28 early, before the queues\n- Pastéis in Belém\n- Ask Ana about the fado place in Alfama\n\nBudget: 600 €, 140 € spent on the hotel deposit.',
  ],
  ['Shopping', '- Lemons\n- Olive oil\n- Chickpeas, two cans\n- Something nice for Sunday'],
  [
    'Welcome',
    'These notes live in this browser, in IndexedDB. No server has them.\n\nWhen this page is joined, an assistant can read them through PageMCP, and gets notified when you change one. This page shows what it reads.\n\nTry it: ask your assistant what you still have to buy, then add something to the list and ask again.',
  ],
]

export async function openNotes(): Promise<NoteStore> {
  const opening = indexedDB.open('notes-app', 1)
  opening.onupgradeneeded = () => {
    const store = opening.result.createObjectStore('notes', { keyPath: 'id', autoIncrement: true })
    const now = Date.now()
    for (const [i, [title, text]] of firstNotes.entries()) {
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
