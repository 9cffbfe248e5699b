/** The history of sent messages, newest first, in localStorage. Without storage, it lasts as long as the page. */

import { setting } from '../base/settings.ts'
import { drafts } from '../connections/clients.ts'
import { isRevision, type Revision } from '../protocol/revisions.ts'

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

/** Length of all texts: localStorage has 5 MB. Longer ones are not stored, and the oldest beyond are removed. */
const maxLength = 1_000_000 // UTF-16 code units

const stored = setting<readonly Sent[]>('history', [], (theirs) => theirs)

/** Newest first. */
export const history = (): readonly Sent[] =>
  stored.value.filter((one) => typeof one?.text === 'string' && isRevision(one.revision))

/** Adds a sent message. An equal one is moved to the front. */
export function addToHistory(sent: Omit<Sent, 'id' | 'time'>): void {
  const isSame = ({ text, to }: Sent) => text === sent.text && to === sent.to
  const kept = history().some((one) => isSame(one) && one.kept)
  const others = history().filter((one) => !isSame(one))
  const id = Math.max(Date.now(), (others[0]?.id ?? 0) + 1)
  let length = 0
  stored.value = [{ ...sent, id, time: Date.now(), ...(kept && { kept }) }, ...others].filter(
    (one, i) => {
      length += one.text.length
      return one.kept || (i < maxEntries && length <= maxLength)
    },
  )
}

/** Keeps an entry, or no longer. */
export function toggleKept(id: number): void {
  stored.value = history().map((one) => (one.id === id ? { ...one, kept: !one.kept } : one))
}

/** Removes one entry; without an id, all that are not kept. */
export function removeFromHistory(id?: number): void {
  stored.value = history().filter((one) => (id === undefined ? one.kept : one.id !== id))
}

const positions = new Map<number, { draft: string; at: number; shown: string }>()

/** Shows an older (1) or newer (-1) message in the tab; before the newest comes the draft. */
export function recall(step: 1 | -1): void {
  const { id, text } = drafts.peek().open.peek()
  const before = positions.get(id)
  // a text that was edited since is a new draft
  const from = before && before.shown === text ? before : { draft: text, at: -1, shown: text }
  const texts = history().map((one) => one.text)
  let at = from.at + step
  while (at >= 0 && at < texts.length && texts[at] === text) at += step
  if (at < -1 || at >= texts.length) return
  const shown = at === -1 ? from.draft : (texts[at] as string)
  positions.set(id, { draft: from.draft, at, shown })
  drafts.peek().replace(shown)
}
