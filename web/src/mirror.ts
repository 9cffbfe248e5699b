/**
 * Published values at the gateway, which answers reads of them by itself (Go's remote.Mirror). The result of a read is marked.
 * From then on the gateway gets each change on the same connection, before anything that the change may cause: an
 * update, or the result of a tool.
 */

import type { ClientState, ClientsHost } from './clients.ts'
import { type Body, bodyOf, bodyOfParts, type Ready } from './contents.ts'
import type { AccessDecision } from './page-access.ts'
import { type Gaps, type ReadResult, withBody } from './replies.ts'
import { NotFoundError } from './source.ts'

/** What a client, which is a gateway, keeps. */
export interface Mirrored {
  /** By the number of the registration. */
  readonly values: Map<number, MirroredValue>
  /** Values that were sent within the second that began at `since`. */
  sent: number // UTF-16 code units
  since: number // ms
  /** Whether it knows that the browser stops this page. */
  isAsleep: boolean
}

interface MirroredValue {
  readonly uri: string
  readonly skeleton: ReadResult
  /** Whether the gateway has the present value. */
  isSent: boolean
  /** Values that were sent since the last read that came here. */
  unread: number
  /** The time from which on a further value may be sent, ms. */
  next: number
  timer: ReturnType<typeof setTimeout> | undefined
}

export interface Mirror {
  /** Whether a text was a notification of the gateway about published values. */
  receive(client: ClientState, text: string): boolean
  /** The result of a read, marked if the gateway may answer by it. */
  marked(client: ClientState, skeleton: ReadResult, gaps: Gaps, result: ReadResult): ReadResult
  /** A published value was replaced; to be called before that is announced. */
  changed(ref: number): void
  /** Registrations were removed; likewise. */
  removed(first: number, count: number): void
  /** Other sources or registrations may answer now for what is published. */
  dropAll(): void
  /** The browser stops this page, or does not any more. */
  sleep(asleep: boolean): void
}

// Keys and methods of Go's wasm/hop.
const metaPublished = 'io.github.pagemcp/published'
const prefix = '{"jsonrpc":"2.0","method":"notifications/io.github.pagemcp/'
const notifyMirror = 'notifications/io.github.pagemcp/mirror'
const notifyServed = 'notifications/io.github.pagemcp/served'
const notifyValue = 'notifications/io.github.pagemcp/value'
const notifyAsleep = 'notifications/io.github.pagemcp/asleep'

const maxValue = 60 << 10 // UTF-16 code units; Go's MaxMirroredValue in bytes, less the rest of a result
const maxValues = 4096 // of one gateway
const maxPerSecond = 1 << 20 // UTF-16 code units of values that are sent to one gateway

/** The pause between two values doubles while no read arrives here, so that unread values cost little. */
const firstPause = 50 // ms
const longestPause = 10_000 // ms

/**
 * @param isReadWatched - whether {@link ClientsHost.read} is called
 */
export function mirror(
  clients: ReadonlyMap<number, ClientState>,
  host: Pick<ClientsHost, 'contents' | 'decided' | 'read' | 'report'>,
  isReadWatched: () => boolean,
): Mirror {
  const mark = (result: ReadResult): ReadResult => ({
    ...result,
    _meta: { ...(result._meta as object | undefined), [metaPublished]: true },
  })

  const notify = ({ channel, isClosed }: ClientState, params: object, method = notifyValue) => {
    if (!isClosed) channel?.send(JSON.stringify({ jsonrpc: '2.0', method, params }))
  }

  const drop = (client: ClientState, value: MirroredValue) => {
    if (!value.isSent) return
    value.isSent = false
    notify(client, { uri: value.uri })
  }

  const later = (client: ClientState, ref: number, value: MirroredValue, now: number) => {
    drop(client, value)
    value.timer ??= setTimeout(() => send(client, ref, value), value.next - now)
  }

  /** Sends the present value, or that there is another one. */
  const send = (client: ClientState, ref: number, value: MirroredValue) => {
    const { mirrored } = client
    value.timer = undefined
    if (mirrored?.values.get(ref) !== value) return
    const now = performance.now()
    if (now - mirrored.since > 1000) {
      mirrored.since = now
      mirrored.sent = 0
    }
    if (mirrored.sent > maxPerSecond) {
      value.next = mirrored.since + 1001
      later(client, ref, value, now)
      return
    }
    const body = publishedBody(ref, value.uri)
    const size = body === undefined ? 0 : sizeOf(body)
    if (body === undefined || size > maxValue) {
      drop(client, value)
      return
    }
    value.next = now + Math.min(firstPause * 2 ** value.unread++, longestPause)
    value.isSent = true
    mirrored.sent += size
    notify(client, { uri: value.uri, result: mark(withBody(value.skeleton, value.uri, body)) })
  }

  /** The body of a value that is encoded or can be at once. */
  const publishedBody = (ref: number, uri: string): Body | undefined => {
    try {
      const body = host.contents.published(ref, uri)
      return body instanceof Promise ? undefined : body
    } catch {
      return undefined // it has no content
    }
  }

  return {
    receive(client, text) {
      if (client.channel === undefined || !text.startsWith(prefix)) return false
      try {
        const { method, params } = JSON.parse(text) as { method: string; params?: Served }
        if (method === notifyMirror) {
          client.mirrored ??= { values: new Map(), sent: 0, since: 0, isAsleep: false }
        } else if (method === notifyServed) {
          for (const { reason, uri, ...read } of params?.reads ?? []) {
            const decision = { method: 'resources/read', ms: 0, right: 'read', ...read } as const
            if (reason) host.decided({ ...decision, what: uri ?? '', reason, allow: true })
            if (uri && isReadWatched()) host.read({ uri, assistant: assistantOf(read.assistant) })
          }
        } else return false
      } catch (error) {
        host.report(error)
      }
      return true
    },
    marked(client, skeleton, { ref, uri }, result) {
      const values = client.mirrored?.values
      if (values === undefined || ref <= 0 || !host.contents.isPublished(ref)) return result
      const old = values.get(ref)
      clearTimeout(old?.timer)
      if (isLarge(result) || (old === undefined && values.size >= maxValues)) return result
      const own = uri || (skeleton.contents[0]?.uri ?? '')
      values.set(ref, { uri: own, skeleton, isSent: true, unread: 0, next: 0, timer: undefined })
      return mark(result)
    },
    changed(ref) {
      for (const client of clients.values()) {
        const value = client.mirrored?.values.get(ref)
        if (value === undefined) continue
        const now = performance.now()
        if (now < value.next) later(client, ref, value, now)
        else send(client, ref, value)
      }
    },
    removed(first, count) {
      for (const client of clients.values()) {
        for (const [ref, value] of client.mirrored?.values ?? []) {
          if (ref < first || ref >= first + count) continue
          clearTimeout(value.timer)
          client.mirrored?.values.delete(ref)
          drop(client, value)
        }
      }
    },
    dropAll() {
      for (const client of clients.values()) {
        const { mirrored } = client
        if (!mirrored || mirrored.values.size === 0) continue
        for (const { timer } of mirrored.values.values()) clearTimeout(timer)
        mirrored.values.clear()
        notify(client, {})
      }
    },
    sleep(asleep) {
      for (const client of clients.values()) {
        const { mirrored } = client
        if (mirrored === undefined || mirrored.isAsleep === asleep) continue
        mirrored.isAsleep = asleep
        for (const [ref, value] of mirrored.values) {
          if (!asleep || value.timer === undefined) continue
          clearTimeout(value.timer)
          send(client, ref, value) // the last one for a while
        }
        notify(client, { asleep }, notifyAsleep)
      }
    },
  }
}

/** Reads that a gateway has answered. */
/** The name of a gateway's assistant, as Go has it: wasm/engine, assistantPrincipal and AssistantOf. */
export const assistantOf = (name: unknown): string =>
  typeof name === 'string' && name !== '' && !/^(page|webmcp|token|stdio|anyone)$|:\/\//.test(name)
    ? name
    : 'unnamed'

interface Served {
  readonly reads: readonly (Pick<
    AccessDecision,
    'assistant' | 'callsItself' | 'bytes' | 'count'
  > & {
    readonly uri?: string
    readonly reason?: AccessDecision['reason']
  })[]
}

const isLarge = ({ contents }: ReadResult) =>
  contents.reduce((sum, one) => sum + (one.text ?? one.blob ?? '').length, 0) > maxValue

function sizeOf({ text, blob, parts }: Body): number {
  const own = (text ?? blob ?? '').length
  return own + (parts ?? []).reduce((sum, { body }) => sum + sizeOf(body), 0)
}

// Published values in the engine's thread, each encoded at its first read: reads are answered without a call to the window.
// They are kept by the app's order, so there is no limit, and outlive a program of Go that ends.

export interface Bodies {
  /**
   * Publishes a value; `undefined`: the resource has no content, reads answer "not found".
   *
   * @returns whether it may differ from the value before: texts are compared, bytes are not
   */
  publish(ref: number, ready: Ready | undefined): boolean
  isPublished(ref: number): boolean
  /**
   * The published value, encoded; `undefined` if nothing is published under the number.
   *
   * @throws NotFoundError if the resource has no content
   */
  published(ref: number, uri: string): Body | Promise<Body> | undefined
  /** Drops the values of `count` registrations from `first` on. */
  forget(first: number, count: number): void
}

interface Entry {
  /** Dropped when it is encoded. */
  ready: Ready | undefined
  body: Body | Promise<Body> | undefined
  /** For comparison with the next value; of a text only. */
  readonly text: string | undefined
  readonly mimeType: string | undefined
}

export function bodies(): Bodies {
  const entries: (Entry | undefined)[] = [] // used by each read: an array needs no hashing
  return {
    publish(ref, ready) {
      const { value, mimeType } = ready ?? {}
      const text = typeof value === 'string' ? value : undefined
      const last = entries[ref]
      if (text !== undefined && last?.text === text && last.mimeType === mimeType) return false
      entries[ref] = { ready, body: undefined, text, mimeType }
      return true
    },
    isPublished: (ref) => entries[ref] !== undefined,
    published(ref, uri) {
      const entry = entries[ref]
      if (entry === undefined) return undefined
      if (entry.body !== undefined) return entry.body
      if (entry.ready === undefined) throw new NotFoundError(uri)
      return encode(entry, entry.ready)
    },
    forget(first, count) {
      for (let ref = first; ref < first + count; ref++) entries[ref] = undefined
    },
  }
}

function encode(entry: Entry, ready: Ready): Body | Promise<Body> {
  const body = encoded(ready)
  entry.body = body
  if (!(body instanceof Promise)) {
    entry.ready = undefined
    return body
  }
  body.then(
    (done) => {
      entry.body = done
      entry.ready = undefined
    },
    () => {
      entry.body = undefined // a Blob that cannot be read now: the next read tries again
    },
  )
  return body
}

export const encoded = ({ value, mimeType }: Ready): Body | Promise<Body> =>
  Array.isArray(value) ? bodyOfParts(value) : bodyOf(value, mimeType)
