/**
 * Transcript files, `.mcplog.jsonl`: a header line, then a line per row, so that files can be appended to,
 * streamed and compared. Also reads exports of the Inspector's Protocol tab.
 */

import type { Direction, Entry, Framing, HttpFacts } from '../messages/entry.ts'
import type { Store } from '../messages/store.ts'
import { redact, redactHeaders, redactText } from './redact.ts'

/** The server of a connection. */
export interface Peer {
  /** The number of the connection in the file. */
  c: number
  letter: string
  title: string
}

/** A parsed file. `connection` of an entry is a number of {@link peers}, or 0 for events. */
export interface Transcript {
  peers: readonly Peer[]
  entries: readonly Entry[]
}

interface Line {
  /** ms since `created`. */
  t: number
  c: number
  d: Direction
  k: Framing
  raw: string
  http?: HttpFacts
  /** The outcome, if it is neither success nor an error of JSON-RPC: for readers, ignored by imports. */
  s?: string
}

const directions: readonly string[] = ['out', 'in', 'world']
const framings: readonly string[] = ['port', 'ws', 'http', 'sse', 'world']

/**
 * The lines of a file, each with its line feed.
 *
 * @param text - text of a row; archived texts are loaded
 */
export async function* writeTranscript(
  store: Store,
  rows: Iterable<number>,
  {
    peers,
    redacted,
    version,
    text,
  }: {
    peers: readonly Peer[]
    redacted: boolean
    version: string
    text(row: number): string | Promise<string>
  },
): AsyncGenerator<string> {
  const all = [...rows]
  const begun = all.length > 0 ? store.time(all[0] as number) : Date.now()
  yield `${JSON.stringify({
    mcplog: 1,
    created: new Date(begun).toISOString(),
    app: 'pagemcp-playground',
    version,
    peers: peers.map((peer) => ({
      ...peer,
      title: redacted ? redactText(peer.title) : peer.title,
    })),
    redacted,
  })}\n`
  const base = Date.parse(new Date(begun).toISOString())
  for (const row of all) {
    const raw = await text(row)
    const http = store.http(row)
    const line: Line = {
      t: Math.round((store.time(row) - base) * 1000) / 1000,
      c: store.connection(row),
      d: store.direction(row),
      k: store.framing(row),
      raw: redacted ? redact(raw) : raw,
      ...(store.state(row) && { s: store.state(row) }),
      ...(http && { http: redacted ? withoutSecrets(http) : http }),
    }
    yield `${JSON.stringify(line)}\n`
  }
}

const withoutSecrets = (http: HttpFacts): HttpFacts => ({
  ...http,
  ...(http.url && { url: redactText(http.url) }),
  ...(http.headers && { headers: redactHeaders(http.headers) }),
})

/** Whether a date can have this time, in ms since 1970. https://tc39.es/ecma262/#sec-time-values-and-time-range */
const isTime = (time: number) => Math.abs(time) <= 8.64e15

/** Number of lines parsed between pauses. */
const stretch = 500 // lines

/**
 * Parses a transcript or an export of the Inspector.
 *
 * @param rest - awaited regularly, so that the page stays responsive
 * @throws Error with the number of the invalid line
 */
export async function readTranscript(
  text: string,
  rest: () => Promise<void> = async () => {},
): Promise<Transcript> {
  const from = text.startsWith('\ufeff') ? 1 : 0
  const first = text.slice(from).search(/\S/) + from
  return text[first] === '[' ? readInspector(text.slice(first)) : readLines(text.slice(from), rest)
}

type Loose = { readonly [name: string]: unknown }

const object = (value: unknown): Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : {}

async function readLines(text: string, rest: () => Promise<void>): Promise<Transcript> {
  const lines = text.split('\n')
  const head = object(parsed(lines[0] ?? '', 1))
  if (head.mcplog !== 1) throw new Error('line 1: not a transcript (mcplog 1)')
  const created = typeof head.created === 'string' ? Date.parse(head.created) : Number.NaN
  const base = Number.isFinite(created) ? created : 0
  const entries: Entry[] = []
  const connections = new Set<number>()
  for (let i = 1; i < lines.length; i++) {
    if (i % stretch === 0) await rest()
    const source = lines[i] as string
    if (source.trim() === '') continue
    const line = object(parsed(source, i + 1))
    const { t, c, d, k, raw } = line
    const time = base + (typeof t === 'number' ? t : Number.NaN)
    if (typeof raw !== 'string' || !isTime(time) || !directions.includes(String(d))) {
      throw new Error(`line ${i + 1}: t, d or raw is missing`)
    }
    const world = d === 'world'
    const connection = typeof c === 'number' ? c : world ? 0 : 1
    if (!world) connections.add(connection)
    entries.push({
      connection,
      direction: d as Direction,
      framing: world ? 'world' : ((framings.includes(String(k)) ? k : 'port') as Framing),
      raw,
      time,
      http: httpOf(line.http),
    })
  }
  const named = Array.isArray(head.peers) ? head.peers.map(object) : []
  const peers = [...connections].map((c): Peer => {
    const known = named.find((one) => one.c === c)
    return {
      c,
      letter: typeof known?.letter === 'string' ? known.letter.slice(0, 2) : '',
      title: typeof known?.title === 'string' ? known.title.slice(0, 100) : '',
    }
  })
  return { peers, entries }
}

function parsed(source: string, line: number): unknown {
  try {
    return JSON.parse(source)
  } catch {
    throw new Error(`line ${line}: not JSON`)
  }
}

/** Keeps only known members with valid types: the file is untrusted. */
function httpOf(value: unknown): HttpFacts | undefined {
  const { method, url, status, headers, event } = object(value)
  const texts = Object.entries(object(headers)).filter(([, one]) => typeof one === 'string')
  const { id, name } = object(event)
  const facts: HttpFacts = {
    ...(typeof method === 'string' && { method }),
    ...(typeof url === 'string' && { url }),
    ...(typeof status === 'number' && { status }),
    ...(texts.length > 0 && { headers: Object.fromEntries(texts) as Record<string, string> }),
    ...(event !== undefined && {
      event: {
        ...(typeof id === 'string' && { id }),
        ...(typeof name === 'string' && { name }),
      },
    }),
  }
  return Object.keys(facts).length > 0 ? facts : undefined
}

/** An array of entries `{timestamp, direction, origin, message, response?, duration?}` (Inspector 2.12). */
function readInspector(text: string): Transcript {
  const all = parsed(text, 1)
  if (!Array.isArray(all)) throw new Error('line 1: not a transcript')
  const entries: Entry[] = []
  const push = (direction: Direction, message: unknown, time: number) =>
    entries.push({ connection: 1, direction, framing: 'port', raw: JSON.stringify(message), time })
  for (const [i, one] of all.entries()) {
    const { timestamp, origin, direction, message, response, duration } = object(one)
    if (typeof message !== 'object' || message === null) {
      throw new Error(`entry ${i + 1}: message is missing`)
    }
    const time = Date.parse(String(timestamp)) || 0
    // older exports have no origin: requests are the client's, notifications the server's
    const server = origin === 'server' || (origin === undefined && direction === 'notification')
    push(server ? 'in' : 'out', message, time)
    if (response !== undefined) {
      const end = time + (typeof duration === 'number' ? duration : 0)
      push(server ? 'out' : 'in', response, isTime(end) ? end : time)
    }
  }
  entries.sort((a, b) => (a.time as number) - (b.time as number))
  return { peers: entries.length ? [{ c: 1, letter: '', title: 'MCP Inspector' }] : [], entries }
}
