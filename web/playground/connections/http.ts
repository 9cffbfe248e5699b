/**
 * Streamable HTTP of both eras: a POST per message, with a JSON or event-stream response; in the older
 * revisions also a session, and a stream for messages that belong to no request. Each message decides its era:
 * one with an envelope is modern.
 *
 * Texts are sent and recorded unchanged; HTTP adds headers only. The user's headers, such as `Authorization`,
 * exist in this closure only.
 *
 * @see MCP 2026-07-28 and 2025-11-25, basic/transports, "Streamable HTTP"
 */

import { t } from '../base/i18n.ts'
import type { HttpFacts } from '../messages/entry.ts'
import {
  envelopeVersion,
  type Known,
  mirroredHeaders,
  type Parsed,
  parsed,
  rememberTools,
} from './http-headers.ts'
import { isAuthFailure, isMessage, mismatch, readEvents, rejectionText } from './http-responses.ts'
import { redactUrl, shownHeaders } from './secrets.ts'
import type { Dialer, Transport, TransportEvents } from './transport.ts'

/** Delay before an interrupted stream is reopened, unless the server sends `retry`. */
const reconnectDelay = 3_000 // ms; the TypeScript SDK waits at most 30 s between two tries
const maxDelay = 30_000 // ms
const maxReconnects = 5 // in a row without an event

export interface HttpOptions {
  /** Sent with every request; names and values as `Headers` takes them. */
  headers?: readonly (readonly [string, string])[]
  /** Shown to the user; default: the host. */
  title?: string
}

/** @param url - `http:` or `https:`, without user name and password, which fetch does not take */
export function http(url: string, { headers = [], title }: HttpOptions = {}): Dialer {
  return {
    title: title ?? new URL(url).host,
    kind: 'http',
    url: redactUrl(url),
    framing: 'http',
    dial: async (events) => httpTransport(url, headers, events),
    withHeaders: (more) => http(url, { headers: [...headers, ...more], title }),
  }
}

/** A message that waits for its response. */
interface Sent {
  message: Parsed
  /** Aborted when the request is cancelled. */
  cancelled: AbortSignal
}

function httpTransport(
  url: string,
  own: readonly (readonly [string, string])[],
  events: TransportEvents,
): Transport {
  const shown = redactUrl(url)
  const known: Known = { tools: new Map() }
  const inFlight = new Map<string, AbortController>() // modern requests, by the JSON of their id
  const closing = new AbortController()
  let handshakeDone: Promise<unknown> = Promise.resolve() // the handshake, which the next message waits for
  let hasResponded = false
  let streaming = false

  const close = (reason?: string) => {
    if (closing.signal.aborted) return
    closing.abort()
    if (known.session !== undefined) {
      // With keepalive, the request outlives the page.
      request('DELETE', mirroredHeaders({}, known), { keepalive: true }).catch(() => {})
    }
    events.closed(reason)
  }

  const headersOf = (headers: readonly (readonly [string, string])[]) => {
    const all = new Headers(headers as [string, string][])
    for (const [name, value] of own) all.set(name, value)
    return all
  }

  const request = (
    method: string,
    headers: readonly (readonly [string, string])[],
    init: RequestInit,
  ) =>
    fetch(url, {
      ...init,
      method,
      headers: headersOf(headers),
      cache: 'no-store',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
    })

  const postHeaders = (message: Parsed): [string, string][] => [
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    ...mirroredHeaders(message, known),
  ]

  /** Reports that a text gets no response. If the server never responded, the connection closes. */
  const failed = (text: string, reason: string, forAll = false) => {
    if (closing.signal.aborted) return
    if (forAll && !hasResponded) close(reason)
    else events.failed(text, reason)
  }

  async function post(text: string, message: Parsed): Promise<void> {
    await handshakeDone
    if (closing.signal.aborted) return
    const modern = envelopeVersion(message) !== undefined
    const cancel = new AbortController()
    const key = JSON.stringify(message.id)
    if (modern && message.id !== undefined) inFlight.set(key, cancel)
    try {
      const response = await request('POST', postHeaders(message), {
        body: text,
        signal: AbortSignal.any([cancel.signal, closing.signal]),
      })
      await handleResponse(response, text, { message, cancelled: cancel.signal })
    } catch {
      if (cancel.signal.aborted || closing.signal.aborted) return
      failed(text, t('connections.unreachable', { url: shown }), true)
    } finally {
      if (inFlight.get(key) === cancel) inFlight.delete(key)
    }
  }

  async function handleResponse(response: Response, text: string, sent: Sent): Promise<void> {
    const { message } = sent
    const kind = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase()
    if (message.method === 'initialize' && response.ok)
      known.session = response.headers.get('mcp-session-id') ?? undefined
    const facts = factsOf('POST', response)
    if (kind === 'text/event-stream' && response.ok) {
      await readStream(response, text, sent, facts)
      return
    }
    const body = await response.text()
    if (body !== '' && kind === 'application/json' && isMessage(body)) {
      hasResponded = true
      rememberResponse(message, body)
      events.received(body, 'http', facts)
      const why = mismatch(message, body, response.status)
      if (why !== undefined) failed(text, why)
    } else if (!response.ok) {
      const hidden = known.version !== undefined && known.session === undefined
      failed(text, rejectionText(response, body, hidden), isAuthFailure(response))
    } else if (message.id !== undefined && message.method !== undefined) {
      failed(
        text,
        t('connections.noMessage', { status: String(response.status), type: kind ?? '–' }),
      )
    }
    if (message.method === 'notifications/initialized' && response.ok) void openSessionStream()
    if (
      response.status === 404 &&
      known.session !== undefined &&
      envelopeVersion(message) === undefined
    ) {
      known.session = undefined // there is no session to delete
      close(t('connections.sessionExpired'))
    }
  }

  /** Reads the stream of one POST's response; in older revisions it may be resumed after an interruption. */
  async function readStream(
    first: Response,
    text: string,
    { message, cancelled }: Sent,
    facts: HttpFacts,
  ): Promise<void> {
    let answered = false
    const receive = (data: string, facts: HttpFacts) => {
      const answer = parsed(data)
      if (answer.method === undefined && answer.id === message.id) {
        answered = true
        rememberResponse(message, data)
      }
      hasResponded = true
      events.received(data, 'sse', facts)
      return answered
    }
    let { lastId, retry } = await readEvents(first, facts, receive)
    const classic = envelopeVersion(message) === undefined
    for (let tries = 0; classic && !answered && lastId !== '' && tries < maxReconnects; tries++) {
      await delayFor(retry ?? reconnectDelay)
      const again = await getStream(lastId)
      if (!again?.ok) break
      events.note(`stream resumed after event ${lastId}`)
      const next = await readEvents(again, factsOf('GET', again), receive)
      lastId = next.lastId || lastId
      retry = next.retry ?? retry
    }
    if (!answered && !cancelled.aborted && message.id !== undefined)
      failed(text, t('connections.streamEnded'))
  }

  /** The session's stream of an older revision, for messages that belong to no request. */
  async function openSessionStream(): Promise<void> {
    if (streaming) return
    streaming = true
    let lastId = ''
    let delay = reconnectDelay
    for (let tries = 0; tries < maxReconnects && !closing.signal.aborted; tries++) {
      try {
        const response = await getStream(lastId)
        if (response === undefined || response.status === 405) break // there is none
        if (!response.ok) {
          await response.body?.cancel()
          // Also for 404: some servers respond so to every GET. An expired session shows at the next POST. The
          // TypeScript SDK does the same.
          events.note(`stream of the session refused: HTTP ${response.status}`)
          break
        }
        const end = await readEvents(response, factsOf('GET', response), (data, facts) => {
          tries = 0
          events.received(data, 'sse', facts)
          return false
        })
        lastId = end.lastId || lastId
        delay = end.retry ?? reconnectDelay
        if (!closing.signal.aborted) events.note('stream of the session ended; it is opened again')
      } catch {
        delay = Math.min(delay * 2, maxDelay) // a network error may be temporary
      }
      await delayFor(delay)
    }
    streaming = false
  }

  async function getStream(lastId: string): Promise<Response | undefined> {
    if (closing.signal.aborted) return undefined
    const headers: [string, string][] = [
      ['Accept', 'text/event-stream'],
      ...mirroredHeaders({}, known),
    ]
    if (lastId !== '') headers.push(['Last-Event-ID', lastId])
    return request('GET', headers, { signal: closing.signal })
  }

  /** Stores what later messages need from a response. */
  function rememberResponse(message: Parsed, text: string) {
    if (message.method !== 'initialize' && message.method !== 'tools/list') return
    const { result } = parsed(text)
    if (message.method === 'tools/list') rememberTools(known, result)
    const version = (result as { protocolVersion?: unknown } | undefined)?.protocolVersion
    if (message.method === 'initialize' && typeof version === 'string') known.version = version
  }

  const factsOf = (method: string, response: Response): HttpFacts => ({
    method,
    url: shown,
    status: response.status,
    headers: shownHeaders(response.headers),
  })

  /** Waits, at most until the connection closes. */
  const delayFor = (ms: number) =>
    new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        resolve()
      }
      const timer = setTimeout(end, Math.min(ms, maxDelay))
      closing.signal.addEventListener('abort', end, { once: true })
    })

  return {
    send(text) {
      const message = parsed(text)
      const target = inFlight.get(JSON.stringify(message.params?.requestId))
      if (message.method === 'notifications/cancelled' && target) {
        target.abort() // 2026-07-28: closing the response's stream cancels the request
        events.note('cancelled by closing the stream of the response')
        return
      }
      const done = post(text, message)
      // An older server identifies the client only after the handshake.
      if (message.method === 'initialize' || message.method === 'notifications/initialized')
        handshakeDone = done
    },
    facts: (text) => ({
      method: 'POST',
      url: shown,
      headers: shownHeaders(headersOf(postHeaders(parsed(text)))),
    }),
    close: () => close(),
  }
}
