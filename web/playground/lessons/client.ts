/**
 * A client of a scenario that is played: it puts the scenario's messages onto a connection of its own, and
 * keeps what comes until it is expected.
 *
 * A scenario counts its requests from 1; on the connection, the session gives the numbers, for people send in
 * between. Answers to what people sent are nobody's business here.
 */

import type { Session } from '../connections/session.ts'
import { type Params, type Revision, request } from '../protocol/revisions.ts'
import { type Bindings, type Difference, difference, substitute } from './pattern.ts'

interface Message {
  id?: string | number | null
  method?: string
  params?: Params
  [member: string]: unknown
}

const metaSubscription = 'io.modelcontextprotocol/subscriptionId'

/** What was not as expected. */
export interface Mismatch {
  /** Undefined: nothing came. */
  difference?: Difference
}

export interface Client {
  readonly session: Session
  /** A line of the scenario as it is sent: numbered, wrapped, names filled in; an exact one as it is. */
  outgoing(text: string, exact?: boolean): string
  /** Sends a line of the scenario. */
  send(text: string, exact?: boolean): void
  /**
   * Whether a text that somebody else sent is what a line of the scenario says; if so, its answer can be
   * expected as that of the line. Undefined: it is.
   */
  isSaid(line: string, text: string): Difference | undefined
  /** Waits for a message that a line describes. Messages that come first and differ are passed over, or if strict a failure. */
  expect(line: string): Promise<Mismatch | undefined>
  /** What came and was not expected. */
  readonly rest: readonly string[]
}

export interface ClientOptions {
  session: Session
  /** Undefined: messages are sent as they are written. */
  revision: Revision | undefined
  memory: Bindings
  /** ms until silence is a failure. */
  patience: number
  strict: boolean
  signal: AbortSignal
}

export function newClient(options: ClientOptions): Client {
  const { session, revision, memory, patience, strict, signal } = options
  const inbox: { text: string; message: Message }[] = []
  const ids = new Map<string, string | number>() // of the scenario, to what is on the wire
  const ours = new Set<unknown>() // ids of requests that the scenario knows
  let wake = () => {}

  session.connection.watch((row, text) => {
    if (session.connection.direction(row) !== 'in') return
    const message = parse(text)
    if (message === undefined) return
    const isAnswer = message.method === undefined && message.id !== undefined && message.id !== null
    if (isAnswer && !ours.has(message.id)) return
    inbox.push({ text, message })
    wake()
  })

  /** Replaces the scenario's numbers by those of the wire. */
  const numbered = (message: Message): Message => {
    const real = <T>(id: T) => (ids.get(JSON.stringify(id)) ?? id) as T
    const copy = structuredClone(message)
    if (copy.method === undefined || copy.id !== undefined) copy.id = real(copy.id)
    const { params } = copy
    if (params?.requestId !== undefined) params.requestId = real(params.requestId)
    for (const holder of [params, copy.result as Params | undefined]) {
      const meta = holder?._meta as Params | undefined
      if (meta?.[metaSubscription] !== undefined)
        meta[metaSubscription] = real(meta[metaSubscription])
    }
    if (copy.id === undefined) delete copy.id
    return copy
  }

  const outgoing = (text: string, exact = false): string => {
    const message = exact ? undefined : parse(text)
    if (message === undefined) return text
    const filled = substitute(message, memory) as Message
    const { id, method } = filled
    if (revision === undefined || method === undefined || id === undefined || id === null) {
      const real = JSON.stringify(numbered(filled))
      return real === JSON.stringify(message) ? text : real // not a byte else than it is written
    }
    if (typeof id === 'number') ids.set(JSON.stringify(id), session.nextId())
    const real = numbered(filled)
    return JSON.stringify({
      ...real,
      ...request(revision, real.id as string | number, method, real.params),
    })
  }

  return {
    session,
    outgoing,
    send(text, exact) {
      const out = outgoing(text, exact)
      ours.add(parse(out)?.id)
      session.connection.send(out)
    },
    isSaid(line, text) {
      const want = parse(line)
      const got = parse(text)
      if (want === undefined) {
        // Something broken is asked for: how it is broken is free.
        return got === undefined ? undefined : { path: '', want: line, got }
      }
      if (got === undefined) return { path: '', want, got: text }
      if ((want.id === undefined) !== (got.id === undefined)) {
        return { path: 'id', want: want.id, got: got.id }
      }
      const { id, jsonrpc, ...pattern } = numbered(want)
      const found = difference(pattern, got, memory)
      if (found) return found
      ours.add(got.id)
      if (got.id !== undefined && got.id !== null) {
        ids.set(JSON.stringify(want.id), got.id)
      }
      return undefined
    },
    async expect(line) {
      const pattern = parse(line) ?? {}
      const deadline = Date.now() + patience
      let passed: Difference | undefined
      for (;;) {
        const next = inbox.shift()
        if (next) {
          passed = difference(numbered(pattern), next.message, memory)
          if (passed === undefined) return undefined
          if (strict) return { difference: passed }
          continue
        }
        const left = deadline - Date.now()
        if (left <= 0 || signal.aborted) return { difference: passed }
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, left)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
          signal.addEventListener('abort', wake, { once: true })
        })
      }
    },
    get rest() {
      return inbox.map(({ text }) => text)
    },
  }
}

function parse(text: string): Message | undefined {
  try {
    const message: unknown = JSON.parse(text)
    if (typeof message === 'object' && message !== null && !Array.isArray(message)) {
      return message as Message
    }
  } catch {
    // no JSON
  }
  return undefined
}
