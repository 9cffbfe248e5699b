/**
 * A client of a scenario: sends the scenario's messages through its own connection, and collects received
 * messages until they are expected.
 *
 * A scenario numbers its requests from 1; on the connection the session assigns ids, since users may send in
 * between. Responses to users' messages are ignored.
 */

import type { Session } from '../connections/session.ts'
import { parsed } from '../messages/frame.ts'
import { isObject, type Params, type Revision, request } from '../protocol/revisions.ts'
import { type Bindings, type Difference, difference, substitute } from './pattern.ts'

interface Message {
  id?: string | number | null
  method?: string
  params?: Params
  [member: string]: unknown
}

const metaSubscription = 'io.modelcontextprotocol/subscriptionId'

/** A difference from the expected message. */
export interface Mismatch {
  /** Undefined: no message came. */
  difference?: Difference
}

export interface Client {
  readonly session: Session
  /**
   * A line of the scenario in the form that is sent: with id, envelope and substituted names; an exact line
   * unchanged.
   */
  outgoing(text: string, exact?: boolean): string
  /** Sends a line of the scenario. */
  send(text: string, exact?: boolean): void
  /**
   * Whether a text that the user sent matches a line of the scenario; if so, its response can be expected as
   * that of the line. Undefined: it matches.
   */
  isSaid(line: string, text: string): Difference | undefined
  /** Waits for a message that matches a line. Other messages before it are skipped, or a failure if strict. */
  expect(line: string): Promise<Mismatch | undefined>
  /** Received messages that were not expected. */
  readonly rest: readonly string[]
}

export interface ClientOptions {
  session: Session
  /** Undefined: messages are sent unchanged. */
  revision: Revision | undefined
  memory: Bindings
  /** Timeout of an expected message, ms. */
  patience: number
  strict: boolean
  signal: AbortSignal
}

export function newClient(options: ClientOptions): Client {
  const { session, revision, memory, patience, strict, signal } = options
  const inbox: { text: string; message: Message }[] = []
  const ids = new Map<string, string | number>() // ids of the scenario to ids of the connection
  const ours = new Set<unknown>() // ids of the scenario's requests
  let wake = () => {}

  session.connection.watch((row, text, got) => {
    if (session.connection.direction(row) !== 'in' || !isObject(got)) return
    const message = got as Message
    const isAnswer = message.method === undefined && message.id !== undefined && message.id !== null
    if (isAnswer && !ours.has(message.id)) return
    inbox.push({ text, message })
    wake()
  })

  /** Waits while the connection opens: its engine may still be loaded, which takes as long as it takes. */
  const opened = async () => {
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => resolve(), { once: true })
    const stop = session.connection.state.subscribe((state) => {
      if (state !== 'connecting') resolve()
    })
    await promise
    stop()
  }

  /** Replaces the scenario's ids by those of the connection. */
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
      return real === JSON.stringify(message) ? text : real // byte for byte if nothing was substituted
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
        // A malformed message is required; any malformed text is accepted.
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
      await opened()
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
  const { message } = parsed(text)
  return isObject(message) ? (message as Message) : undefined
}
