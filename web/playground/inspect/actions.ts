/** What people do with the message that is shown. */

import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { active, sessions } from '../connections/clients.ts'
import type { Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'
import { showAnswer } from '../messages/select-answer.ts'

/** The session that a row belongs to, as long as it is open. */
export const sessionOf = (row: number): Session | undefined =>
  sessions.peek().find(({ connection }) => connection.id === store.connection(row))

/** The row that was sent: itself, or the request that it answers; undefined if nobody here sent it. */
export function sentRow(row: number): number | undefined {
  if (store.direction(row) === 'out') return row
  const partner = store.partner(row)
  return partner >= 0 && store.direction(partner) === 'out' ? partner : undefined
}

/** Whether the text of a row may be put into the composer: any message. */
export const canEdit = (row: number): boolean => store.direction(row) !== 'world'

/** Puts what was sent, or the message itself, into a new tab of the composer. */
export function edit(row: number): void {
  const source = sentRow(row) ?? row
  actions.compose(store.raw(source), { title: store.method(source) })
}

/** Whether it can be sent again: somebody is there to send it to. */
export function canResend(row: number): boolean {
  const session = sessionOf(row) ?? active.peek()
  return sentRow(row) !== undefined && session !== undefined && !session.connection.dialer.readOnly
}

/**
 * Sends it again, on its own connection or, if that is gone, on the active one. A request gets a fresh id:
 * JSON-RPC allows none twice. Anything else goes as it was.
 */
export function resend(row: number): void {
  const source = sentRow(row)
  const session = sessionOf(row) ?? active.peek()
  if (source === undefined || !session || session.connection.dialer.readOnly) return
  const raw = store.raw(source)
  if (store.kind(source) !== 'request') {
    session.connection.send(raw)
    return
  }
  const message = store.message(source) as { id: unknown }
  showAnswer(session.connection.send(JSON.stringify({ ...message, id: session.nextId() })))
  actions.announce(t('inspect.sentAgain', { method: store.method(source) }))
}

/** Puts a text into the clipboard, or says why not. */
export async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    actions.announce(t('base.copied'))
  } catch {
    actions.announce(t('base.notCopied'))
  }
}
