/** Sends the set of malformed messages to a server, one after the other, and judges what comes back. */

import { Connection } from '../connections/connection.ts'
import { setClientName } from '../connections/names.ts'
import type { Dialer } from '../connections/transport.ts'
import type { Store } from '../messages/store.ts'
import { isModern, type Params, type Revision } from '../protocol/revisions.ts'
import { type Malformed, malformedSet } from './malformed.ts'
import { type Bounds, isObject, Peer, type Reply, Stopped } from './peer.ts'

const responseTimeout = 5_000 // ms
const maxDuration = 60_000 // ms
const maxMessages = 300 // sent: a set, a request after each message, and new connections
const maxBytes = 8_000_000 // received
/** After so many messages whose following request got no response the server is taken as gone. */
const maxSilence = 3

/** `none`: the server does not offer what the message is about. */
export type Verdict = 'passed' | 'failed' | 'none'

/** What happened to one message. */
export interface SetResult extends Malformed {
  verdict: Verdict
  /** The code of the error, and the server's words; undefined: there was none. */
  code?: number
  message?: string
  /** HTTP status, if there is one. */
  status?: number
  /** The response, unchanged; `''`: there was none. */
  response: string
  /** Why there was none, if that is known. */
  reason: string
  /** The row of the response, or of the message; -1: it was not sent. */
  row: number
}

export interface SetRun {
  server: string
  revision: Revision
  transport: Dialer['kind']
  /** ms since 1970 */
  started: number
  /** Why the run ended early; `''`: it did not. */
  stopped: string
  results: readonly SetResult[]
}

export interface SetOptions {
  store: Store
  signal: AbortSignal
  /** ms that a response may take. */
  timeout?: number
  /** Called after each message, with the part that is done. */
  progressed?(part: number): void
}

export async function runSet(
  dialer: Dialer,
  revision: Revision,
  { store, signal, timeout = responseTimeout, progressed }: SetOptions,
): Promise<SetRun> {
  const bounds: Bounds = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(maxDuration)]),
    messages: maxMessages,
    bytes: maxBytes,
    timeout,
  }
  const open: Peer[] = []
  const connect = async (to: Dialer): Promise<{ peer: Peer; capabilities?: Params }> => {
    const connection = new Connection(to, 'T', store)
    setClientName(connection.id, { letter: 'T', title: dialer.title })
    const peer = new Peer(connection, isModern(revision) ? 'E' : 'D', bounds, store)
    open.push(peer)
    await connection.open()
    if (!peer.isOpen) throw new Refused(peer.reason)
    if (to !== dialer) return { peer } // its headers fit no other message
    const { result } = await peer.handshake(revision)
    if (!result || (!isModern(revision) && result.protocolVersion !== revision))
      throw new Refused(`The server does not support ${revision}.`)
    return { peer, capabilities: isObject(result.capabilities) ? result.capabilities : {} }
  }
  const started = Date.now()
  const set = malformedSet(revision, dialer.kind)
  const results: SetResult[] = []
  let stopped = ''
  let silence = 0
  try {
    const { peer: first, capabilities = {} } = await connect(dialer)
    let main = first
    for (const one of set) {
      if (one.needs && !capabilities[one.needs]) {
        results.push({ ...one, verdict: 'none', response: '', reason: one.needs, row: -1 })
      } else if (one.headers) {
        const other = dialer.withHeaders?.(one.headers)
        const { peer } = await connect(other ?? dialer)
        results.push(await send(one, peer, store))
        peer.close()
      } else {
        if (!main.isOpen) main = (await connect(dialer)).peer
        const result = await send(one, main, store)
        results.push(result)
        silence = main.isOpen && !result.answers ? silence + 1 : 0
        if (silence >= maxSilence) throw new Refused('The server does not respond.')
      }
      progressed?.(results.length / set.length)
    }
  } catch (error) {
    if (error instanceof Refused) stopped = error.message
    else if (!(error instanceof Stopped)) throw error
    else stopped = signal.aborted ? 'Stopped.' : 'The limit of time or messages was reached.'
  } finally {
    for (const peer of open) peer.close()
  }
  const server = dialer.url || dialer.title
  return { server, revision, transport: dialer.kind, started, stopped, results }
}

/** The server cannot be tried, or no further. */
class Refused extends Error {}

/** Sends one message. `answers`: the server responded to it, or to the request after it. */
async function send(
  one: Malformed,
  peer: Peer,
  store: Store,
): Promise<SetResult & { answers: boolean }> {
  const from = peer.got.length
  // Headers that replace others would be sent with the following request, too.
  const [reply] = one.headers
    ? [await only(peer, one)]
    : await peer.raw(one.text, { expected: one.codes.length > 0 })
  const { row = -1, text = '', error, result } = reply ?? {}
  const failure = peer.got.slice(from).find(({ message }) => message.failed === one.text)
  const reason = text
    ? ''
    : failure
      ? store.raw(failure.row).replace(/^failed: /, '')
      : peer.isOpen
        ? ''
        : `The connection closed. ${peer.reason}`.trim()
  return {
    ...one,
    verdict: isExpected(one, peer, text, { error, result, reason }) ? 'passed' : 'failed',
    ...(error && { code: error.code, message: String(error.message) }),
    ...(row >= 0 && { status: peer.status(row) }),
    response: text,
    reason,
    row: failure && !text ? failure.row : row,
    answers: text !== '' || peer.got.length > from,
  }
}

/** Sends a message alone, and waits for its response or its failure. */
async function only(peer: Peer, { text }: Malformed): Promise<Reply> {
  const { method, params, id } = JSON.parse(text) as { method: string; params: Params; id: unknown }
  const { _meta, ...rest } = params
  return peer.ask(method, rest, { id })
}

function isExpected(
  { codes }: Malformed,
  { kind, isOpen }: Peer,
  text: string,
  { error, result, reason }: { error?: Reply['error']; result?: Params; reason: string },
): boolean {
  if (codes.length > 0) return error !== undefined && codes.includes(error.code)
  // HTTP may refuse what needs no response, by its status or by an error without an id.
  const refused = kind === 'http' && error !== undefined && !('id' in JSON.parse(text))
  return (
    isOpen && result === undefined && (text === '' ? reason === '' || kind === 'http' : refused)
  )
}
