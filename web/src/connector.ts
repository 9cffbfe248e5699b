/** Ways to a gateway, for `connect`. */

import { fromBase64Url, toBase64Url } from './contents.ts'
import type { GatewayQuestion } from './credentials.ts'
import { lazily } from './module.ts'
import { connectGateway, type Dial, JoinError } from './websocket.ts'

/** Where a gateway listens unless it is started with another address. */
export const defaultGateway = 'ws://127.0.0.1:8808/page'

/** How to reach a gateway. */
export interface Connector {
  readonly dial: Omit<Dial, 'hello'>
  /** This document was opened with an invitation of a gateway that the app does not name. */
  readonly ignored?: JoinError
  /** The app's function for tokens; it stays in this window. */
  readonly token?: () => string | Promise<string>
}

/** What `connect` may use besides one address. */
export interface ConnectOptions {
  /** Leaves the gateway. */
  signal?: AbortSignal
  /**
   * Addresses of further gateways that may invite this page. Without an invitation, the page joins the
   * one that it joined last.
   */
  gateways?: readonly string[]
  /**
   * An invitation that the user has pasted, instead of the one in this document's address: the link
   * that `pagemcp dev` prints, or what stands in it after `#pagemcp=`. It is good once, for two
   * minutes. For documents that no link can lead to, such as those of a browser extension. Never pass
   * text from an address or a message here: the user is not asked to confirm what they have pasted.
   */
  invitation?: string
  /**
   * Returns a token for this page from the backend of the app, which knows the signed-in user: a JWT of at most 8 KiB.
   * For hosted gateways. It is called in this window, before each connection and whenever the gateway requests another
   * token; if it rejects, or takes more than 30 s, it is called again later. Invitations, saved keys and `gateways`
   * are ignored then, and nothing is saved. Needs the address of the gateway.
   */
  token?: () => string | Promise<string>
}

/** How to reach a gateway, by the parameters of {@link PageMcp.connect}. */
export function webSocket(
  gateway?: string | ConnectOptions,
  options: ConnectOptions = {},
): Connector {
  if (typeof gateway === 'object') return webSocket(undefined, gateway)
  const { token, invitation: pasted, gateways: others = [] } = options
  const listed = gateway === undefined ? others : [gateway, ...others]
  const gateways = listed.length > 0 ? listed.map(checked) : [defaultGateway]
  if (token) {
    if (gateway === undefined) {
      throw new TypeError('a token needs the address of a gateway: connect(url, { token })')
    }
    return { dial: { gateways, hasToken: true }, token }
  }
  const invitation = pasted === undefined ? documentInvitation : parseInvitation(pasted)
  const isChosen = pasted !== undefined
  if (invitation === undefined) {
    if (isChosen) throw new TypeError('this is not a link of a gateway')
    return { dial: { gateways } }
  }
  const invited = gateways.find((address) => isSame(address, invitation.url))
  if (invited !== undefined) {
    return { dial: { gateways, invitation: { ...invitation, url: invited }, isChosen } }
  }
  if (isChosen) {
    throw new TypeError('this is the link of another gateway; connect({ gateways }) can list it')
  }
  return { dial: { gateways }, ignored: ignored(invitation, gateways) }
}

/**
 * The address of the gateway that a link, or what stands in it after `#pagemcp=`, is an invitation of;
 * `undefined` if it is no link, or `connect` would refuse the address.
 */
export function gatewayOf(link: string): string | undefined {
  const url = parseInvitation(link)?.url
  return url !== undefined && problemOf(url) === undefined ? url : undefined
}

/** Why an address cannot be that of a gateway; `undefined`: it can. */
function problemOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url?.protocol !== 'wss:' && url?.protocol !== 'ws:') {
    return `a WebSocket address begins with ws:// or wss://, not "${address}"`
  }
  if (url.username !== '' || url.password !== '' || url.hash !== '') {
    return 'the address of a gateway has no user, password or fragment'
  }
  if (url.protocol === 'ws:' && !/^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)) {
    return `the gateway at ${address} is on another machine: that needs wss:`
  }
  return undefined
}

function checked(address: string): string {
  const problem = problemOf(address)
  if (problem !== undefined) throw new TypeError(problem)
  return address
}

function isSame(a: string, b: string): boolean {
  return URL.canParse(b) && new URL(a).href === new URL(b).href
}

function ignored({ url }: Invitation, gateways: readonly string[]): JoinError {
  const where = JSON.stringify(url.slice(0, 200))
  return new JoinError(
    'other-gateway',
    `an invitation of the gateway at ${where} was ignored: this page joins ${gateways.join(', ')}; connect({ gateways }) can list others`,
  )
}

/** Whether this document was opened by a gateway's link. */
export function isInvited(): boolean {
  return documentInvitation !== undefined
}

/**
 * Exchanges the invitation for a key that pages of this origin share, without joining; also if there is a
 * key already, since a key that was made after the gateway's start opens more (testdata/wire.md, "Monitoring").
 * For a start page whose links lead to pages of its own origin. Parameters are those of {@link PageMcp.connect}.
 *
 * @throws JoinError if there is no invitation and no key, the invitation is that of another gateway, or the
 *   gateway refuses
 */
export async function pair(
  gateway?: string | ConnectOptions,
  options?: ConnectOptions,
): Promise<void> {
  const { dial, ignored, token } = webSocket(gateway, options)
  if (token) throw new TypeError('a page with a token is not paired: use connect')
  const connection = connectGateway(dial, {
    open: () => ({ receive() {}, close() {}, end() {} }),
    pageId: async () => '',
    forgotten() {},
    newPageId: async () => '',
    confirm: confirmGateway,
    together: (act) => act(),
    state() {},
  })
  try {
    await connection.joined
  } catch (error) {
    throw error instanceof JoinError && error.reason === 'not-invited' ? (ignored ?? error) : error
  } finally {
    forgetInvitation()
  }
}

// The invitation that a gateway puts into the fragment of a page's URL: the gateway's address and a
// secret. Loading this module reads it and removes it from the address, before other scripts of the
// page run, so that it gets into no history, referrer or bookmark. A reload within two minutes has it, too, until
// the page has joined.

/** An invitation by a gateway; in links `#pagemcp=` and base64url of JSON. */
export interface Invitation {
  /** The WebSocket address of the gateway, `ws:` or `wss:`. Untrusted: anybody can make a link. */
  readonly url: string
  /** The id of the secret. */
  readonly id: string
  /** 32 bytes, base64url. Valid once, for two minutes. */
  readonly secret: string
}

/** Where an invitation is kept for a reload of this tab: `{ text, time }`. */
const storageKey = 'pagemcp.invitation'

/** How long an invitation is valid, ms. */
const validFor = 120_000

/**
 * The invitation in the address that this document was opened with, or that the document had which it has replaced by a
 * reload. It is removed from the address, and stays here until the document ends.
 */
export const documentInvitation: Invitation | undefined = take() ?? kept()

/** Ends keeping the invitation for a reload: the page has joined, or was refused. */
export function forgetInvitation(): void {
  try {
    sessionStorage.removeItem(storageKey)
  } catch {
    // no storage
  }
}

function keep(text: string) {
  try {
    sessionStorage.setItem(storageKey, JSON.stringify({ text, time: Date.now() }))
  } catch {
    // no storage: after a reload the page needs another invitation
  }
}

function kept(): Invitation | undefined {
  try {
    const { text, time } = JSON.parse(sessionStorage.getItem(storageKey) ?? '{}')
    const age = Date.now() - time
    if (typeof text === 'string' && age >= 0 && age < validFor) return decodeInvitation(text)
    forgetInvitation()
  } catch {
    // no storage, or an entry of others
  }
  return undefined
}

function take(): Invitation | undefined {
  if (typeof location === 'undefined' || typeof history === 'undefined') return undefined
  const found = /[#&]pagemcp=([A-Za-z0-9_-]+)/.exec(location.hash)
  if (!found) return undefined
  const rest = location.hash.replace(found[0], '').replace(/^[#&]+/, '')
  const url = new URL(location.href) // whole: a path that begins with // would be another host
  url.hash = rest
  try {
    history.replaceState(history.state, '', url)
  } catch {
    // too many calls, or a document whose address cannot be changed: the app must load all the same
  }
  const text = found[1] as string
  keep(text)
  return decodeInvitation(text)
}

/**
 * Reads an invitation that the user has pasted: a link, or the text after `#pagemcp=` in it. White space
 * around it is ignored.
 *
 * @returns `undefined` if the text is not an invitation
 */
export function parseInvitation(text: string): Invitation | undefined {
  const found = /^(?:[^\s#]*#(?:\S*&)?)?(?:pagemcp=)?([A-Za-z0-9_-]+)$/.exec(text.trim())
  return found ? decodeInvitation(found[1] as string) : undefined
}

/** Decodes the text after `pagemcp=`; `undefined` if it is not an invitation. */
export function decodeInvitation(text: string): Invitation | undefined {
  try {
    const json = new TextDecoder().decode(fromBase64Url(text))
    const { url, id, secret } = JSON.parse(json) as Record<string, unknown>
    if (typeof url !== 'string' || !/^wss?:\/\//.test(url)) return undefined
    if (typeof id !== 'string' || typeof secret !== 'string') return undefined
    return { url, id, secret }
  } catch {
    return undefined
  }
}

/** Asks by the dialog of the package, which is loaded by the first question: see access/dialog.ts. */
export async function confirmGateway(
  question: GatewayQuestion,
  signal?: AbortSignal,
): Promise<boolean> {
  const dialog = await lazily('dialog.js', import('./access/dialog.ts'))
  return dialog.confirmGateway(question, signal)
}

// The ids by which a gateway knows this document. A page is a tab of an app: its id is stored in
// sessionStorage, so that it survives reloads and differs between tabs. `window.open` and duplicating a
// tab copy sessionStorage: a Web Lock decides which of two documents owns the id. An instance is one
// document: it keeps both ids when it returns from the back/forward cache, unless a copy of the tab has
// taken the page id meanwhile.

const instanceKey = 'pagemcp.page'

/** How long a reload waits until the previous document releases the lock. */
const lockTimeout = 1000 // ms

/** The id of this document: 12 random bytes. */
export const instance = randomId()

const profileKey = 'pagemcp.profile'

/**
 * The id of the browser profile at this origin: its tabs share the decisions of one user. Undefined where nothing is
 * stored.
 */
export function profile(): string | undefined {
  try {
    const known = localStorage.getItem(profileKey)
    if (known !== null) return known
    localStorage.setItem(profileKey, randomId())
    return localStorage.getItem(profileKey) ?? undefined // another tab may have stored one at the same time
  } catch {
    return undefined // an opaque origin has no storage
  }
}

let current: Promise<string> | undefined // while it has users
let cached: { id: Promise<string>; claimed: (id: Promise<string>) => void } | undefined // in the back/forward cache
let claiming: AbortController | undefined // ends with the use of the id: then its lock is released
let watching: AbortController | undefined // the window; with `current`
const users = new Set<AbortSignal>()

/**
 * The id of this page. The document owns it, and the lock of {@link lockOf}, until the signal is aborted.
 *
 * @throws the signal's reason, if it is aborted already
 */
export async function pageId(user: AbortSignal): Promise<string> {
  user.throwIfAborted()
  if (!users.has(user)) {
    users.add(user)
    user.addEventListener('abort', () => leave(user), { once: true })
  }
  if (current === undefined) {
    watching = new AbortController()
    globalThis.addEventListener?.('pagehide', releaseWhenCached, watching)
    globalThis.addEventListener?.('pageshow', claimAfterCache, watching)
    return setCurrent((ends) => claim(stored(instanceKey), ends))
  }
  return current
}

/**
 * The present id of this page, for an attempt to join. While the document is in the back/forward cache it waits: a
 * copy of the tab may take the id. Rejects if the id has no users.
 */
export async function presentPageId(): Promise<string> {
  if (current === undefined) throw new Error('the page has left')
  return current
}

/** The last user releases the id; another document may own it until it is used here again. */
function leave(user: AbortSignal) {
  users.delete(user)
  if (users.size > 0) return
  claiming?.abort()
  current = undefined
  cached = undefined
  watching?.abort()
}

/**
 * Replaces the id of this page: a newer document with the same id has joined the gateway. Rejects if the id
 * has no users any more.
 */
export async function newPageId(): Promise<string> {
  if (users.size === 0) throw new Error('the page has left')
  return setCurrent(lockFresh)
}

function setCurrent(make: (ends: AbortSignal) => Promise<string>): Promise<string> {
  claiming?.abort()
  claiming = new AbortController()
  current = make(claiming.signal)
  return current
}

/**
 * Releases the id while the document is in the back/forward cache: a request of another document for
 * the lock would evict it from the cache. The tab's next document may request it.
 */
function releaseWhenCached({ persisted }: PageTransitionEvent) {
  if (!persisted || current === undefined || cached) return
  claiming?.abort()
  const id = current
  current = new Promise((claimed) => {
    cached = { id, claimed }
  })
}

function claimAfterCache({ persisted }: PageTransitionEvent) {
  if (!persisted || cached === undefined) return
  const { id, claimed } = cached
  cached = undefined
  current = id
  claimed(setCurrent(async (ends) => claim(await id, ends)))
}

async function claim(known: string | undefined, ends: AbortSignal): Promise<string> {
  if (known !== undefined && ((await lock(known, ends)) || ends.aborted)) return known
  return lockFresh(ends)
}

async function lockFresh(ends: AbortSignal): Promise<string> {
  const id = store(instanceKey, randomId())
  await lock(id, ends)
  return id
}

/** The name of the Web Lock of an id. */
export const lockOf = (id: string) => `pagemcp:${id}`

/** Acquires the lock of an id, and holds it until the signal is aborted or the document ends. */
async function lock(id: string, ends: AbortSignal): Promise<boolean> {
  if (!('locks' in navigator)) return true // not a secure context: there are no gateways either
  return new Promise((resolve) => {
    const request = (options: LockOptions) =>
      navigator.locks.request(lockOf(id), options, hold).catch(() => resolve(false))
    const hold = (lock: Lock | null) => {
      if (lock === null) {
        request({ signal: AbortSignal.any([AbortSignal.timeout(lockTimeout), ends]) })
        return
      }
      resolve(true)
      return new Promise<void>((release) => {
        if (ends.aborted) release()
        ends.addEventListener('abort', () => release(), { once: true })
      })
    }
    request({ ifAvailable: true }) // without a limit: a busy browser may answer late, and the id is ours all the same
  })
}

/** A value that is stored for the tab. */
function stored(key: string): string | undefined {
  try {
    return sessionStorage.getItem(key) ?? undefined
  } catch {
    return undefined // an opaque origin has no storage
  }
}

function store(key: string, value: string): string {
  try {
    sessionStorage.setItem(key, value)
  } catch {
    // then the value ends with the document
  }
  return value
}

function randomId(): string {
  return toBase64Url(crypto.getRandomValues(new Uint8Array(12)))
}
