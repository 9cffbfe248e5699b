/**
 * The gateway of this machine, as far as it lets the playground in: which pages are there, what passes
 * between them and assistants, and connections to ask them. One socket looks on for as long as somebody
 * wants that, and comes back when it was lost; each connection to ask has its own.
 */

import { type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import type { GatewayMessage } from './gateway-message.ts'
import { NotPairedError, openGatewaySocket } from './gateway-socket.ts'
import { countReads } from './reads.ts'
import type { Dialer } from './transport.ts'
import { closeReason, socketTransport } from './websocket.ts'

/** A page that has joined. All but the numbers is its own words. */
export interface JoinedPage {
  name: string
  title: string
  origin: string
  url: string
  /** Whether it is there now, or only was. */
  here: boolean
  /** ms since 1970, of joining. */
  since: number
  /** `resources/read` that assistants were answered, since the gateway began. */
  reads: number
  /** Of these answers. */
  bytes: number
}

/** Who is there, and who may do what. */
export interface GatewayState {
  pages: readonly JoinedPage[]
  /** Origins whose pages may join. */
  mayJoin: readonly string[]
  /** Origins that may look on. */
  mayWatch: readonly string[]
  /** Assistants need no token. */
  noToken: boolean
}

/** How looking on is doing. `why` is for people; a fresh link of the gateway may help. */
export type MonitorStatus = { is: 'none' | 'connecting' | 'open' } | { is: 'failed'; why: string }

export const monitorStatus: Signal<MonitorStatus> = signal<MonitorStatus>({ is: 'none' })
export const gatewayState: Signal<GatewayState | undefined> = signal(undefined)
/** Where the gateway answers assistants; `''` while that is not known. */
export const gatewayUrl = signal('')

const listeners = new Set<(message: GatewayMessage) => void>()

/** Has each message told that passes; returns how to stop. Messages come only while {@link startMonitoring} holds. */
export function onMonitoredMessage(listener: (message: GatewayMessage) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** How long to wait before a gateway that has gone is looked for again; doubled each time, up to the second. */
const firstDelay = 1_000 // ms
const maxDelay = 15_000 // ms

/**
 * Begins to look on, if that is not so already.
 *
 * @param link - a link that the visitor pasted
 */
export async function startMonitoring(link?: string): Promise<void> {
  const { is } = monitorStatus.peek()
  if (is === 'open' || is === 'connecting') return
  monitorStatus.value = { is: 'connecting' }
  try {
    await openMonitor(link)
  } catch (error) {
    monitorStatus.value = {
      is: 'failed',
      why: error instanceof Error ? error.message : String(error),
    }
  }
}

async function openMonitor(link?: string): Promise<void> {
  const { socket, mcp } = await openGatewaySocket('watch', link)
  socket.onmessage = ({ data }: MessageEvent<unknown>) => handleMessage(data)
  socket.onclose = () => reconnect(firstDelay)
  gatewayUrl.value = mcp
  monitorStatus.value = { is: 'open' }
}

/** Looks for a gateway that was there before, until it is. */
function reconnect(delay: number) {
  monitorStatus.value = { is: 'connecting' }
  gatewayState.value = undefined
  setTimeout(() => {
    openMonitor().catch((error: unknown) => {
      if (!(error instanceof NotPairedError)) return reconnect(Math.min(delay * 2, maxDelay))
      monitorStatus.value = { is: 'failed', why: error.message }
    })
  }, delay)
}

function handleMessage(data: unknown) {
  if (typeof data !== 'string') return
  const { state, frame: message } = JSON.parse(data) as {
    state?: GatewayState
    frame?: GatewayMessage
  }
  if (state) gatewayState.value = state
  if (!message) return
  countReads(message)
  for (const listener of listeners) listener(message)
}

/**
 * A client of the gateway.
 *
 * @param page - the page to ask; `''`: all of them
 */
export function gatewayDialer(page: string): Dialer {
  const path = page === '' ? '/mcp' : `/mcp/${page}`
  return {
    title: page === '' ? t('connections.gateway.all') : page,
    kind: 'gateway',
    url: gatewayUrl.peek().replace(/\/mcp$/, path),
    framing: 'ws',
    async dial(events) {
      const { socket } = await openGatewaySocket(path)
      socket.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (typeof data === 'string') events.received(data, 'ws')
      }
      socket.onclose = (event) => events.closed(closeReason(event))
      return socketTransport(socket)
    },
  }
}
