/**
 * Diagnoses the connection to a Streamable HTTP server, one aspect after the other, and names missing header
 * lines. It sends only `server/discover`, `initialize` and `ping`, and ends the session that it started.
 */

import type { Key } from '../base/i18n.ts'
import { clientInfo, newest, request } from '../protocol/revisions.ts'
import { answers, diagnoseCors, probe } from './doctor-cors.ts'
import type { Finding } from './finding.ts'

export type { Finding } from './finding.ts'

import { type Known, mirroredHeaders, parsed } from './http-headers.ts'

/** The page that connects. */
export interface Here {
  /** The playground's origin, which servers must allow. */
  origin: string
  /** Whether this page was loaded over https. */
  secure: boolean
}

const here = (): Here => ({ origin: location.origin, secure: location.protocol === 'https:' })

const loopback = /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/
const ownNetwork = /^(10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|\[f[cde])|\.local$/

/**
 * Examines a URL. Yields each finding once, in order, and stops after one that makes the rest pointless.
 *
 * @param own - headers of the user, such as `Authorization`
 */
export async function* examine(
  url: string,
  own: readonly (readonly [string, string])[] = [],
  at: Here = here(),
): AsyncGenerator<Finding> {
  for (const finding of checkAddress(url, at)) {
    yield finding
    if (finding.state === 'bad') return
  }
  const discover = JSON.stringify(request(newest, 1, 'server/discover'))
  const first = await send(url, discover, own)
  if (first === undefined) {
    if (!(await answers(url))) {
      yield { step: 'reach', state: 'bad', says: 'connections.doctor.unreachable' }
      return
    }
    yield { step: 'reach', state: 'good', says: 'connections.doctor.reachable' }
    yield await diagnoseCors(
      url,
      at.origin,
      own.map(([name]) => name),
    )
    return
  }
  yield { step: 'reach', state: 'good', says: 'connections.doctor.reachable' }
  if (new URL(url).origin !== at.origin)
    yield { step: 'cors', state: 'good', says: 'connections.doctor.readable' }
  if (first.status === 401 || first.status === 403) {
    yield* authorization(url, first)
    return
  }
  yield { step: 'auth', state: 'good', says: 'connections.doctor.admitted' }
  yield* versions(url, own, await bodyOf(first), first.status)
}

/** Findings about an address that need no request. */
export function checkAddress(text: string, { secure }: Here): Finding[] {
  const bad = (says: Key): Finding[] => [{ step: 'url', state: 'bad', says }]
  if (!URL.canParse(text)) return bad('connections.doctor.noUrl')
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    return bad('connections.doctor.notHttp')
  if (url.username !== '' || url.password !== '') return bad('connections.doctor.userInfo')
  const findings: Finding[] = []
  if (/\/sse\/?$/.test(url.pathname))
    findings.push({ step: 'url', state: 'note', says: 'connections.doctor.oldStream' })
  else if (url.pathname === '/')
    findings.push({ step: 'url', state: 'note', says: 'connections.doctor.noPath' })
  const { hostname } = url
  const isLoopback = loopback.test(hostname)
  if (secure && url.protocol === 'http:' && !isLoopback)
    return [...findings, { step: 'network', state: 'bad', says: 'connections.doctor.mixed' }]
  if (secure && (isLoopback || ownNetwork.test(hostname)))
    findings.push({ step: 'network', state: 'note', says: 'connections.doctor.localNetwork' })
  return findings
}

function send(
  url: string,
  text: string,
  own: readonly (readonly [string, string])[],
  known: Known = { tools: new Map() },
  method = 'POST',
): Promise<Response | undefined> {
  const headers = new Headers(mirroredHeaders(parsed(text), known))
  headers.set('Accept', 'application/json, text/event-stream')
  if (method === 'POST') headers.set('Content-Type', 'application/json')
  for (const [name, value] of own) headers.set(name, value)
  return probe(url, { method, headers, ...(method === 'POST' && { body: text }) })
}

/** Authorization, and the source of tokens: RFC 9728. */
async function* authorization(url: string, refused: Response): AsyncGenerator<Finding> {
  const challenge = refused.headers.get('www-authenticate')
  yield {
    step: 'auth',
    state: 'bad',
    says: 'connections.doctor.unauthorized',
    params: { status: String(refused.status) },
    ...(challenge === null && { lines: ['Access-Control-Expose-Headers: WWW-Authenticate'] }),
  }
  const named = /resource_metadata="([^"]+)"/.exec(challenge ?? '')?.[1]
  const { origin, pathname } = new URL(url)
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`
  const places = [named, pathname === '/' ? undefined : wellKnown + pathname, wellKnown]
  for (const place of places) {
    if (place === undefined || !/^https?:/.test(place)) continue
    const response = await probe(place, {})
    const metadata = response?.ok ? await response.json().catch(() => undefined) : undefined
    const servers = (metadata as { authorization_servers?: unknown } | undefined)
      ?.authorization_servers
    if (!Array.isArray(servers)) continue
    yield {
      step: 'auth',
      state: 'note',
      says: 'connections.doctor.tokenFrom',
      params: { servers: servers.map(String).join(', '), place },
    }
    return
  }
  yield {
    step: 'auth',
    state: 'note',
    says: 'connections.doctor.noMetadata',
    params: { place: wellKnown },
  }
}

interface Answer {
  result?: { supportedVersions?: unknown; protocolVersion?: unknown }
  error?: { code?: unknown; message?: unknown; data?: { supported?: unknown } }
}

/** Supported revisions: the modern one first, then the older ones. */
async function* versions(
  url: string,
  own: readonly (readonly [string, string])[],
  body: string,
  status: number,
): AsyncGenerator<Finding> {
  const answer = lastMessage(body)
  const modern = answer.result?.supportedVersions ?? answer.error?.data?.supported
  if (Array.isArray(modern)) {
    const state = modern.includes(newest) ? 'good' : 'note'
    const params = { versions: modern.map(String).join(', ') }
    yield { step: 'version', state, says: 'connections.doctor.modern', params }
    if (state === 'good') return
  }
  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 2,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo },
  })
  const response = await send(url, initialize, own)
  const version = lastMessage(response ? await bodyOf(response) : '').result?.protocolVersion
  if (response === undefined || typeof version !== 'string') {
    const said = String(answer.error?.message ?? body.slice(0, 120)) || '–'
    const params = { status: String(response?.status ?? status), said }
    yield { step: 'version', state: 'bad', says: 'connections.doctor.noMcp', params }
    return
  }
  yield { step: 'version', state: 'good', says: 'connections.doctor.classic', params: { version } }
  const session = response.headers.get('mcp-session-id') ?? undefined
  const known: Known = { version, session, tools: new Map() }
  yield await sessions(url, own, known)
}

/** Whether the session's id is readable, if there is a session; ends the session. */
async function sessions(
  url: string,
  own: readonly (readonly [string, string])[],
  known: Known,
): Promise<Finding> {
  const notification = '{"jsonrpc":"2.0","method":"notifications/initialized"}'
  const next = await send(url, notification, own, known)
  if (known.session === undefined) {
    return next?.ok
      ? { step: 'session', state: 'good', says: 'connections.doctor.noSession' }
      : {
          step: 'session',
          state: 'bad',
          says: 'connections.doctor.sessionHidden',
          lines: ['Access-Control-Expose-Headers: Mcp-Session-Id'],
        }
  }
  const ended = await send(url, '', own, known, 'DELETE')
  return ended === undefined
    ? {
        step: 'session',
        state: 'note',
        says: 'connections.doctor.noDelete',
        lines: ['Access-Control-Allow-Methods: GET, POST, DELETE'],
      }
    : { step: 'session', state: 'good', says: 'connections.doctor.session' }
}

/** Reads a body until it has a complete response: a stream may never end. */
async function bodyOf(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let body = ''
  try {
    for (let part = await reader?.read(); part && !part.done; part = await reader?.read()) {
      body += decoder.decode(part.value, { stream: true })
      const { result, error } = lastMessage(body)
      if (result || error) await reader?.cancel()
    }
  } catch {
    // interrupted, or too slow: the part that was read is used
  }
  return body
}

/** The message of a body that is JSON, or of an event stream that has ended. */
function lastMessage(body: string): Answer {
  const data = [...body.matchAll(/^data: ?(.+)$/gm)].at(-1)?.[1] ?? body
  try {
    const value = JSON.parse(data) as unknown
    return typeof value === 'object' && value !== null ? (value as Answer) : {}
  } catch {
    return {}
  }
}
