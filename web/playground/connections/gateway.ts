/**
 * The gateway of this machine: its pages, the messages between them and assistants, and connections to it. One
 * socket monitors the messages, and reconnects when it is lost; each connection has its own socket.
 */

import { type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import { type AuditEntry, addAuditEntries } from './audit-log.ts'
import type { GatewayMessage } from './gateway-message.ts'
import { GatewayRefusedError, NotPairedError, openGatewaySocket } from './gateway-socket.ts'
import type { Dialer } from './transport.ts'
import { closeReason, socketTransport } from './websocket.ts'

/** A page that has joined. Its texts are its own and untrusted. */
export interface JoinedPage {
  name: string
  title: string
  origin: string
  url: string
  /** Whether it is connected now. */
  here: boolean
  /** ms since 1970, of joining. */
  since: number
  /** Number of `resources/read` of assistants since the gateway started. */
  reads: number
  /** Of their responses. */
  bytes: number
}

/** Pages and permissions. */
export interface GatewayState {
  pages: readonly JoinedPage[]
  /** Origins whose pages may join. */
  mayJoin: readonly string[]
  /** Origins that may monitor. */
  mayWatch: readonly string[]
  /** Whether assistants need no token. */
  noToken: boolean
  /** Assistants are paused until then, in ms since 1970; 0: they are not. */
  paused: number
}

/**
 * State of monitoring. `why` is shown to the user: why it failed, where a new link of the gateway may help, or why it
 * tries again. `isUnpaired`: the browser was never paired, which is no error.
 */
export type MonitorStatus =
  | { is: 'none' }
  | { is: 'open'; state?: GatewayState }
  | { is: 'connecting'; why?: string }
  | { is: 'failed'; why: string; isUnpaired?: boolean }

export const monitorStatus: Signal<MonitorStatus> = signal<MonitorStatus>({ is: 'none' })

/** The gateway's address for assistants; `''` while unknown. */
let gatewayUrl = ''

const listeners = new Set<(message: GatewayMessage) => void>()

/**
 * Calls `listener` with each monitored message; returns stops that. Messages come only while {@link
 * startMonitoring} is connected.
 */
export function onMonitoredMessage(listener: (message: GatewayMessage) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Delay before the first reconnection; doubled each time, up to {@link maxDelay}. */
const firstDelay = 1_000 // ms
const maxDelay = 15_000 // ms

/**
 * Starts monitoring, unless it is running.
 *
 * @param link - a link that the user pasted
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
      isUnpaired: error instanceof NotPairedError,
    }
  }
}

async function openMonitor(link?: string): Promise<void> {
  const { socket, mcp } = await openGatewaySocket('watch', link)
  socket.onmessage = ({ data }: MessageEvent<unknown>) => handleMessage(data)
  socket.onclose = () => reconnect(firstDelay)
  gatewayUrl = mcp
  monitorStatus.value = { is: 'open' }
}

/** Reconnects with back-off until the gateway accepts or rejects. */
function reconnect(delay: number, why = '') {
  monitorStatus.value = { is: 'connecting', why }
  setTimeout(() => {
    openMonitor().catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error)
      if (error instanceof NotPairedError || error instanceof GatewayRefusedError) {
        monitorStatus.value = { is: 'failed', why }
      } else reconnect(Math.min(delay * 2, maxDelay), why)
    })
  }, delay)
}

function handleMessage(data: unknown) {
  if (typeof data !== 'string') return
  const {
    state,
    frame: message,
    audit,
  } = JSON.parse(data) as {
    state?: GatewayState
    frame?: GatewayMessage
    audit?: readonly AuditEntry[]
  }
  if (state) monitorStatus.value = { is: 'open', state }
  if (audit) addAuditEntries(audit)
  if (!message) return
  for (const listener of listeners) listener(message)
}

/**
 * A connection to the gateway, as a client.
 *
 * @param page - the page to address; `''`: all pages
 */
export function gatewayDialer(page: string): Dialer {
  const path = page === '' ? '/mcp' : `/mcp/${page}`
  return {
    title: page === '' ? t('connections.gateway.all') : page,
    kind: 'gateway',
    url: gatewayUrl.replace(/\/mcp$/, path),
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
