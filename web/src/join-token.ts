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
import type { Credentials } from './credentials.ts'
import { type Hello, readJoined, subprotocol } from './handshake.ts'
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

/** Joining with tokens, for `connectGateway`. */
export interface TokenJoining {
  /** Credentials that are a new token each time; `next` rejects if there is none. */
  credentials(address: string): Credentials<JoinToken>
  /** The subprotocols of the socket, of which one is the token. */
  protocols(credential: JoinToken): string[]
  /** The page's first message, JSON text. */
  firstMessage(hello: Hello | undefined): string
  /**
   * Reads the gateway's answer to the first message, parsed. Missing and wrong terms become those that are assumed, values
   * out of range the nearest one.
   *
   * @throws Error if it has no name for the page
   */
  finish(message: unknown): ReturnType<typeof readJoined> & { terms: Terms }
  /**
   * Watches a connection until the returned function is called. It measures by a clock that runs while the machine
   * sleeps, and looks at it once per ping.
   *
   * @param silence - ms since the last message
   * @param lost - called when nothing has come for three pings
   * @param send - sends another token, at 80 % of `terms.refresh`
   */
  keepAlive(
    terms: Terms,
    silence: () => number,
    lost: (error: string) => void,
    send: (message: string) => void,
  ): () => void
  /**
   * What a close by the gateway means, if its code is one for pages with tokens.
   *
   * @returns `error`: a text for people, `wait`: ms until the page may dial, absent after an expired token
   */
  closed(code: number | undefined, reason: string): { error: string; wait?: number } | undefined
}

/** Close codes. */
const expired = 4410
const drains = 4412
const limited = 4429

/** Begins the subprotocol that is a token; base64url of it follows. */
const tokenProtocol = 'pagemcp.token.'

// Sizes. The message must not be larger than the 16 KiB that a gateway reads.
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

/** @param call - the app's function for a token; its result is checked here */
export function tokenJoining(call: () => unknown, random = Math.random): TokenJoining {
  const fetch = () => fetchToken(call)
  return {
    credentials: (address) => ({
      next: async () => ({ address, credential: { kind: 'token', token: await fetch() } }),
      refused: async () => false,
      joined() {},
      renews: () => false,
    }),
    protocols: ({ token }) => [
      subprotocol,
      tokenProtocol + toBase64Url(new TextEncoder().encode(token)),
    ],
    firstMessage(hello) {
      const title = hello?.title?.slice(0, maxTitle).toWellFormed()
      const url = hello?.url.slice(0, maxUrl)
      const described = { ...hello, title, url }
      return JSON.stringify({ pagemcp: 1, hello: described, sequences: true })
    },
    finish(message) {
      const joined = readJoined(message)
      if (joined.name === '') throw new Error('no name')
      const { ping, refresh, spread } = message as Record<string, unknown>
      const terms = {
        ping: within(pings, ping, 1000),
        refresh: within(refreshes, refresh, 1000),
        spread: within(spreads, spread),
      }
      return { ...joined, terms }
    },
    keepAlive({ ping, refresh }, silence, lost, send) {
      const usual = refresh * 0.8
      let due = usual
      let age = stopwatch() // since the last attempt to refresh
      let isRefreshing = false
      let wasSilent = false
      let isOver = false
      let timer: ReturnType<typeof setTimeout> | undefined

      const check = () => {
        const isSilent = silence() >= 3 * ping
        if (isSilent && wasSilent) {
          lost(`no message for ${(3 * ping) / 1000} s`)
          return
        }
        wasSilent = isSilent
        if (!isRefreshing && age() >= due) {
          isRefreshing = true
          fetch()
            .then((token) => isOver || send(JSON.stringify({ pagemcp: 1, token })))
            .then(
              () => refreshed(usual),
              () => refreshed(refreshRetryDelay),
            )
        }
        arm()
      }
      const refreshed = (delay: number) => {
        isRefreshing = false
        due = delay
        age = stopwatch()
        arm()
      }
      const arm = () => {
        clearTimeout(timer)
        if (isOver) return
        const next = isRefreshing ? ping : due - age()
        timer = setTimeout(
          check,
          wasSilent ? lateMessageTime : Math.min(3 * ping - silence(), ping, next),
        )
      }
      arm()
      return () => {
        isOver = true
        clearTimeout(timer)
      }
    },
    closed(code, reason) {
      if (code === expired) return { error: 'the token of this page has expired' }
      if (code !== drains && code !== limited) return undefined
      const wait = requestedWait(reason) * random()
      const why = code === drains ? 'is being restarted' : 'has reached a limit'
      const error = `the gateway ${why}: this page joins again in ${Math.ceil(wait / 1000)} s`
      return { error, wait }
    },
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
