/**
 * A conversation in a link: `#t1.` and a transcript without secrets, as link.ts packs it. Opening the link adds
 * the rows and replays them; no connection opens, and tabs of the composer stay.
 */

import { actions } from '../base/actions.ts'
import { copyText } from '../base/copy-text.ts'
import { t, textsLoaded } from '../base/i18n.ts'
import { store } from '../messages/log.ts'
import { exportTranscript, pushEntries, transcriptOf } from './files.ts'
import { maxLinkLength, pack, unpack } from './link.ts'
import { readTranscript } from './transcript.ts'

const prefix = '#t1.'

/** Maximum number of rows in a link. */
const maxRows = 5000 // rows

/** The fragment for rows, with `#`. It may exceed {@link maxLinkLength}. */
export async function conversationLink(rows: readonly number[]): Promise<string> {
  return prefix + (await pack((await transcriptOf(rows, true)).join('')))
}

/** Copies the address of a conversation, default all messages; saves the file instead if the link would be too long. */
export async function copyConversation(
  rows: readonly number[] = Array.from({ length: store.length }, (_, row) => row),
): Promise<void> {
  const hash = await conversationLink(rows)
  if (hash.length <= maxLinkLength) return copyText(location.origin + location.pathname + hash)
  await exportTranscript(rows)
  actions.announce(t('share.tooLong'))
}

/**
 * Adds the rows of a link and replays them.
 *
 * @throws Error with the reason: damaged, or too large
 */
export async function openConversation(hash: string): Promise<void> {
  const transcript = await readTranscript(await unpack(hash.slice(prefix.length)))
  const { length } = transcript.entries
  if (length === 0 || length > maxRows) throw new Error(`the link has ${length} messages`)
  await textsLoaded()
  const title = t('share.transcript')
  await actions.replay(await pushEntries(transcript, title), title)
}
