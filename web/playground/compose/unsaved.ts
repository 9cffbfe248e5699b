/**
 * Sent messages that are not in the history's database yet. They are stored at once, since a reload may come
 * before the database opens.
 */

import { setting } from '../base/settings.ts'
import { isRevision, type Revision } from '../protocol/revisions.ts'

/** A message of the history. */
export interface Message {
  /** Byte for byte. */
  text: string
  /** The title of the connection. */
  to: string
  revision: Revision
}

/** Longer texts are only in the database: localStorage is small. */
const maxLength = 100_000 // UTF-16 code units

/** The oldest beyond this are removed. */
const maxEntries = 20

const unsaved = setting<readonly Message[]>('unsaved', [])

/** Messages that earlier documents left. */
let left = unsaved.peek()

export function addUnsaved(message: Message): void {
  if (message.text.length > maxLength) return
  unsaved.value = [...unsaved.peek(), message].slice(-maxEntries)
}

export function removeUnsaved({ text, to }: Message): void {
  unsaved.value = unsaved.peek().filter((one) => one.text !== text || one.to !== to)
}

/** Returns messages of earlier documents, once; they stay stored until {@link removeUnsaved}. */
export function takeUnsaved(): readonly Message[] {
  const found = left
  left = []
  return found.filter((one) => typeof one?.text === 'string' && isRevision(one.revision))
}
