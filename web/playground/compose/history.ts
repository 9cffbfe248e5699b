/** The history of sent messages, newest first, in IndexedDB. Without IndexedDB, it lasts as long as the page. */

import { type Signal, signal } from '@preact/signals'
import { done, stored } from '../base/idb.ts'
import { embedded } from '../base/settings.ts'
import { isRevision, type Revision } from '../protocol/revisions.ts'
import { replaceText, tab } from './tabs.ts'
import { removeUnsaved, takeUnsaved } from './unsaved.ts'

export interface Sent {
  id: number
  /** Byte for byte. */
  text: string
  /** ms since 1970. */
  time: number
  /** The title of the connection. */
  to: string
  revision: Revision
  /** Kept by the user: not removed with the others, and not for newer ones. */
  kept?: boolean
}

/** The oldest entries beyond this are removed. */
const maxEntries = 300 // entries

/** Longer texts are not stored. */
const maxLength = 1_000_000 // UTF-16 code units

/** Newest first. */
export const history: Signal<readonly Sent[]> = signal([])

const store = 'sent'
let database: Promise<IDBDatabase | undefined> | undefined
let last = 0

function opened(): Promise<IDBDatabase | undefined> {
  if (embedded) return Promise.resolve(undefined) // the origin is another page's: nothing is stored
  database ??= open().catch(() => undefined) // forbidden in some private windows
  return database
}

async function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('pagemcp-playground-history', 1)
  request.onupgradeneeded = () => request.result.createObjectStore(store, { keyPath: 'id' })
  return done(request)
}

async function transact(run: (entries: IDBObjectStore) => void): Promise<void> {
  const found = await opened()
  if (!found) return
  try {
    const transaction = found.transaction(store, 'readwrite')
    run(transaction.objectStore(store))
    await stored(transaction)
  } catch {
    // full or deleted: the entries in memory remain
  }
}

let loading: Promise<void> | undefined

/** Loads stored entries, once. */
export function load(): Promise<void> {
  loading ??= (async () => {
    const found = await opened()
    if (!found) return
    const reading = done<Sent[]>(found.transaction(store).objectStore(store).getAll())
    const all = await reading.catch(() => [])
    const good = all.filter((one) => typeof one.text === 'string' && isRevision(one.revision))
    good.sort((a, b) => b.id - a.id)
    last = Math.max(last, good[0]?.id ?? 0)
    history.value = [...history.peek(), ...good]
  })()
  for (const message of takeUnsaved()) void addToHistory(message)
  return loading
}

/** Adds a sent message. An equal one is moved to the front. */
export async function addToHistory(sent: Omit<Sent, 'id' | 'time'>): Promise<void> {
  if (sent.text.length > maxLength) return
  await load()
  const same = history.peek().filter(({ text, to }) => text === sent.text && to === sent.to)
  // times are the keys, so that two windows do not overwrite each other's entries
  last = Math.max(Date.now(), last + 1)
  const kept = same.some((one) => one.kept)
  const entry: Sent = { ...sent, id: last, time: Date.now(), ...(kept && { kept }) }
  const all = [entry, ...history.peek().filter((one) => !same.includes(one))]
  const old = all.slice(maxEntries).filter((one) => !one.kept)
  const gone = [...same, ...old]
  history.value = all.filter((one) => !old.includes(one))
  await transact((entries) => {
    entries.put(entry)
    for (const { id } of gone) entries.delete(id)
  })
  removeUnsaved(sent)
}

/** Keeps an entry, or no longer. */
export async function toggleKept(id: number): Promise<void> {
  await load()
  const toggle = (one: Sent) => (one.id === id ? { ...one, kept: !one.kept } : one)
  history.value = history.peek().map(toggle)
  const entry = history.peek().find((one) => one.id === id)
  if (entry) await transact((entries) => entries.put(entry))
}

/** Removes one entry; without an id, all that are not kept. */
export async function removeFromHistory(id?: number): Promise<void> {
  await load()
  const gone = history.peek().filter((one) => (id === undefined ? !one.kept : one.id === id))
  history.value = history.peek().filter((one) => !gone.includes(one))
  await transact((entries) => {
    for (const { id } of gone) entries.delete(id)
  })
}

const positions = new Map<number, { draft: string; at: number; shown: string }>()

/** Shows an older (1) or newer (-1) message in the tab; before the newest comes the draft. */
export async function recall(step: 1 | -1): Promise<void> {
  await load()
  const { id, text } = tab.peek()
  const before = positions.get(id)
  // a text that was edited since is a new draft
  const from = before && before.shown === text ? before : { draft: text, at: -1, shown: text }
  const texts = history.peek().map((one) => one.text)
  let at = from.at + step
  while (at >= 0 && at < texts.length && texts[at] === text) at += step
  if (at < -1 || at >= texts.length) return
  const shown = at === -1 ? from.draft : (texts[at] as string)
  positions.set(id, { draft: from.draft, at, shown })
  replaceText(shown)
}
