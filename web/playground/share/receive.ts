/** Opens shared links in the address. */

import { actions } from '../base/actions.ts'
import { t, textsLoaded } from '../base/i18n.ts'
import { active, setRevision } from '../connections/clients.ts'
import { openConversation } from './conversation.ts'
import { openMessages } from './files.ts'
import { decodeLink, isLink } from './link.ts'

/** Opens the link in the address, and later links. Called once. Settles when the link is open. */
export function receiveLinks(): Promise<void> {
  const opened = openLink()
  addEventListener('hashchange', openLink)
  return opened
}

/** Opens the messages of a link in new tabs, or replays its conversation, and sends nothing. */
async function openLink(): Promise<void> {
  const { hash } = location
  const replays = hash.startsWith('#t1.')
  if (!isLink(hash) && !replays) return
  const address = new URL(location.href) // whole: a path that begins with // would be another host
  address.hash = '' // otherwise a reload would open the link again
  window.history.replaceState(window.history.state, '', address)
  try {
    if (replays) return await openConversation(hash)
    const link = await decodeLink(hash)
    openMessages(link)
    const last = link.messages.at(-1)
    // Before the first connection, it is opened with the revision of the shown message.
    if (active.peek() === undefined && last) setRevision(last.revision)
  } catch (error) {
    await textsLoaded()
    actions.announce(t('share.badLink', { reason: error instanceof Error ? error.message : '' }))
  }
}
