/**
 * The connection of a page to its gateway: joins, serves, and reconnects.
 * Runs where the engine runs, in a Worker, whose timers a hidden window does not slow.
 */

import type { Client } from './clients.ts'
import { credentials, type Pass } from './credentials.ts'
import type { Connection, Dial, GatewayHost, GatewayState } from './gateway-types.ts'
import { canJoinLater, JoinError, readJoined, startHandshake, subprotocol } from './handshake.ts'
import {
  fetchToken,
  firstMessage,
  type JoinToken,
  keepAlive,
  localTerms,
  requestedWait,
  termsOf,
  tokenProtocols,
} from './join-token.ts'
import { savePairing } from './pairings.ts'
import { blocked, deniedByBrowser, worthTrying } from './reach.ts'
import { type Sequences, sequences } from './sequences.ts'
import { stopwatch } from './stopwatch.ts'

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

/** Close codes; web/docs/protocol.md. */
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

    const helloNow = () => dial.hello && { ...dial.hello, page: page ?? dial.hello.page }

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
