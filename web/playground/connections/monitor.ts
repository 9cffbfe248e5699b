/**
 * Monitoring: one read-only connection for each assistant of a page, and a count of their reads. Nothing is
 * ever sent.
 */

import { type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { connect } from './clients.ts'
import { type GatewayState, onMonitoredMessage, startMonitoring } from './gateway.ts'
import type { GatewayMessage } from './gateway-message.ts'
import { assistantOf, isVouched } from './names.ts'
import type { AssistantName, Dialer, TransportEvents } from './transport.ts'

/** Further assistants share the last connection. */
const maxConnections = 8

/** Whether a message concerns a page; `''` is all pages. */
export const isAbout = (message: GatewayMessage, page: string): boolean =>
  page === '' || message.page === '' || message.page === page

/** The name of a page under which another tab of it is presented; the name of any other page stays. */
export function tabOf(
  state: Pick<GatewayState, 'pages'> | undefined,
  page: string,
  presented: string,
): string {
  // Tabs of a page have its name with a number. A page of another origin has another name.
  const keyOf = (name: string) => {
    const origin = state?.pages.find((one) => one.name === name)?.origin
    return origin && `${origin} ${name.replace(/-\d+$/, '')}`
  }
  return keyOf(page) && keyOf(page) === keyOf(presented) ? presented : page
}

/**
 * Monitors a page. The first connection opens at once and shows the first assistant; each further assistant
 * gets its own connection.
 *
 * @param page - its name; `''`: all pages
 * @param open - opens a connection, those of further assistants beside the active one
 * @param from - the source of messages; tests pass their own
 */
export function monitorPage(
  page: string,
  open: (dialer: Dialer, how?: { beside: boolean }) => void = connect,
  from: {
    onMonitoredMessage(listener: (message: GatewayMessage) => void): () => void
    startMonitoring(): Promise<void>
  } = { onMonitoredMessage, startMonitoring },
): void {
  const connections: TransportEvents[] = []
  const byAssistant = new Map<string, TransportEvents>()
  const names = new Map<TransportEvents, Signal<AssistantName | undefined>>()
  const what = page === '' ? t('connections.gateway.all') : page
  let stop: (() => void) | undefined

  const connection = (
    assistant?: string,
    monitors = { page: what, assistant: signal<AssistantName | undefined>(undefined) },
  ): Dialer => ({
    title:
      assistant === undefined
        ? t('connections.monitor.of', { what })
        : t('connections.monitor.ofBy', { what, assistant }),
    monitors,
    kind: 'tap',
    url: '',
    framing: 'ws',
    readOnly: true,
    async dial(events) {
      connections.push(events)
      names.set(events, monitors.assistant)
      if (assistant !== undefined) byAssistant.set(assistant, events)
      stop ??= from.onMonitoredMessage(receive)
      void from.startMonitoring()
      return {
        send: () => {},
        close() {
          connections.splice(connections.indexOf(events), 1)
          names.delete(events)
          for (const [name, one] of byAssistant) if (one === events) byAssistant.delete(name)
          if (connections.length > 0) return
          stop?.()
          stop = undefined
        },
      }
    },
  })

  /** The connection of an assistant: an unused one, a new one, or the last. */
  const eventsOf = (message: GatewayMessage): TransportEvents | undefined => {
    const assistant = assistantOf(message)
    const known = byAssistant.get(assistant)
    if (known) return known
    const taken = new Set(byAssistant.values())
    const free = connections.find((one) => !taken.has(one))
    if (!free && connections.length < maxConnections) open(connection(assistant), { beside: true })
    const events = free ?? byAssistant.get(assistant) ?? connections.at(-1)
    const name = events && names.get(events)
    if (events) byAssistant.set(assistant, events)
    // Assistants that share a connection are not told apart.
    if (name) name.value = events && taken.has(events) ? undefined : nameOf(message)
    if (free) events?.note(`assistant ${assistant} at ${message.door}`)
    return events
  }

  const receive = (message: GatewayMessage) => {
    if (!isAbout(message, page)) return
    const framing = message.door.startsWith('/mcp') ? 'http' : 'ws'
    eventsOf(message)?.observed(message.to === 'page' ? 'out' : 'in', message.text, framing)
  }

  open(connection())
}

const nameOf = (message: GatewayMessage): AssistantName => ({
  name: assistantOf(message),
  isVouched: isVouched(message.who),
})
