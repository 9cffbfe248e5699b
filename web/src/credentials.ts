/**
 * Chooses what a page proves itself to a gateway with: its saved key before an invitation, since anybody
 * can make a link. An invitation replaces a key only after the user has confirmed that.
 */

import type { Invitation } from './connector.ts'
import { toBase64Url } from './contents.ts'
import { inDatabase, result } from './database.ts'
import { stopwatch } from './replies.ts'
import type { Dial } from './websocket.ts'
import { type Credential, type Hello, type Pairing, type Place, subprotocol } from './websocket.ts'

/** The question to the user: change from the paired gateway to the invited one? */
export interface GatewayQuestion {
  /** The address of the gateway that a link invites to. */
  readonly invited: string
  /** The address of the gateway that the page has a key for; may be the same address. */
  readonly paired: string
}

/** One attempt to join. */
export interface Pass {
  readonly address: string
  readonly credential: Credential
}

export interface Credentials {
  /**
   * The next credential to try; `undefined`: none. Waits for the user's decision if one is needed. Rejects if
   * keys cannot be read and the page has no other credential.
   */
  next(): Promise<Pass | undefined>
  /**
   * The gateway rejected this credential, or is another one: `byOther`. Returns whether there is another to try.
   */
  refused(credential: Credential, byOther: boolean): Promise<boolean>
  /** The page has joined: the invitation is used up. The key of that connection is used if none can be read later. */
  joined(pairing?: Pairing): void
  /**
   * The gateway has taken this, and only keys are wanted: if it was a key, so that the gateway has proved who it
   * is, the invitation comes next. Returns whether there is one.
   */
  renews(credential: Credential): boolean
}

/** @param confirm - shows the question to the user; false: the page keeps its gateway */
export function credentials(
  { gateways, invitation, isChosen = false }: Pick<Dial, 'gateways' | 'invitation' | 'isChosen'>,
  confirm: (question: GatewayQuestion) => Promise<boolean>,
): Credentials {
  let invited = invitation
  let keyFailed = false // the key for the gateway that invites
  let isUsed = false // the gateway has refused the secret: another document of this profile may have used it
  let confirmed = isChosen
  let own: Pairing | undefined // of this connection

  /** The key of this connection replaces one that cannot be read, or could not be saved. */
  const savedOrOwn = async () => {
    const saved = await findPairing(gateways).catch((error: unknown) => {
      if (own === undefined) throw error
      return undefined
    })
    if (saved !== undefined || own === undefined) return saved
    const { address, gateway, keyId: id, key } = own
    return { address, credential: { kind: 'key', id, gateway, key } as const }
  }
  /** An invitation is enough to join: keys that cannot be read are none then. */
  const besideInvitation = (addresses: readonly string[]) =>
    findPairing(addresses).catch(() => undefined)

  return {
    async next() {
      if (invited !== undefined) {
        const known = keyFailed ? undefined : await besideInvitation([invited.url])
        if (known !== undefined) return known
        const paired = confirmed ? undefined : await besideInvitation(gateways)
        if (paired !== undefined) {
          const question = { invited: invited.url, paired: paired.address }
          confirmed = await confirm(question).catch(() => false) // in doubt the page keeps its gateway
        }
        if (paired === undefined || confirmed) return withSecret(invited, isUsed)
        invited = undefined
      }
      return savedOrOwn()
    },
    async refused(credential, byOther) {
      if (invited === undefined) return false
      if (credential.kind === 'key') {
        keyFailed = true
        return true
      }
      if (!byOther && !isUsed && credential.keyId !== undefined) {
        isUsed = true
        return true
      }
      invited = undefined // it was used elsewhere, or is too old
      return (await savedOrOwn()) !== undefined
    },
    joined(pairing) {
      invited = undefined
      own = pairing
    },
    renews(credential) {
      if (credential.kind === 'key') keyFailed = confirmed = true
      return credential.kind === 'key' && invited !== undefined
    },
  }
}

async function withSecret({ url, id, secret }: Invitation, isUsed: boolean): Promise<Pass> {
  const keyId = await reserveKeyId(url, id)
  return { address: url, credential: { kind: 'secret', id, secret, keyId, isUsed } }
}

// Stores the keys of gateways that this origin joined, as CryptoKeys that are not extractable, in the
// IndexedDB database `pagemcp`. Without storage every handshake needs an invitation.

interface SavedPairing extends Pairing {
  /** When it was last used; ms since 1970. */
  used: number
}

/**
 * The saved key that was used last, of those for `addresses`.
 *
 * @returns `undefined` if there is none, or no storage
 * @throws Error if the database cannot be read now: there may be a key
 */
export async function findPairing(
  addresses: readonly string[],
): Promise<{ address: string; credential: Credential } | undefined> {
  const all = ((await inStore('readonly', (store) => result(store.getAll()))) ??
    []) as SavedPairing[]
  const [newest] = all
    .filter(({ address }) => addresses.includes(address))
    .sort((a, b) => b.used - a.used)
  if (newest === undefined) return undefined
  const { address, gateway, keyId, key } = newest
  return { address, credential: { kind: 'key', id: keyId, gateway, key } }
}

/**
 * Saves a key, in place of an earlier one for its address. Does nothing where there is no storage, or if it cannot be
 * written.
 */
export async function savePairing(pairing: Pairing): Promise<void> {
  const entry: SavedPairing = { ...pairing, used: Date.now() }
  const save = (store: IDBObjectStore) =>
    Promise.all([result(store.put(entry)), result(store.delete(pendingOf(pairing.address)))])
  await inStore('readwrite', save).catch(() => {})
}

/** The id for the key of an invitation that is being used. */
interface PendingPairing {
  /** See {@link pendingOf}: no address. */
  address: string
  /** The id of the secret. */
  secret: string
  keyId: string
}

/** The name of the entry of an address while its invitation is used. */
const pendingOf = (address: string) => `pending ${address}`

/**
 * The id that the key of an invitation shall have: all documents of this profile that use the invitation at the same
 * time, or after a reload, have the same one. Random, so that nobody else who has seen a link can use it again.
 *
 * @param secret - the id of its secret
 * @returns `undefined` where there is no storage, or if it cannot be used now
 */
export async function reserveKeyId(address: string, secret: string): Promise<string | undefined> {
  const entry: PendingPairing = { address: pendingOf(address), secret, keyId: randomId() }
  const reserve = async (store: IDBObjectStore) => {
    const earlier = (await result(store.get(entry.address))) as PendingPairing | undefined
    if (earlier?.secret === secret) return earlier.keyId
    await result(store.put(entry))
    return entry.keyId
  }
  return inStore('readwrite', reserve).catch(() => undefined)
}

const randomId = () => toBase64Url(crypto.getRandomValues(new Uint8Array(16)))

/**
 * Runs requests in one transaction; returns `undefined` where there is no storage.
 *
 * @throws Error if the database fails each time
 */
function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => Promise<T>,
): Promise<T | undefined> {
  return inDatabase(['keys'], mode, 'the saved keys', (transaction) =>
    act(transaction.objectStore('keys')),
  )
}

// Joining a gateway with tokens of the app's backend, which knows its user; testdata/wire.md, "Join tokens".
// TLS proves who the gateway is. What it sends is checked: no value may make the page dial in a loop, or keep it from
// dialling.
//
// page     the token in the handshake, as a subprotocol: the gateway knows the user before it opens the socket
// page     {"pagemcp":1, hello, sequences}
// gateway  {joined: the page's name, ping, refresh, spread, sequences}
// page     {"pagemcp":1, token}      before each `refresh` is over; not answered

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
  return JSON.stringify({ pagemcp: 1, hello, sequences: true })
}

/** The message of a joined page that has another title or URL, JSON text. */
export function movedMessage(place: Place): string {
  return JSON.stringify({ pagemcp: 1, page: shortPlace(place) })
}

/** As much of it as gateways take: while a page joins, frames are short. */
export function shortPlace({ title, url }: Place): Place {
  return { title: title?.slice(0, maxTitle).toWellFormed(), url: url.slice(0, maxUrl) }
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
