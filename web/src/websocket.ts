/**
 * The connection of a page to its gateway: joins, serves, and reconnects.
 * Runs where the engine runs, in a Worker, whose timers a hidden window does not slow.
 */

import type { Client, TextChannel } from './clients.ts'
import type { Invitation } from './connector.ts'
import { fromBase64Url, toBase64Url } from './contents.ts'
import {
  credentials,
  fetchToken,
  firstMessage,
  type GatewayQuestion,
  type JoinToken,
  keepAlive,
  localTerms,
  movedMessage,
  type Pass,
  requestedWait,
  savePairing,
  shortPlace,
  termsOf,
  tokenProtocols,
} from './credentials.ts'
import { blocked, deniedByBrowser, worthTrying } from './receiver.ts'
import { stopwatch } from './replies.ts'

// Timeouts and delays.
const openTimeout = 20_000 // ms until a socket is open; pages of a gateway may wait up to 10 s for their turn
const joinTimeout = 5_000 // ms from then on until joined
const firstDelay = 200 // ms
const longDelay = 2_000 // ms
const slowDelay = 15_000 // ms
const quickRetryTime = 300_000 // ms; then the delay is slow
const refusedDelay = 60_000 // ms; until the user has paired the page
const refusedByBrowserDelay = 30_000 // ms; local network permission
const steadyTime = 30_000 // ms that a page is joined before a loss counts as the first one again

// Sizes.
const maxJoining = 16_384 // UTF-16 code units of a message before joined
const maxBuffered = 16_777_216 // bytes that wait in the socket: the gateway reads too slowly

/** Close codes; testdata/wire.md. */
const codes = {
  normal: 1000,
  unsupported: 4400,
  notMyGateway: 4401,
  refused: 4403,
  tooSlow: 4408,
  replaced: 4409,
  expired: 4410,
  drains: 4412,
  limited: 4429,
} as const

/** One attempt to join, and what follows from it. */
interface Attempt {
  /** `dialled`: the socket is not open yet. */
  is: 'dialled' | 'proving' | 'joining' | 'joined' | 'over'
  readonly credential: Pass['credential'] | JoinToken
  /** Ends it, once. */
  end(error: string, code?: number): void
  /** Ends it if it was joined, and nothing has come for three pings. */
  endIfSilent(): void
  /** Tells the gateway, once joined, what has changed since it got title and URL. */
  tellPlace(): void
}

export function connectGateway(dial: Dial, host: GatewayHost): Connection {
  const { token } = host
  const ended = new AbortController() // the connection was closed, has paired, or cannot join
  const stopped = ended.signal
  const known = credentials(dial, (question) => host.confirm(question, stopped))
  let everJoined = dial.rejoins ?? false
  let url = dial.invitation?.url ?? dial.gateways[0] ?? ''
  let page = dial.hello?.page
  let present: Attempt | 'preparing' | undefined // undefined: it waits for the timer
  let timer: ReturnType<typeof setTimeout> | undefined
  let failures = 0
  let since = performance.now() // it is away, ms; no clock that is set
  let lastFailure: number | undefined // of a socket that was not opened, by the same clock
  let spread = 0 // ms; the gateway's, once joined
  let mayDial = () => true // false: the gateway has told the page to wait
  let state: GatewayState = { url, is: 'connecting' }
  const { promise: joined, resolve, reject } = Promise.withResolvers<string>()
  joined.catch(() => {}) // the caller may ignore it

  function become(next: Omit<GatewayState, 'url'>) {
    if (state.is === 'closed') return
    if (state.is === next.is && state.name === next.name && state.error === next.error) return
    state = { url, ...next }
    host.state(state)
  }

  function again(delay: number) {
    clearTimeout(timer)
    if (!stopped.aborted) timer = setTimeout(attempt, delay)
  }

  /** The user has to act. The page goes on trying, since that may happen elsewhere. */
  function refuse(...[reason, message]: ConstructorParameters<typeof JoinError>) {
    const error = new JoinError(reason, message)
    const goesOn = !token && dial.hello !== undefined && canJoinLater(error)
    if (!everJoined && !goesOn) ended.abort()
    become({ is: 'refused', error: message })
    reject(error)
    again(withJitter(token ? slowDelay : refusedDelay))
  }

  /** @param atLeast - ms; default: a random part of the gateway's spread */
  function retry(error: string, atLeast = partOf(spread), isAway = everJoined) {
    if (stopped.aborted) return
    if (failures === 0) since = performance.now()
    const growing = Math.min(firstDelay * 2 ** failures++, longDelay)
    become({ is: isAway ? 'away' : 'connecting', error })
    const isLong = performance.now() - since > quickRetryTime
    again(Math.max(withJitter(isLong ? slowDelay : growing), atLeast))
  }

  async function attempt() {
    clearTimeout(timer)
    if (stopped.aborted || present !== undefined) return
    if (globalThis.crypto?.subtle === undefined) {
      refuse('insecure', 'joining a gateway needs https, or http on localhost')
      return
    }
    present = 'preparing'
    try {
      const pass = token
        ? { address: url, credential: { kind: 'token', token: await fetchToken(token) } as const }
        : await known.next()
      if (pass === undefined) {
        const invite = `run pagemcp pair ${globalThis.origin}, and open the link that it prints`
        refuse('not-invited', `not invited by the gateway at ${url}: ${invite}`)
        return
      }
      url = pass.address
      if (dial.hello) page = await host.pageId()
      const isOpen = lastFailure === undefined || (await worthTrying(url, lastFailure))
      if (stopped.aborted) return
      if (isOpen) present = dialNow(pass.credential)
      else retry(`nothing answers at ${url}`)
    } catch (error) {
      retry((error as Error).message, undefined, true)
    } finally {
      if (present === 'preparing') present = undefined
    }
  }

  function dialNow(credential: Attempt['credential']): Attempt | undefined {
    const began = performance.now()
    let ws: WebSocket
    try {
      ws = new WebSocket(
        url,
        credential.kind === 'token' ? tokenProtocols(credential) : [subprotocol],
      )
    } catch (error) {
      // Firefox, when a Content-Security-Policy forbids it.
      retry(`the browser refuses to open ${url}: ${blocked} (${(error as Error).name})`)
      return undefined
    }
    const handshake = credential.kind === 'token' ? undefined : startHandshake(url, credential)
    let client: Client | undefined
    let frames: Sequences | undefined // with client
    let joinedFor = () => 0 // ms
    let stopWatching = () => {}
    let silence = stopwatch()
    let terms = localTerms
    let deadline = setTimeout(() => own.end('nothing answered in time'), openTimeout)

    const own: Attempt = {
      is: 'dialled',
      credential,
      end: (error, code) => over(error, code, false),
      endIfSilent() {
        if (own.is === 'joined' && silence() > 3 * terms.ping) own.end(silent())
      },
      tellPlace() {
        if (own.is !== 'joined' || !dial.hello || told === dial.hello) return
        told = dial.hello
        ws.send(movedMessage(told))
      },
    }

    function over(error: string, code: number | undefined, isTheirs: boolean) {
      const { is } = own
      if (is === 'over') return
      own.is = 'over'
      clearTimeout(deadline)
      stopWatching()
      if (joinedFor() > steadyTime) failures = 0
      if (is === 'dialled') lastFailure = performance.now()
      client?.close()
      if (!isTheirs) ws.close(code)
      if (present === own) present = undefined
      const isQuick = is === 'dialled' && performance.now() - began < 50
      react(error, code, own, is, isQuick).catch((reason) => retry(String(reason)))
    }

    let told: Hello | undefined
    const helloNow = () => {
      told = dial.hello
      return told && { ...told, ...shortPlace(told), page: page ?? told.page }
    }

    async function receive(text: string) {
      if (text.length > maxJoining) throw new Error('too long')
      const message: unknown = JSON.parse(text)
      if (typeof message !== 'object' || message === null) throw new Error('not an object')
      if (own.is === 'proving') {
        own.is = 'joining'
        const hello = helloNow()
        const answer = await handshake?.prove(message, hello && { hello, sequences: true })
        if (answer !== undefined && !isOver()) ws.send(answer)
        return
      }
      if (own.is !== 'joining') return
      const {
        name,
        sequences: isAllowed,
        pairing,
      } = {
        pairing: undefined,
        ...(handshake?.finish(message) ?? readJoined(message)),
      }
      if (!handshake) {
        if (name === '') throw new Error('no name')
        terms = termsOf(message)
      }
      clearTimeout(deadline)
      own.is = 'joined'
      everJoined = true
      spread = terms.spread
      joinedFor = stopwatch()
      if (dial.hello === undefined) {
        await paired(pairing)
        return
      }
      const send = (frame: string) => {
        ws.send(frame)
        if (ws.bufferedAmount > maxBuffered) {
          own.end('the gateway reads too slowly', codes.tooSlow)
        }
      }
      frames = sequences((text) => client?.receive(text), send, isAllowed)
      client = host.open({
        send: frames.send,
        lost: () => own.end('the engine was restarted', codes.normal),
      })
      stopWatching = keepAlive(
        terms,
        () => silence(),
        () => own.end(silent()),
        async () => {
          const next = await fetchToken(token ?? (() => ''))
          if (!isOver()) ws.send(JSON.stringify({ pagemcp: 1, token: next }))
        },
      )
      known.joined(pairing)
      if (pairing) await savePairing(pairing)
      if (isOver()) return
      own.tellPlace()
      become({ is: 'joined', name })
      resolve(name)
    }
    const isOver = () => own.is === 'over'
    const silent = () => `no message for ${(3 * terms.ping) / 1000} s`

    /** The page only wants a key: with an invitation, the new one. */
    async function paired(pairing: Parameters<typeof savePairing>[0] | undefined) {
      const renews = credential.kind !== 'token' && known.renews(credential)
      if (!renews) {
        known.joined(pairing)
        ended.abort() // the gateway closes the socket now
      }
      if (pairing) await savePairing(pairing)
      own.end(renews ? 'the invitation comes next' : 'paired', codes.normal)
      if (!renews) resolve('')
    }

    // One message after the other: later ones wait while a proof is checked.
    let order = Promise.resolve()
    ws.onopen = () => {
      clearTimeout(deadline)
      if (ws.protocol !== subprotocol) {
        own.end('no gateway answered', codes.unsupported)
        return
      }
      deadline = setTimeout(() => own.end('joining took too long'), joinTimeout)
      lastFailure = undefined
      own.is = handshake ? 'proving' : 'joining'
      ws.send(handshake?.firstMessage ?? firstMessage(helloNow()))
    }
    ws.onmessage = ({ data }: MessageEvent<unknown>) => {
      silence = stopwatch()
      if (isOver()) return
      if (typeof data !== 'string') {
        own.end('the gateway sent a binary frame', codes.unsupported)
      } else if (client) {
        host.together(() => frames?.receive(data))
      } else {
        order = order
          .then(() => receive(data))
          .catch((error) => {
            const isStranger = error instanceof JoinError && error.reason === 'not-my-gateway'
            if (isStranger) own.end(error.message, codes.notMyGateway)
            else own.end('the gateway does not speak this protocol', codes.unsupported)
          })
      }
    }
    ws.onclose = ({ code, reason }) =>
      over(
        reason || (own.is === 'dialled' ? unreachable(url) : 'the connection was lost'),
        code,
        true,
      )
    // Chromium, when a Content-Security-Policy forbids it: no close event follows. Otherwise one does,
    // and says more.
    ws.onerror = () => {
      const refused = () => own.end(`the browser did not open ${url}: ${blocked}`)
      if (ws.readyState === WebSocket.CONNECTING) refused()
      else setTimeout(refused, 100)
    }
    return own
  }

  /** Reacts to the end of an attempt, which was `is` before: gives up, tries another credential, or retries. */
  async function react(
    error: string,
    code: number | undefined,
    { credential }: Attempt,
    is: Attempt['is'],
    isQuick: boolean,
  ) {
    if (stopped.aborted) return
    const isStranger = code === codes.notMyGateway
    switch (code) {
      case codes.replaced:
        if (page !== undefined) await host.newPageId()
        break
      case codes.expired: {
        const isFirst = failures === 0
        retry('the token of this page has expired')
        if (isFirst) again(0)
        return
      }
      case codes.drains:
      case codes.limited: {
        const wait = requestedWait(error) * Math.random()
        const passed = stopwatch()
        mayDial = () => passed() > wait
        const why = code === codes.drains ? 'is being restarted' : 'has reached a limit'
        const text = `the gateway ${why}: this page joins again in ${Math.ceil(wait / 1000)} s`
        retry(text, wait, true)
        return
      }
      case codes.refused:
      case codes.notMyGateway: {
        if (!isStranger && credential.kind === 'key') host.forgotten()
        const hasOther =
          credential.kind !== 'token' && (await known.refused(credential, isStranger))
        if (stopped.aborted) return
        if (hasOther) return again(withJitter(firstDelay))
        if (!isStranger) {
          const text = `the gateway at ${url} refused this page`
          const advice = `: run pagemcp pair ${globalThis.origin}, and open the link that it prints`
          refuse('refused', token ? text : text + advice)
        } else if (!everJoined) refuse('not-my-gateway', error)
        else retry(error, withJitter(slowDelay)) // another program has its port for now
        return
      }
      case codes.unsupported:
        if (is === 'joined' || everJoined) retry(error, withJitter(slowDelay))
        else {
          const text = `the gateway at ${url} has another version than this page: update the older one`
          refuse('unsupported', text)
        }
        return
    }
    const isDenied = isQuick && url.startsWith('ws:') && (await deniedByBrowser(everJoined))
    retry(error, isDenied ? withJitter(refusedByBrowserDelay) : undefined)
  }

  function close() {
    if (stopped.aborted) return
    ended.abort()
    clearTimeout(timer)
    if (typeof present === 'object') present.end('the connection was closed', codes.normal)
    become({ is: 'closed' })
    reject(new DOMException('the connection was closed', 'AbortError'))
  }

  host.state(state)
  void attempt()
  return {
    joined,
    wake() {
      if (stopped.aborted) return
      if (typeof present === 'object') present.endIfSilent()
      else if (present === undefined && mayDial()) {
        failures = 0
        void attempt()
      }
    },
    moved({ title, url }) {
      const { hello } = dial
      if (!hello || (hello.title === title && hello.url === url)) return
      dial = { ...dial, hello: { ...hello, title, url } }
      if (typeof present === 'object') present.tellPlace()
    },
    close,
  }
}

/** A gateway of this machine answers no origin that it does not know. */
function unreachable(url: string): string {
  if (!url.startsWith('ws:')) return `cannot reach ${url}`
  return `cannot reach ${url}: is the gateway running, and does it know this page? Run pagemcp pair ${globalThis.origin}, and open the link that it prints`
}

const withJitter = (delay: number) => delay * (0.75 + Math.random() / 2)

/** A random time from the first delay up to `spread`, ms. */
const partOf = (spread: number) =>
  spread === 0 ? 0 : firstDelay + Math.random() * (spread - firstDelay)

// Several messages in one frame of the gateway's WebSocket: a JSON text sequence (RFC 7464), each message after
// a separator, which cannot occur in JSON text. What the browser does for one frame costs more than most messages.

export interface Sequences {
  /** Receives a frame: one message, or several. */
  receive(frame: string): void
  /** Sends a message. Those that are sent while a frame is received, or by microtasks of one task, share a frame. */
  send(message: string): void
}

/** U+001E, the record separator. */
export const separator = '\x1e'

/** The size up to which messages are put into one frame. */
const maxSequence = 64 << 10 // UTF-16 code units

/**
 * @param receive - gets each message, and does not throw
 * @param send - sends a frame
 * @param isAllowed - whether the gateway reads several messages in one frame
 */
export function sequences(
  receive: (message: string) => void,
  send: (frame: string) => void,
  isAllowed: boolean,
): Sequences {
  let gathered: string[] = []
  let size = 0
  let willFlush = false

  const flush = () => {
    const messages = gathered
    gathered = []
    size = 0
    willFlush = false
    if (messages.length === 1) send(messages[0] as string)
    else if (messages.length > 1) send(separator + messages.join(separator))
  }

  return {
    receive(frame) {
      if (!frame.startsWith(separator)) {
        receive(frame)
        return
      }
      for (const message of frame.slice(1).split(separator)) receive(message)
    },
    send(message) {
      if (!isAllowed) {
        send(message)
        return
      }
      if (size + message.length > maxSequence) flush()
      gathered.push(message)
      size += message.length
      if (willFlush) return
      willFlush = true
      queueMicrotask(flush)
    },
  }
}

// The connection of a page to its gateway, as others see it.

/** How to reach a gateway. Can be cloned to the Worker. */
export interface Dial {
  /** Addresses that the app names, at least one; never taken from a link. */
  readonly gateways: readonly string[]
  /** Of one of these gateways. */
  readonly invitation?: Invitation
  /** The user has chosen the invitation: it replaces a key without confirmation. */
  readonly isChosen?: boolean
  /** The page joins with tokens of its app, and with nothing else; there is one gateway then. */
  readonly hasToken?: true
  /** The page has joined before, with an engine's thread that has ended. */
  readonly rejoins?: true
  /** The description of the page; without it, the page is paired and not joined. */
  readonly hello?: Hello
}

/** The state of a connection. */
export interface GatewayState {
  readonly url: string
  readonly is: 'connecting' | 'joined' | 'away' | 'refused' | 'closed'
  /** The page's name at the gateway, once joined: `notes`, `notes-2`. */
  readonly name?: string
  /** Why it is away or refused, as a text for people. */
  readonly error?: string
}

/** The functions that a connection needs from the engine and the page. */
export interface GatewayHost {
  /** Serves the gateway as a client. */
  open(channel: TextChannel): Client
  /** The present page id: a document that returns from the back/forward cache may have lost the one that it had. */
  pageId(): Promise<string>
  /** Replaces the page id: a newer document has the present one. */
  newPageId(): Promise<string>
  /** The gateway has refused the key of the page: it has forgotten the app. */
  forgotten(): void
  /** Lets the user confirm that the page leaves the gateway that it has a key for. */
  confirm(question: GatewayQuestion, signal: AbortSignal): Promise<boolean>
  /** For {@link Dial.hasToken}: the app's function for a token; its result is checked. */
  token?(): unknown
  /** Runs `act`, and passes the calls to other threads that it makes on together. */
  together(act: () => void): void
  state(state: GatewayState): void
}

export interface Connection {
  /** Resolves when the page has joined for the first time; rejects with a {@link JoinError}. */
  readonly joined: Promise<string>
  /** Reconnects now: the network has returned, or the page is shown again. */
  wake(): void
  /** Tells the gateway, also a later one. */
  moved(place: Place): void
  close(): void
}

// The handshake by which a page joins a gateway: a mutual proof of knowledge of a secret that the user
// carried from one to the other. The gateway proves first, and neither sends the secret.
// testdata/wire.md describes the messages.
//
// page     {"pagemcp":1, nonce, address, secret: its id}      or "key": the id of a saved key
// gateway  {gateway, nonce, proof}
// page     {proof, hello, sequences}                         with a secret also "key": the id that its key shall have
// gateway  {joined: the page's name, key: id, sequences}

/** The subprotocol of the WebSocket. */
export const subprotocol = 'pagemcp.v1'

/** What a page proves itself with: the secret of an invitation, or a saved key. */
export type Credential =
  | {
      readonly kind: 'secret'
      readonly id: string
      readonly secret: string
      /** The id that the key of the secret shall have: 16 to 32 bytes, base64url. Default: the gateway chooses one. */
      readonly keyId?: string
      /** The secret was used: join with its key, which has {@link keyId} if a document of this profile used it. */
      readonly isUsed?: boolean
    }
  | {
      readonly kind: 'key'
      readonly id: string
      readonly gateway: string
      readonly key: CryptoKey
    }

/** Where a document is, and what it shows: changes while it is joined. */
export interface Place {
  title?: string | undefined
  /** Without query and fragment. */
  url: string
}

/** Describes the page to the gateway, after both proofs. */
export interface Hello extends Place {
  page: string
  instance: string
  /** For gateways whose pages have no keys: a key is of one profile. */
  profile?: string
  name: string
  engine: string
}

/** A key that page and gateway share after the first handshake. */
export interface Pairing {
  /** The WebSocket address of the gateway that the page uses the key for. */
  readonly address: string
  /** The gateway's own id. */
  readonly gateway: string
  readonly keyId: string
  /** HMAC-SHA-256, not extractable. */
  readonly key: CryptoKey
}

/** Why a page cannot join; a retry would not help. */
export type JoinReason =
  /** There is neither an invitation nor a saved key: open the page by the gateway's link. */
  | 'not-invited'
  /** The secret or the key is not valid any more, or the page's origin is not on the gateway's list. */
  | 'refused'
  /** The page was opened with an invitation of a gateway that the app does not name; it was ignored. */
  | 'other-gateway'
  /** The program at that address does not know the secret. */
  | 'not-my-gateway'
  /** The gateway does not support the version of this page. */
  | 'unsupported'
  /** WebCrypto needs a secure context: https, or http on localhost. */
  | 'insecure'

/** The page could not join a gateway, for a {@link JoinReason}. */
export class JoinError extends Error {
  override readonly name = 'JoinError'
  readonly reason: JoinReason

  constructor(reason: JoinReason, message: string) {
    super(message)
    this.reason = reason
  }
}

/**
 * Whether a page goes on trying after an error of joining: its user may pair it later, also in another tab. Not
 * without a secure context, and not a page with tokens, or one that only pairs.
 */
export function canJoinLater(error: unknown): boolean {
  const { name, reason } = error as Partial<JoinError>
  return name === 'JoinError' && reason !== 'insecure'
}

/**
 * What the connection is for after both proofs: to serve a page, or `open`: `watch` for the gateway's
 * traffic, or an MCP endpoint such as `/mcp` or `/mcp/notes`.
 */
export type ConnectionPurpose =
  /** `sequences`: the page reads several messages in one frame. */
  { readonly hello: Hello; readonly sequences?: true } | { readonly open: string }

/** The page's side of one handshake, message by message. */
export interface Handshake {
  /** The first message, JSON text; to be sent when the socket is open. */
  readonly firstMessage: string
  /**
   * Checks the gateway's proof.
   *
   * @param message - the gateway's first message, parsed
   * @param purpose - default: only to make a key
   * @returns the answer to send, JSON text
   * @throws JoinError `not-my-gateway` if the proof is wrong
   */
  prove(message: unknown, purpose?: ConnectionPurpose): Promise<string>
  /**
   * Reads the gateway's second message, parsed: the name that it gave the page, the key to save, and whether it
   * reads several messages in one frame.
   *
   * @throws JoinError `not-my-gateway` if {@link Handshake.prove} did not succeed before
   */
  finish(message: unknown): { name: string; pairing: Pairing; sequences: boolean }
}

/**
 * Starts the page's side of a handshake. Needs WebCrypto, hence a secure context.
 *
 * @param address - the WebSocket address that the page opens; part of both proofs
 */
export function startHandshake(address: string, credential: Credential): Handshake {
  const mine = crypto.getRandomValues(new Uint8Array(32))
  let known: { gateway: string; key: CryptoKey } | undefined
  const { kind, id } = credential
  const { keyId, isUsed = false } = credential.kind === 'secret' ? credential : {}

  return {
    firstMessage: JSON.stringify({
      pagemcp: 1,
      nonce: toBase64Url(mine),
      address,
      ...(isUsed ? { key: keyId } : { [kind]: id }),
    }),

    async prove(message, purpose) {
      const { gateway, nonce, proof } = message as Record<string, unknown>
      if (typeof gateway !== 'string' || typeof nonce !== 'string' || typeof proof !== 'string') {
        throw unknownGateway(address)
      }
      if (credential.kind === 'key' && credential.gateway !== gateway) throw unknownGateway(address)
      const key = credential.kind === 'key' ? credential.key : await derive(credential, gateway)
      const parts = [mine, decoded(nonce), utf8(self.origin), utf8(gateway), utf8(address)]
      const isRight = await crypto.subtle.verify(
        'HMAC',
        key,
        decoded(proof),
        prefixed([utf8('pagemcp/1 gateway'), ...parts]),
      )
      if (!isRight) throw unknownGateway(address)
      known = { gateway, key }
      const own = await crypto.subtle.sign(
        'HMAC',
        key,
        prefixed([utf8('pagemcp/1 page'), ...parts]),
      )
      const proofOfPage = toBase64Url(new Uint8Array(own))
      const answer = { proof: proofOfPage, hello: null, key: isUsed ? undefined : keyId }
      return JSON.stringify({ ...answer, ...(purpose ?? { pair: true }) })
    },

    finish(message) {
      const { key: keyId } = message as Record<string, unknown>
      if (typeof keyId !== 'string' || known === undefined) throw unknownGateway(address)
      return { ...readJoined(message), pairing: { address, keyId, ...known } }
    },
  }
}

/** Reads what all gateways send as their last message of the handshake, parsed. `name` is empty for a page that only pairs. */
export function readJoined(message: unknown): { name: string; sequences: boolean } {
  const { joined, sequences } = message as Record<string, unknown>
  return { name: typeof joined === 'string' ? joined : '', sequences: sequences === true }
}

function unknownGateway(address: string): JoinError {
  return new JoinError(
    'not-my-gateway',
    `not my gateway at ${address}: its proof is wrong; which program has this port?`,
  )
}

/** HKDF-SHA-256 (RFC 5869): a key for this origin and this gateway, not extractable. */
async function derive({ secret }: { secret: string }, gateway: string): Promise<CryptoKey> {
  const material = await crypto.subtle.importKey('raw', decoded(secret), 'HKDF', false, [
    'deriveKey',
  ])
  const info = utf8(`pagemcp/1 key ${self.origin}`)
  return crypto.subtle.deriveKey(
    { name: 'HKDF', hash: 'SHA-256', salt: utf8(gateway), info },
    material,
    { name: 'HMAC', hash: 'SHA-256', length: 256 },
    false,
    ['sign', 'verify'],
  )
}

/** Each part after its length in four bytes: different lists of parts have different bytes. */
function prefixed(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + 4 + part.length, 0))
  const view = new DataView(all.buffer)
  let at = 0
  for (const part of parts) {
    view.setUint32(at, part.length)
    all.set(part, at + 4)
    at += 4 + part.length
  }
  return all
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function decoded(text: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64Url(text)
  } catch {
    return new Uint8Array(0) // proves nothing
  }
}
