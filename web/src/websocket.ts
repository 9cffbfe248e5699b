/**
 * The connection of a page to its gateway: joins, serves, and reconnects.
 * Runs where the engine runs, in a Worker by default, whose timers a hidden window does not slow.
 */

import type { Client, TextChannel } from './clients.ts'
import { credentials, type GatewayQuestion, type Pass } from './credentials.ts'
import { type Handshake, type Hello, JoinError, startHandshake, subprotocol } from './handshake.ts'
import type { Invitation } from './invitation.ts'
import { savePairing } from './pairings.ts'
import { blocked, deniedByBrowser, reach } from './reach.ts'
import { type Sequences, sequences } from './sequences.ts'

/** How to reach a gateway; made by `webSocket`. Can be cloned to the Worker. */
export interface Dial {
  /** Addresses that the app names, at least one; never taken from a link. */
  readonly gateways: readonly string[]
  /** Of one of these gateways. */
  readonly invitation?: Invitation
  /** The user has chosen the invitation: it replaces a key without confirmation. */
  readonly isChosen?: boolean
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
  /** Replaces the page id: a newer document has the present one. */
  newPageId(): Promise<string>
  /** Lets the user confirm that the page leaves the gateway that it has a key for. */
  confirm(question: GatewayQuestion, signal: AbortSignal): Promise<boolean>
  /** Runs `act`, and passes the calls to other threads that it makes on together. */
  together(act: () => void): void
  state(state: GatewayState): void
}

export interface Connection {
  /** Resolves when the page has joined for the first time; rejects with a {@link JoinError}. */
  readonly joined: Promise<string>
  /** Reconnects now: the network has returned, or the page is shown again. */
  wake(): void
  close(): void
}

// Timeouts and delays.
const openTimeout = 10_000 // ms until a socket is open
const joinTimeout = 5_000 // ms from then on until joined
const silence = 45_000 // ms without a message: dead, at the next wake
const firstDelay = 200 // ms
const longDelay = 2_000 // ms, for five minutes
const quickRetryTime = 300_000 // ms
const slowDelay = 15_000 // ms, from then on
const closedTime = 10_000 // ms that hello.closed is true for: later such a tab may have been opened again
const refusedByBrowserDelay = 30_000 // ms; local network permission

// Sizes.
const maxJoining = 4096 // UTF-16 code units of a message before joined
const maxBuffered = 16 << 20 // bytes that wait in the socket: the gateway reads too slowly

/** Close codes; web/docs/protocol.md. */
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
  let everJoined = false
  let page = dial.hello?.page
  let url = dial.invitation?.url ?? dial.gateways[0] ?? ''
  const created = stopwatch()
  const ended = new AbortController() // with `stopped`
  const known = credentials(dial, (question) => host.confirm(question, ended.signal))
  let failures = 0
  let since = performance.now() // it is away, ms; no clock that is set
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastHeard = stopwatch()
  let busy = false // getting ready to dial
  const reaching = reach()
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

  /** Ends it for good. */
  function giveUp(error: JoinError) {
    stopped = true
    ended.abort()
    clearTimeout(timer)
    become({ is: 'refused', error: error.message })
    reject(error)
  }

  function retry(error: string, atLeast = 0) {
    if (stopped) return
    if (failures === 0) since = performance.now()
    const growing = Math.min(firstDelay * 2 ** failures, longDelay)
    const delay = performance.now() - since > quickRetryTime ? slowDelay : growing
    failures++
    become({ is: everJoined ? 'away' : 'connecting', error })
    again(Math.max(delay, atLeast))
  }

  function again(delay: number) {
    clearTimeout(timer)
    if (!stopped) timer = setTimeout(attempt, delay * (0.75 + Math.random() / 2))
  }

  async function attempt() {
    clearTimeout(timer)
    if (stopped || socket !== undefined || busy) return
    if (globalThis.crypto?.subtle === undefined) {
      giveUp(new JoinError('insecure', 'joining a gateway needs https, or http on localhost'))
      return
    }
    busy = true
    const pass = await known.next()
    if (pass) url = pass.address
    const reachable = pass !== undefined && (await reaching.worthTrying(url))
    busy = false
    if (stopped) return
    if (pass === undefined) {
      giveUp(
        new JoinError(
          'not-invited',
          `not invited by the gateway at ${url}: open the page by the link that the gateway prints, pagemcp serve --allow-origin ${globalThis.origin}`,
        ),
      )
    } else if (reachable) {
      dialNow(pass)
    } else {
      retry(`nothing answers at ${url}`)
    }
  }

  function dialNow({ credential }: Pass) {
    const began = performance.now()
    let ws: WebSocket
    try {
      ws = new WebSocket(url, [subprotocol])
    } catch (error) {
      // Firefox, when a Content-Security-Policy forbids it.
      retry(`the browser refuses to open ${url}: ${blocked} (${(error as Error).name})`)
      return
    }
    socket = ws
    let handshake: Handshake | undefined
    let frames: Sequences | undefined // set with client
    let step = 0
    let over = false
    let deadline = setTimeout(() => end('nothing answered in time'), openTimeout)

    /** Ends the socket once: after an error without close, a close, or a timeout. */
    const end = (error: string, code?: number, theirs = false) => {
      if (over) return
      over = true
      clearTimeout(deadline)
      if (socket === ws) socket = undefined
      if (step === 0) reaching.failed()
      drop = undefined
      client?.close()
      client = undefined
      if (!theirs) ws.close(code)
      closed(error, code).catch((reason) => retry(String(reason)))
    }

    drop = end

    /** Handles a close by its code: gives up, tries another credential, or retries. */
    const closed = async (error: string, code: number | undefined) => {
      if (stopped) return
      if (code === closeCodes.replaced && page !== undefined) page = await host.newPageId()
      if (stopped) return
      if (code === closeCodes.refused || code === closeCodes.notMyGateway) {
        const hasOther = await known.refused(credential)
        if (stopped) return
        if (hasOther) {
          again(firstDelay)
          return
        }
        const wrong = code === closeCodes.notMyGateway
        const text = wrong ? error : `the gateway at ${url} refused this page`
        if (!everJoined) {
          giveUp(new JoinError(wrong ? 'not-my-gateway' : 'refused', text))
          return
        }
        if (!wrong) {
          // The key was revoked, or another program has the gateway's port for now.
          become({ is: 'refused', error: text })
          again(slowDelay)
          return
        }
      }
      if (code === closeCodes.unsupported && step < 3 && !everJoined) {
        giveUp(new JoinError('unsupported', `the gateway at ${url} speaks another version`))
        return
      }
      if (code === closeCodes.unsupported || code === closeCodes.notMyGateway) {
        retry(error, slowDelay) // another program has its port for now
        return
      }
      const quick = step === 0 && performance.now() - began < 50
      retry(error, quick && (await deniedByBrowser(everJoined)) ? refusedByBrowserDelay : 0)
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
        const isRecent = !everJoined && created() < closedTime
        const hello = dial.hello && {
          ...dial.hello,
          page: page ?? dial.hello.page,
          closed: isRecent ? dial.hello.closed : [],
        }
        const answer = await handshake?.prove(message, hello && { hello, sequences: true })
        if (!over && answer !== undefined) ws.send(answer)
      } else if (step === 2 && handshake && !over) {
        step = 3
        const { name, pairing, sequences: isAllowed } = handshake.finish(message)
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
        failures = 0
        const pairsOnly = dial.hello === undefined
        const renews = pairsOnly && known.renews(credential)
        if (!renews) {
          known.joined()
          stopped ||= pairsOnly // the gateway closes the socket now
        }
        await savePairing(pairing)
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
      handshake = startHandshake(url, credential)
      step = 1
      ws.send(handshake.firstMessage)
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
      drop?.('no message for 45 s')
    } else if (socket === undefined) {
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

/**
 * Measures elapsed time in ms, by the clock that shows more: `Date` may be set back, `performance.now()` may stop
 * while the machine sleeps.
 */
function stopwatch(): () => number {
  const [date, monotonic] = [Date.now(), performance.now()]
  return () => Math.max(Date.now() - date, performance.now() - monotonic)
}
