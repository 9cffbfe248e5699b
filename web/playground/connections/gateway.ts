/**
 * The gateway of this machine, as far as it lets the playground in: which pages are there, what passes
 * between them and assistants, and connections to ask them. One socket looks on for as long as somebody
 * wants that, and comes back when it was lost; each connection to ask has its own.
 */

import { type Signal, signal } from '@preact/signals'
import { t } from '../base/i18n.ts'
import type { Frame } from './gateway-message.ts'
import { NotInvitedError, openDoor } from './gateway-socket.ts'
import { look } from './reads.ts'
import type { Dialer } from './transport.ts'
import { closeReason, socketWire } from './websocket.ts'

/** A page that has joined. All but the numbers is its own words. */
export interface PageHere {
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
  pages: readonly PageHere[]
  /** Origins whose pages may join. */
  mayJoin: readonly string[]
  /** Origins that may look on. */
  mayWatch: readonly string[]
  /** Assistants need no token. */
  noToken: boolean
}

/** How looking on is doing. `why` is for people; a fresh link of the gateway may help. */
export type Standing = { is: 'none' | 'connecting' | 'open' } | { is: 'failed'; why: string }

export const standing: Signal<Standing> = signal<Standing>({ is: 'none' })
export const gatewayState: Signal<GatewayState | undefined> = signal(undefined)
/** Where the gateway answers assistants; `''` while that is not known. */
export const gatewayUrl = signal('')

const listeners = new Set<(frame: Frame) => void>()

/** Has each message told that passes; returns how to stop. Messages come only while {@link lookOn} holds. */
export function onFrame(listener: (frame: Frame) => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** How long to wait before a gateway that has gone is looked for again; doubled each time, up to the second. */
const firstDelay = 1_000 // ms
const longestDelay = 15_000 // ms

/**
 * Begins to look on, if that is not so already.
 *
 * @param link - a link that the visitor pasted
 */
export async function lookOn(link?: string): Promise<void> {
  const { is } = standing.peek()
  if (is === 'open' || is === 'connecting') return
  standing.value = { is: 'connecting' }
  try {
    await watch(link)
  } catch (error) {
    standing.value = { is: 'failed', why: error instanceof Error ? error.message : String(error) }
  }
}

async function watch(link?: string): Promise<void> {
  const { socket, mcp } = await openDoor('watch', link)
  socket.onmessage = ({ data }: MessageEvent<unknown>) => hear(data)
  socket.onclose = () => again(firstDelay)
  gatewayUrl.value = mcp
  standing.value = { is: 'open' }
}

/** Looks for a gateway that was there before, until it is. */
function again(delay: number) {
  standing.value = { is: 'connecting' }
  gatewayState.value = undefined
  setTimeout(() => {
    watch().catch((error: unknown) => {
      if (!(error instanceof NotInvitedError)) return again(Math.min(delay * 2, longestDelay))
      standing.value = { is: 'failed', why: error.message }
    })
  }, delay)
}

function hear(data: unknown) {
  if (typeof data !== 'string') return
  const { state, frame } = JSON.parse(data) as { state?: GatewayState; frame?: Frame }
  if (state) gatewayState.value = state
  if (!frame) return
  look(frame)
  for (const listener of listeners) listener(frame)
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
    async dial(ears) {
      const { socket } = await openDoor(path)
      socket.onmessage = ({ data }: MessageEvent<unknown>) => {
        if (typeof data === 'string') ears.heard(data, 'ws')
      }
      socket.onclose = (event) => ears.closed(closeReason(event))
      return socketWire(socket)
    },
  }
}
