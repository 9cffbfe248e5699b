/**
 * Joining a gateway with tokens of the app's backend, which knows its user; web/docs/protocol.md, "Join tokens".
 * TLS proves who the gateway is. What it sends is checked: no value may make the page dial in a loop, or keep it from
 * dialling.
 *
 *     page     the token in the handshake, as a subprotocol: the gateway knows the user before it opens the socket
 *     page     {"pagemcp":1, hello, sequences}
 *     gateway  {joined: the page's name, ping, refresh, spread, sequences}
 *     page     {"pagemcp":1, token}      before each `refresh` is over; not answered
 */

import { toBase64Url } from './base64url.ts'
import { type Hello, subprotocol } from './handshake.ts'
import { stopwatch } from './stopwatch.ts'

/** What a page shows instead of an invitation or a key. */
export interface JoinToken {
  readonly kind: 'token'
  readonly token: string
}

/** What the gateway requires of a page that has joined, all in ms. */
export interface Terms {
  /** How often the gateway sends a message, at least. */
  readonly ping: number
  /** The time within which the page must send another token. */
  readonly refresh: number
  /** The time over which the gateway's pages spread when they dial again after a loss. */
  readonly spread: number
}

// Sizes. The first message must not be larger than the 16 KiB that a gateway reads.
const maxToken = 8192 // bytes
const maxTitle = 200 // UTF-16 code units, as many as gateways show
const maxUrl = 2048 // likewise

// Times.
const tokenTimeout = 30_000 // ms until the app's function has a token
const refreshRetryDelay = 15_000 // ms
const lateMessageTime = 1000 // ms in which messages are delivered that came while the machine or the Worker slept

/** Of the gateway's values: the smallest, the one that is assumed if there is none, and the largest; ms. */
type Range = readonly [least: number, assumed: number, most: number]
const pings: Range = [1_000, 15_000, 120_000]
const refreshes: Range = [5_000, 3_000_000, 86_400_000]
const spreads: Range = [200, 1_500, 60_000]
const waits: Range = [0, 5_000, 300_000]

/** The terms of a gateway of this machine, which states none. */
export const localTerms: Terms = { ping: pings[1], refresh: Number.POSITIVE_INFINITY, spread: 0 }

/** The subprotocols of the socket, of which one is the token. */
export function tokenProtocols({ token }: JoinToken): string[] {
  return [subprotocol, `pagemcp.token.${toBase64Url(new TextEncoder().encode(token))}`]
}

/** The page's first message, JSON text. */
export function firstMessage(hello: Hello | undefined): string {
  const title = hello?.title?.slice(0, maxTitle).toWellFormed()
  const url = hello?.url.slice(0, maxUrl)
  return JSON.stringify({ pagemcp: 1, hello: { ...hello, title, url }, sequences: true })
}

/** The terms of a gateway's answer. Missing and wrong ones become those that are assumed, values out of range the nearest one. */
export function termsOf(message: unknown): Terms {
  const { ping, refresh, spread } = message as Record<string, unknown>
  return {
    ping: within(pings, ping, 1000),
    refresh: within(refreshes, refresh, 1000),
    spread: within(spreads, spread),
  }
}

/**
 * Watches a connection until the returned function is called. It measures by a clock that runs while the machine
 * sleeps, and looks at it once per ping.
 *
 * @param silence - ms since the last message
 * @param lost - called when nothing has come for three pings
 * @param refreshed - sends another token, at 80 % of `refresh`; if it rejects, it is called again later
 */
export function keepAlive(
  { ping, refresh }: Terms,
  silence: () => number,
  lost: () => void,
  refreshed: () => Promise<void>,
): () => void {
  let due = refresh * 0.8
  let age = stopwatch() // since the last attempt to refresh
  let isRefreshing = false
  let wasSilent = false
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const check = () => {
    const isSilent = silence() >= 3 * ping
    if (isSilent && wasSilent) return lost()
    wasSilent = isSilent
    if (!isRefreshing && age() >= due) {
      isRefreshing = true
      refreshed().then(
        () => next(refresh * 0.8),
        () => next(refreshRetryDelay),
      )
    }
    arm()
  }
  const next = (delay: number) => {
    isRefreshing = false
    due = delay
    age = stopwatch()
    arm()
  }
  const arm = () => {
    clearTimeout(timer)
    if (isOver) return
    const wait = Math.min(3 * ping - silence(), ping, isRefreshing ? ping : due - age())
    timer = setTimeout(check, wasSilent ? lateMessageTime : wait)
  }
  arm()
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/**
 * Calls the app's function for a token.
 *
 * @throws Error that says what is wrong, if it throws, takes more than 30 s, or has another result
 */
export async function fetchToken(call: () => unknown): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('it took more than 30 s')), tokenTimeout)
  })
  try {
    const token = await Promise.race([call(), late])
    const size = typeof token === 'string' ? new TextEncoder().encode(token).length : 0
    if (size > 0 && size <= maxToken) return token as string
    throw new Error(
      `it returned ${typeof token} of ${size} bytes, not a string of 1 to ${maxToken} bytes`,
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : error
    throw new Error(`the function for a token of this page failed: ${String(why).slice(0, 500)}`)
  } finally {
    clearTimeout(timer)
  }
}

/** The longest time that the page has to wait before it dials again, ms: the reason of a close. */
export function requestedWait(reason: string): number {
  return within(waits, /^\d+$/.test(reason) ? Number(reason) : undefined)
}

function within([least, assumed, most]: Range, value: unknown, unit = 1): number {
  if (typeof value !== 'number' || Number.isNaN(value)) return assumed
  return Math.min(Math.max(value * unit, least), most)
}
