/** Sends the composer's text, unchanged. */

import { actions } from '../base/actions.ts'
import { show } from '../base/state.ts'
import { active, drafts, keepDrafts, setRevision } from '../connections/clients.ts'
import { readsOnly } from '../connections/consent.ts'
import type { Session } from '../connections/session.ts'
import { frameOf } from '../messages/frame.ts'
import { showAnswer } from '../messages/select-answer.ts'
import { addToHistory } from './history.ts'

/** Whether there is room for one pane at a time, as shell.css decides: it shows buttons for them then. */
function showsOnePane(): boolean {
  const switcher = globalThis.document?.querySelector('.switcher')
  return switcher != null && getComputedStyle(switcher).display !== 'none'
}

/** Whether a message from a link needs a confirmation: it leaves this page, or may have side effects. */
export function requiresConfirmation(text: string, session: Session): boolean {
  return session.connection.dialer.kind !== 'in-page' || !readsOnly(text)
}

/** Strings, with the number after a key, and brackets. */
const tokens = /"(?:[^"\\]|\\.)*"(?:\s*:\s*(-?\d[\d.eE+-]*))?|[{}[\]]/g

/** Replaces the id of a request by an unused one if it is a number. Other ids are kept. */
export function withFreshId(text: string, next: () => number): string {
  const { kind, id } = frameOf(text)
  if (kind !== 'request' || id.startsWith('"')) return text
  let depth = 0
  for (const { 0: token, 1: number = '', index } of text.matchAll(tokens)) {
    if ('{['.includes(token)) depth++
    else if ('}]'.includes(token)) depth--
    else if (depth === 1 && number && /^"id"\s*:/.test(token)) {
      const end = index + token.length
      return text.slice(0, end - number.length) + next() + text.slice(end)
    }
  }
  return text
}

/**
 * Sends the composer's text through the active connection and returns its row; undefined if it waits for a
 * confirmation, or no connection can send.
 *
 * @param confirmed - the user has confirmed
 */
export function send({ confirmed = false }: { confirmed?: boolean } = {}): number | undefined {
  const session = active.peek()
  const own = drafts.peek()
  const { text, pinned, from, revision: written } = own.open.peek()
  if (session === undefined || session.connection.dialer.readOnly) return undefined
  if (from !== undefined && !confirmed && requiresConfirmation(text, session)) {
    own.change({ unsure: true })
    return undefined
  }
  if (from !== undefined) own.change({ from: undefined, unsure: undefined })
  if (!pinned) own.replace(withFreshId(text, () => session.nextId()))
  if (showsOnePane()) show({ pane: 'inspect' }) // the response is what one sees
  const { text: sent } = own.open.peek()
  if (from === undefined || session.revision.peek() === written) return sendText(sent)
  // A message from a link is sent in the revision that it was written for.
  setRevision(written).then(() => active.peek() === session && sendText(sent))
  return undefined
}

/**
 * Sends a text of the history again, byte for byte unless its id was used on this connection: the response to a
 * request that still waits could not be told from the response to this one.
 */
export function replay(text: string): number | undefined {
  const session = active.peek()
  const used = session?.isUsed(Number(frameOf(text).id))
  return sendText(session && used ? withFreshId(text, () => session.nextId()) : text)
}

/** Sends a text through the active connection, byte for byte, and adds it to the history. */
export function sendText(text: string): number | undefined {
  const session = active.peek()
  if (session === undefined || session.connection.dialer.readOnly) return undefined
  const message = { text, to: session.connection.dialer.title, revision: session.revision.peek() }
  addToHistory(message)
  const row = session.connection.send(text)
  showAnswer(row)
  const { kind, id } = frameOf(text)
  if (kind === 'result' || kind === 'error') {
    // a response written by the user: its request is no longer pending
    session.asked.value = session.asked.peek().filter((one) => JSON.stringify(one.id) !== id)
  }
  return row
}

/** Registers the composer's actions. Called once. */
export function registerActions(): void {
  keepDrafts()
  actions.compose = (text, title = '') => {
    drafts.peek().add(text, { title })
    show({ front: 'compose', pane: 'compose' })
  }
  actions.send = () => send()
}
