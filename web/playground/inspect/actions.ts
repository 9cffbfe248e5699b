/** Actions on the shown message. */

import { actions } from '../base/actions.ts'
import { t } from '../base/i18n.ts'
import { active, sessions } from '../connections/clients.ts'
import type { Session } from '../connections/session.ts'
import { store } from '../messages/log.ts'
import { showAnswer } from '../messages/select-answer.ts'
import { statusOf } from '../timeline/status.ts'

/** The open session of a row. */
export const sessionOf = (row: number): Session | undefined =>
  sessions.peek().find(({ connection }) => connection.id === store.connection(row))

/** The sent row: itself, or the request that it responds to; undefined if no client here sent it. */
export function sentRow(row: number): number | undefined {
  if (store.direction(row) === 'out') return row
  const partner = store.partner(row)
  return partner >= 0 && store.direction(partner) === 'out' ? partner : undefined
}

/** Whether a row can be edited in the composer: any message. */
export const canEdit = (row: number): boolean => store.direction(row) !== 'world'

/** Opens the sent message, or the message itself, in a new tab of the composer. */
export function edit(row: number): void {
  const source = sentRow(row) ?? row
  actions.compose(store.raw(source), store.method(source))
}

/** Whether the message can be sent again: a client that can send is open. */
export function canResend(row: number): boolean {
  const session = sessionOf(row) ?? active.peek()
  return sentRow(row) !== undefined && session !== undefined && !session.connection.dialer.readOnly
}

/**
 * Sends the message again, through its own connection or, if that is closed, the active one. A request gets an
 * unused id, since JSON-RPC ids are unique; others are sent unchanged.
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

/** Whether a row is a request of a client here that waits for its response. `initialize` must not be cancelled. */
export const canCancel = (row: number): boolean =>
  statusOf(store, row) === 'waiting' &&
  store.direction(row) === 'out' &&
  store.method(row) !== 'initialize' &&
  sessionOf(row)?.connection.state.peek() === 'open' &&
  !sessionOf(row)?.connection.dialer.readOnly

/** Cancels a request. MCP, basic/utilities/cancellation; 2026-07-28: basic/patterns/cancellation. */
export function cancel(row: number): void {
  if (!canCancel(row)) return
  sessionOf(row)?.notify('notifications/cancelled', { requestId: JSON.parse(store.id(row)) })
}
