/** Links to messages of the composer. */

import { actions } from '../base/actions.ts'
import { copyText } from '../base/copy-text.ts'
import { t } from '../base/i18n.ts'
import { active, drafts } from '../connections/clients.ts'
import { encodeLink, type Link, maxLinkLength, maxMessages } from './link.ts'
import { redact, redactText } from './redact.ts'

/** The content of a link, without secrets: the current tab, or all. */
export function linkOf(all = false): Link {
  const { all: every, open } = drafts.value
  const chosen = all ? every.value : [open.value]
  const dialer = active.value?.connection.dialer
  return {
    messages: chosen.map(({ text, title, revision }) => ({
      text: redact(text),
      revision,
      ...(title && { title: redactText(title) }),
    })),
    target: !dialer || dialer.kind === 'in-page' ? '' : redactText(dialer.url || dialer.title),
  }
}

/** The whole address, and whether it is short enough to share. */
export async function addressOf(link: Link): Promise<{ address: string; fits: boolean }> {
  const hash = await encodeLink(link)
  const { origin, pathname } = location
  const fits = hash.length <= maxLinkLength && link.messages.length <= maxMessages
  return { address: origin + pathname + hash, fits }
}

/** Copies the link to the current tab, if it is short enough. */
export async function copyLink(): Promise<void> {
  const { address, fits } = await addressOf(linkOf())
  if (fits) await copyText(address)
  else actions.announce(t('share.tooLong'))
}
