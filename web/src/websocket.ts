/**
 * The connection of a page to its gateway: joins, serves, and reconnects.
 * Runs where the engine runs, in a Worker by default, whose timers a hidden window does not slow.
 */

import type { Client } from './clients.ts'
import { type Credentials, credentials, type Pass } from './credentials.ts'
import type { Connection, Dial, GatewayHost, GatewayState, Joined } from './gateway-types.ts'
import {
  type Credential,
  canJoinLater,
  type Handshake,
  type Hello,
  JoinError,
  startHandshake,
  subprotocol,
} from './handshake.ts'
import type { JoinToken, TokenJoining } from './join-token.ts'
import { savePairing } from './pairings.ts'
import { answersHttp, blocked, deniedByBrowser, reach } from './reach.ts'
import { type Sequences, sequences } from './sequences.ts'
import { stopwatch } from './stopwatch.ts'

// Timeouts and delays.
const openTimeout = 10_000 // ms until a socket is open
const queuedOpenTimeout = 20_000 // ms, at a gateway whose pages wait up to 10 s for their turn
const joinTimeout = 5_000 // ms from then on until joined
const maxSilence = 45_000 // ms without a message: dead, at the next wake
const firstDelay = 200 // ms
const longDelay = 2_000 // ms, for five minutes
const quickRetryTime = 300_000 // ms
const slowDelay = 15_000 // ms, from then on
const refusedDelay = 60_000 // ms; until the user has paired the page
const refusedByBrowserDelay = 30_000 // ms; local network permission
const steadyTime = 30_000 // ms that a page with a token is joined before a loss counts as the first one again

const failuresUntilProbe = 3 // quick ones in a row, until the page asks why

// Sizes.
const maxJoining = 16_384 // UTF-16 code units of a message before joined
const maxBuffered = 16_777_216 // bytes that wait in the socket: the gateway reads too slowly

/** Close codes; web/docs/protocol.md. Further ones in join-token.ts. */
const closeCodes = {
  normal: 1000,
  unsupported: 4400,
  notMyGateway: 4401,
  refused: 4403,
  tooSlow: 4408,
  replaced: 4409,
} as const

export function connectGateway(dial: Dial, host: GatewayHost): Connection {
  let socket: WebSocket | undefined
  let client: Client | undefined
  let stopped = false
  let everJoined = dial.rejoins ?? false
  let page = dial.hello?.page
  let url = dial.invitation?.url ?? dial.gateways[0] ?? ''
  const ended = new AbortController() // with `stopped`
  const tokens = dial.hasToken ? host.tokens : undefined
  const known: Credentials<Credential | JoinToken> =
    tokens?.credentials(url) ??
    credentials(dial, (question) => host.confirm(question, ended.signal))
  let failures = 0
  let spread = 0 // ms; the gateway's, once joined with a token
  let silence = maxSilence
  let mayDial = () => true // false: the gateway has told the page to wait
  let since = performance.now() // it is away, ms; no clock that is set
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastHeard = stopwatch()
  let busy = false // getting ready to dial
  const reaching = reach()
  let onlyHttp = false // a program answers, but opens no WebSocket: a gateway does so to origins that it does not know
  let drop: ((error: string, code?: number) => void) | undefined // the present socket
  let state: GatewayState = { url, is: 'connecting' }
  let resolve: (name: string) => void = () => {}
  let reject: (error: unknown) => void = () => {}
  const first = new Promise<string>((yes, no) => {
    resolve = yes
    reject = no
  })
  first.catch(() => {}) // the caller may ignore it

  function become(next: Omit<GatewayState, 'url'>) {
    if (state.is === 'closed') return
    if (state.is === next.is && state.name === next.name && state.error === next.error) return
    state = { url, ...next }
    host.state(state)
  }

  /** The user has to act. The page goes on trying, since that may happen elsewhere. */
  function refuse(error: JoinError) {
    const goesOn = tokens === undefined && dial.hello !== undefined && canJoinLater(error)
    if (!everJoined && !goesOn) {
      stopped = true
      ended.abort()
    }
    become({ is: 'refused', error: error.message })
    reject(error)
    again(withJitter(tokens ? slowDelay : refusedDelay))
  }

  /** @param atLeast - ms; default: a random part of the gateway's spread */
  function retry(error: string, atLeast?: number, isAway = everJoined) {
    if (stopped) return
    if (failures === 0) since = performance.now()
    const growing = Math.min(firstDelay * 2 ** failures, longDelay)
    const delay = performance.now() - since > quickRetryTime ? slowDelay : growing
    failures++
    become({ is: isAway ? 'away' : 'connecting', error })
    again(Math.max(withJitter(delay), atLeast ?? partOf(spread)))
  }

  function again(delay: number) {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(attempt, delay)
  }

  async function attempt() {
    clearTimeout(timer)
    if (stopped || socket !== undefined || busy) return
    if (globalThis.crypto?.subtle === undefined) {
      refuse(new JoinError('insecure', 'joining a gateway needs https, or http on localhost'))
      return
    }
    busy = true
    let pass: Pass<Credential | JoinToken> | undefined
    let reachable = false
    try {
      pass = await known.next()
      if (pass) url = pass.address
      if (pass && dial.hello) page = await host.pageId()
      reachable = pass !== undefined && (await reaching.worthTrying(url))
    } catch (error) {
      retry((error as Error).message, undefined, true)
      return
    } finally {
      busy = false
    }
    if (stopped) return
    if (pass === undefined) {
      refuse(
        new JoinError(
          'not-invited',
          `not invited by the gateway at ${url}: run pagemcp pair ${globalThis.origin}, and open the link that it prints`,
        ),
      )
    } else if (reachable) {
      dialNow(pass)
    } else {
      retry(`nothing answers at ${url}`)
    }
  }

  function dialNow({ credential }: Pass<Credential | JoinToken>) {
    const began = performance.now()
    let ws: WebSocket
    try {
      ws = new WebSocket(
        url,
        (credential.kind === 'token' && tokens?.protocols(credential)) || [subprotocol],
      )
    } catch (error) {
      // Firefox, when a Content-Security-Policy forbids it.
      retry(`the browser refuses to open ${url}: ${blocked} (${(error as Error).name})`)
      return
    }
    socket = ws
    let handshake: Handshake | undefined
    let frames: Sequences | undefined // set with client
    let joinedFor: (() => number) | undefined // ms, with a token
    let stopWatching: (() => void) | undefined
    let step = 0
    let over = false
    let deadline = setTimeout(
      () => end('nothing answered in time'),
      tokens ? queuedOpenTimeout : openTimeout,
    )

    /** Ends the socket once: after an error without close, a close, or a timeout. */
    const end = (error: string, code?: number, theirs = false) => {
      if (over) return
      over = true
      clearTimeout(deadline)
      stopWatching?.()
      if (joinedFor && joinedFor() > steadyTime) failures = 0
      if (socket === ws) socket = undefined
      if (step === 0) reaching.failed()
      drop = undefined
      client?.close()
      client = undefined
      if (!theirs) ws.close(code)
      closed(error, code).catch((reason) => retry(String(reason)))
    }

    drop = end

    const helloNow = (): Hello | undefined =>
      dial.hello && { ...dial.hello, page: page ?? dial.hello.page }

    const finish = (message: unknown): Joined =>
      handshake?.finish(message) ?? (tokens as TokenJoining).finish(message)

    /** Handles a close by its code: gives up, tries another credential, or retries. */
    const closed = async (error: string, code: number | undefined) => {
      if (stopped) return
      if (code === closeCodes.replaced && page !== undefined) await host.newPageId()
      if (stopped) return
      const reaction = tokens?.closed(code, error)
      if (reaction) {
        const { wait } = reaction
        const isFirst = failures === 0
        const passed = stopwatch()
        if (wait !== undefined) mayDial = () => passed() > wait
        retry(reaction.error, wait, everJoined || wait !== undefined)
        if (isFirst && wait === undefined) again(0)
        return
      }
      if (code === closeCodes.refused || code === closeCodes.notMyGateway) {
        const wrong = code === closeCodes.notMyGateway
        if (!wrong && credential.kind === 'key') host.forgotten()
        const hasOther = await known.refused(credential, wrong)
        if (stopped) return
        if (hasOther) {
          again(withJitter(firstDelay))
          return
        }
        const refusal = tokens
          ? `the gateway at ${url} refused this page`
          : `the gateway at ${url} refused this page: run pagemcp pair ${globalThis.origin}, and open the link that it prints`
        const text = wrong ? error : refusal
        if (!wrong || !everJoined) {
          refuse(new JoinError(wrong ? 'not-my-gateway' : 'refused', text))
          return
        }
      }
      if (code === closeCodes.unsupported && step < 3 && !everJoined) {
        refuse(
          new JoinError(
            'unsupported',
            `the gateway at ${url} has another version than this page: update the older one`,
          ),
        )
        return
      }
      if (code === closeCodes.unsupported || code === closeCodes.notMyGateway) {
        retry(error, withJitter(slowDelay)) // another program has its port for now
        return
      }
      const quick = step === 0 && url.startsWith('ws:') && performance.now() - began < 50
      const isDenied = quick && (await deniedByBrowser(everJoined))
      if (quick && !isDenied && failures === failuresUntilProbe) onlyHttp = await answersHttp(url)
      const text =
        step === 0 && onlyHttp
          ? `${error}: its gateway may not know ${globalThis.origin}: run pagemcp pair ${globalThis.origin}, and open the link that it prints`
          : error
      retry(text, isDenied ? withJitter(refusedByBrowserDelay) : undefined)
    }

    const failed = (error: unknown) => {
      if (error instanceof JoinError && error.reason === 'not-my-gateway') {
        end(error.message, closeCodes.notMyGateway)
      } else {
        end('the gateway does not speak this protocol', closeCodes.unsupported)
      }
    }

    const join = async (text: string) => {
      if (text.length > maxJoining) throw new Error('too long')
      const message: unknown = JSON.parse(text)
      if (typeof message !== 'object' || message === null) throw new Error('not an object')
      if (step === 1) {
        step = 2
        const hello = helloNow()
        const answer = await handshake?.prove(message, hello && { hello, sequences: true })
        if (!over && answer !== undefined) ws.send(answer)
      } else if (step === 2 && !over) {
        const { name, pairing, terms, sequences: isAllowed } = finish(message)
        step = 3
        clearTimeout(deadline)
        if (dial.hello) {
          const send = (frame: string) => {
            ws.send(frame)
            if (ws.bufferedAmount > maxBuffered) {
              end('the gateway reads too slowly', closeCodes.tooSlow)
            }
          }
          frames = sequences((text) => client?.receive(text), send, isAllowed)
          client = host.open({
            send: frames.send,
            lost: () => end('the engine was restarted', closeCodes.normal),
          })
        }
        everJoined = true
        if (terms) {
          joinedFor = stopwatch()
          spread = terms.spread
          silence = 3 * terms.ping
          const send = (message: string) => ws.send(message)
          stopWatching = tokens?.keepAlive(terms, () => lastHeard(), end, send)
        } else {
          failures = 0
        }
        const pairsOnly = dial.hello === undefined
        const renews = pairsOnly && known.renews(credential)
        if (!renews) {
          known.joined(pairing)
          stopped ||= pairsOnly // the gateway closes the socket now
        }
        if (pairing) await savePairing(pairing)
        if (renews) end('the invitation comes next', closeCodes.normal)
        if (renews || (over && !pairsOnly)) return
        become({ is: 'joined', name })
        resolve(name)
        if (pairsOnly) end('paired', closeCodes.normal)
      }
    }

    // One message after the other: later ones wait while a proof is checked.
    let order: Promise<void> | undefined
    ws.onopen = () => {
      clearTimeout(deadline)
      if (ws.protocol !== subprotocol) {
        end('no gateway answered', closeCodes.unsupported)
        return
      }
      deadline = setTimeout(() => end('joining took too long'), joinTimeout)
      reaching.opened()
      onlyHttp = false
      if (credential.kind === 'token') {
        step = 2
        ws.send(tokens?.firstMessage(helloNow()) ?? '')
      } else {
        handshake = startHandshake(url, credential)
        step = 1
        ws.send(handshake.firstMessage)
      }
    }
    ws.onmessage = ({ data }: MessageEvent<unknown>) => {
      lastHeard = stopwatch()
      if (over) return
      if (typeof data !== 'string') {
        end('the gateway sent a binary frame', closeCodes.unsupported)
      } else if (client) {
        host.together(() => frames?.receive(data))
      } else if (step < 3) {
        order = (order ?? Promise.resolve()).then(() => join(data)).catch(failed)
      }
    }
    ws.onclose = ({ code, reason }) =>
      end(reason || (step === 0 ? `cannot reach ${url}` : 'the connection was lost'), code, true)
    // Chromium, when a Content-Security-Policy forbids it: no close event follows. Otherwise one does,
    // and says more.
    ws.onerror = () => {
      if (ws.readyState !== WebSocket.CONNECTING) {
        setTimeout(() => end(`the browser did not open ${url}: ${blocked}`), 100)
      } else {
        end(`the browser did not open ${url}: ${blocked}`)
      }
    }
  }

  function wake() {
    if (stopped) return
    if (socket?.readyState === WebSocket.OPEN && lastHeard() > silence && client) {
      drop?.(`no message for ${silence / 1000} s`)
    } else if (socket === undefined && mayDial()) {
      failures = 0
      void attempt()
    }
  }

  function close() {
    if (stopped) return
    stopped = true
    ended.abort()
    clearTimeout(timer)
    drop?.('the connection was closed', closeCodes.normal)
    become({ is: 'closed' })
    reject(new DOMException('the connection was closed', 'AbortError'))
  }

  host.state(state)
  void attempt()
  return { joined: first, wake, close }
}

const withJitter = (delay: number) => delay * (0.75 + Math.random() / 2)

/** A random time from the first delay up to `spread`, ms. */
const partOf = (spread: number) =>
  spread === 0 ? 0 : firstDelay + Math.random() * (spread - firstDelay)
