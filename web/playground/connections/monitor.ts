/**
 * Looking on: connections that only listen, one for each assistant that talks to a page, and a count of what
 * assistants have seen. Nothing is ever sent there.
 */

import { t } from '../base/i18n.ts'
import { lookOn, onFrame } from './gateway.ts'
import type { Frame } from './gateway-message.ts'
import type { Dialer, Ears } from './transport.ts'

/** More assistants than this share the last connection. */
const maxConnections = 8

/** Whether a message has to do with a page; `''` is all of them. */
export const concerns = (frame: Frame, page: string): boolean =>
  page === '' || frame.page === '' || frame.page === page

/** What is said of an assistant: its own name, and the gateway's for it where it has none. */
export const assistantOf = ({ client, who }: Frame): string => client || who

/**
 * Looks on at a page. The first connection is opened at once, and is the first assistant's; each further one
 * gets a connection of its own.
 *
 * @param page - its name; `''`: all pages
 * @param open - opens a connection, and dials at once
 * @param from - where messages come from; tests have their own
 */
export function tapPage(
  page: string,
  open: (dialer: Dialer) => void,
  from: {
    onFrame(listener: (frame: Frame) => void): () => void
    lookOn(): Promise<void>
  } = { onFrame, lookOn },
): void {
  const connections: Ears[] = []
  const byAssistant = new Map<string, Ears>()
  const what = page === '' ? t('connections.gateway.all') : page
  let stop: (() => void) | undefined

  const connection = (assistant: string | undefined): Dialer => ({
    title:
      assistant === undefined
        ? t('connections.tap.of', { what })
        : t('connections.tap.ofBy', { what, assistant }),
    kind: 'tap',
    url: '',
    framing: 'ws',
    readOnly: true,
    async dial(ears) {
      connections.push(ears)
      if (assistant !== undefined) byAssistant.set(assistant, ears)
      stop ??= from.onFrame(hear)
      void from.lookOn()
      return {
        send: () => {},
        close() {
          connections.splice(connections.indexOf(ears), 1)
          for (const [name, one] of byAssistant) if (one === ears) byAssistant.delete(name)
          if (connections.length > 0) return
          stop?.()
          stop = undefined
        },
      }
    },
  })

  /** The connection of an assistant: one that is nobody's yet, a new one, or the last. */
  const earsOf = (frame: Frame): Ears | undefined => {
    const assistant = assistantOf(frame)
    const known = byAssistant.get(assistant)
    if (known) return known
    const taken = new Set(byAssistant.values())
    const free = connections.find((one) => !taken.has(one))
    if (!free && connections.length < maxConnections) open(connection(assistant))
    const ears = free ?? byAssistant.get(assistant) ?? connections.at(-1)
    if (ears) byAssistant.set(assistant, ears)
    if (free) ears?.noted(`assistant ${assistant} at ${frame.door}`)
    return ears
  }

  const hear = (frame: Frame) => {
    if (!concerns(frame, page)) return
    const framing = frame.door.startsWith('/mcp') ? 'http' : 'ws'
    earsOf(frame)?.overheard(frame.to === 'page' ? 'out' : 'in', frame.text, framing)
  }

  open(connection(undefined))
}
