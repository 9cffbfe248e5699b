/** Formats a row for other programs: a command line, an assistant's settings, an issue. */

import type { Key } from '../base/i18n.ts'
import { catalogue } from '../connections/catalogue.ts'
import {
  envelopeVersion,
  type Known,
  mirroredHeaders,
  parsed,
  rememberTools,
} from '../connections/http-headers.ts'
import type { Session } from '../connections/session.ts'
import type { Store } from '../messages/store.ts'
import { escapeUnseen, isVisible, printfBytes, shellWord, visibleUrl } from './escape.ts'
import { redact } from './redact.ts'

export type CopyKind = 'raw' | 'curl' | 'mcp.json' | 'markdown'

/** The address for servers without HTTP: the gateway, which page and demo can join. */
const gateway = 'http://127.0.0.1:8808/mcp'

const always = () => true

/** Whether a row is a request of a client, or its response. */
function hasRequest(store: Store, row: number): boolean {
  const asked = requestRow(store, row)
  return asked !== undefined && store.direction(asked) === 'out'
}

/** The formats, in order. */
export const copyKinds: readonly {
  kind: CopyKind
  title: Key
  enabled(store: Store, row: number): boolean
}[] = [
  { kind: 'raw', title: 'share.copy.raw', enabled: always },
  { kind: 'curl', title: 'share.copy.curl', enabled: hasRequest },
  { kind: 'mcp.json', title: 'share.copy.config', enabled: always },
  { kind: 'markdown', title: 'share.copy.markdown', enabled: always },
]

/**
 * The formatted text, without secrets except for `raw`. Commands send the row's request, or the
 * request that it responds to.
 *
 * @param session - of the row's connection; undefined: the row was imported
 */
export function copyAs(
  kind: CopyKind,
  store: Store,
  row: number,
  session: Session | undefined,
): string {
  const asked = requestRow(store, row) ?? row
  const raw = redact(store.raw(asked))
  const url = urlOf(session)
  const revision = envelopeVersion(parsed(raw)) || store.revision(asked) || session?.revision.peek()
  switch (kind) {
    case 'raw':
      return store.raw(row)
    case 'curl':
      return asCurl(raw, url, headersOf(raw, revision, session))
    case 'mcp.json':
      return asConfig(url, session)
    case 'markdown':
      return asMarkdown(store, asked, session, revision ?? '')
  }
}

function requestRow(store: Store, row: number): number | undefined {
  switch (store.kind(row)) {
    case 'request':
    case 'notification':
      return row
    case 'result':
    case 'error':
      return store.partner(row) < 0 ? undefined : store.partner(row)
  }
  return undefined
}

const urlOf = (session: Session | undefined): string =>
  session?.connection.dialer.kind === 'http' ? session.connection.dialer.url : gateway

/** As the transport of Streamable HTTP sends them, with the schemas of the tools that the server has listed. */
function headersOf(raw: string, version: string | undefined, session: Session | undefined) {
  const known: Known = { version, session: '$SESSION', tools: new Map() } // from the response to initialize
  rememberTools(known, { tools: session ? catalogue(session).lists.tools.peek().items : [] })
  return [
    ['Content-Type', 'application/json'],
    ['Accept', 'application/json, text/event-stream'],
    ...mirroredHeaders(parsed(raw), known),
  ] as const
}

function asCurl(raw: string, url: string, all: ReturnType<typeof headersOf>): string {
  const headers = all.map(([name, value]) =>
    value === '$SESSION' ? `-H "${name}: $SESSION"` : `-H ${shellWord(`${name}: ${value}`)}`,
  )
  const token =
    url === gateway ? ['-H "Authorization: Bearer $(cat ~/.local/state/pagemcp/token)"'] : []
  const body = bodyOf(raw)
  const pipe = body === undefined ? `printf %b ${shellWord(printfBytes(raw))} | ` : ''
  const data = body === undefined ? '--data-binary @-' : `--data-raw ${shellWord(body)}`
  // -g: curl does not expand brackets and braces of the URL.
  return [`${pipe}curl -sgN`, shellWord(visibleUrl(url)), ...token, ...headers, data].join(
    ' \\\n  ',
  )
}

/** The same JSON with escapes for invisible characters; undefined: not JSON, which escapes would change. */
function bodyOf(raw: string): string | undefined {
  const lines = raw.replaceAll('\r', '\n').split(/(\n|\t)/)
  const body = lines.map((part, i) => (i % 2 ? part : escapeUnseen(part))).join('')
  try {
    JSON.parse(raw)
    return body
  } catch {
    return isVisible(raw) ? raw : undefined
  }
}

function asConfig(url: string, session: Session | undefined): string {
  const name = session?.peer.peek()?.name.replace(/[^\w-]+/g, '-') || 'pagemcp'
  const server = url === gateway ? { command: 'pagemcp', args: ['stdio'] } : { type: 'http', url }
  const text = JSON.stringify({ mcpServers: { [name]: server } }, null, 2)
  return text.split('\n').map(escapeUnseen).join('\n')
}

/** In English, as most issues are: request, response and server. */
function asMarkdown(
  store: Store,
  asked: number,
  session: Session | undefined,
  revision: string,
): string {
  const answer = store.partner(asked)
  const peer = session?.peer.peek()
  const about = [
    `- Revision: ${oneLine(revision)}`,
    `- Transport: ${store.framing(asked)}`,
    ...(peer ? [`- Server: ${oneLine(`${peer.name} ${peer.version}`)}`] : []),
    ...(answer >= 0 ? [`- Answered after: ${Math.round(store.latency(asked))} ms`] : []),
  ]
  const sent = store.direction(asked) === 'out' ? 'Sent' : 'Received'
  const parts = [about.join('\n'), `${sent}:`, fenced(redact(store.raw(asked)))]
  if (answer >= 0) parts.push('Answer:', fenced(redact(store.raw(answer))))
  return `${parts.join('\n\n')}\n`
}

const oneLine = (text: string) => escapeUnseen(text.replace(/[\s`*_[\]<>]+/g, ' ').trim())

/** The fence is longer than any in the text. */
function fenced(raw: string): string {
  let text = raw
  try {
    text = JSON.stringify(JSON.parse(raw), null, 2)
  } catch {
    // not JSON: unchanged
  }
  text = text.split('\n').map(escapeUnseen).join('\n')
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}json\n${text}\n${fence}`
}
