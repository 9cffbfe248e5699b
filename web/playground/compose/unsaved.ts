/**
 * What was sent and is not in the history's database so far. It is kept at once, for a reload may come before the
 * database has opened.
 */

import { setting } from '../base/settings.ts'
import { isRevision, type Revision } from '../protocol/revisions.ts'

/** What the history keeps of a message. */
export interface Message {
  /** Byte for byte. */
  text: string
  /** The title of the connection. */
  to: string
  revision: Revision
}

/** A text beyond this is only in the database: this store is small. */
const maxLength = 100_000 // UTF-16 code units

/** More than these are not kept. */
const maxEntries = 20

const unsaved = setting<readonly Message[]>('unsaved', [])

/** What documents before this one have left. */
let left = unsaved.peek()

export function addUnsaved(message: Message): void {
  if (message.text.length > maxLength) return
  unsaved.value = [...unsaved.peek(), message].slice(-maxEntries)
}

export function removeUnsaved({ text, to }: Message): void {
  unsaved.value = unsaved.peek().filter((one) => one.text !== text || one.to !== to)
}

/** Takes over what documents before this one have left, once; it stays kept until it is {@link saved}. */
export function takeUnsaved(): readonly Message[] {
  const found = left
  left = []
  return found.filter((one) => typeof one?.text === 'string' && isRevision(one.revision))
}
