/** Sending what stands in the composer, as it stands. */

import { signal } from '@preact/signals'
import { actions } from '../base/actions.ts'
import { pane } from '../base/state.ts'
import { active } from '../connections/clients.ts'
import type { Session } from '../connections/session.ts'
import { showAnswer } from '../messages/select-answer.ts'
import { jsonTree, nodeAt } from '../protocol/json.ts'
import { change, open, persistTabs, replaceText, tab } from './tabs.ts'
import { addUnsaved } from './unsaved.ts'

/** What waits for a second yes, because it came by a link: the words say what it would do. */
export const needsConfirmation = signal(false)

/** Methods that change nothing at a server: these may be sent from a link at once, within this page. */
const readOnlyMethods =
  /^(server\/discover|initialize|ping|completion\/complete|(resources|prompts|tools|resources\/templates)\/list|resources\/read|prompts\/get|notifications\/(initialized|cancelled))$/

/** Whether something from a link wants a second yes: it leaves this page, or may do more than read. */
export function requiresConfirmation(text: string, session: Session): boolean {
  if (session.connection.dialer.kind !== 'in-page') return true
  const root = jsonTree(text).root
  const method = nodeAt(root, ['method'])?.text
  return root?.kind !== 'object' || method === undefined || !readOnlyMethods.test(method)
}

/**
 * A text with a fresh id in place of its own, if that is a number: an id that is anything else was
 * meant so, and what is no request has none.
 */
export function withFreshId(text: string, next: () => number): string {
  const { root, errorAt } = jsonTree(text)
  const id = nodeAt(root, ['id'])
  if (errorAt !== undefined || id?.kind !== 'number' || !nodeAt(root, ['method'])) return text
  return text.slice(0, id.from) + next() + text.slice(id.to)
}

/** A text without its id, which makes a notification of a request. */
export function withoutId(text: string): string {
  const member = jsonTree(text).root?.members?.find(({ key }) => key.text === 'id')
  if (!member?.value) return text
  const before = text.slice(0, member.key.from)
  const after = text.slice(member.value.to)
  return /^\s*,/.test(after)
    ? before + after.replace(/^\s*,\s*/, '')
    : before.replace(/,\s*$/, '') + after
}

/**
 * Sends what stands in the composer on the active connection and returns its row; undefined if it waits for a
 * second yes, or there is no connection that sends.
 *
 * @param sure - the second yes
 */
export function send({ confirmed = false }: { confirmed?: boolean } = {}): number | undefined {
  const session = active.peek()
  const { text, pinned, from } = tab.peek()
  if (session === undefined || session.connection.dialer.readOnly) return undefined
  if (from !== undefined && !confirmed && requiresConfirmation(text, session)) {
    needsConfirmation.value = true
    return undefined
  }
  needsConfirmation.value = false
  if (from !== undefined) change({ from: undefined })
  if (!pinned) replaceText(withFreshId(text, () => session.nextId()))
  return sendText(tab.peek().text)
}

/** Sends a text on the active connection, byte for byte, and remembers it. */
export function sendText(text: string): number | undefined {
  const session = active.peek()
  if (session === undefined || session.connection.dialer.readOnly) return undefined
  const message = { text, to: session.connection.dialer.title, revision: session.revision.peek() }
  addUnsaved(message)
  // If it does not load, for the page is going or offline, the next document saves the message.
  import('./history.ts').then(({ addToHistory }) => addToHistory(message)).catch(() => {})
  const row = session.connection.send(text)
  showAnswer(row)
  const { root } = jsonTree(text)
  const id = nodeAt(root, ['id'])
  if (id && !nodeAt(root, ['method'])) {
    // an answer that was written by hand: its question waits no longer
    const answered = text.slice(id.from, id.to)
    session.asked.value = session.asked.peek().filter((one) => JSON.stringify(one.id) !== answered)
  }
  return row
}

/** Called once, with the shell: makes the composer known to the other panes. */
export function registerActions(): void {
  persistTabs()
  actions.compose = (text, { title = '' } = {}) => {
    open(text, { title })
    pane.value = 'compose'
  }
  actions.composed = () => tab.peek().text
  actions.send = () => send()
}
