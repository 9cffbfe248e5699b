/**
 * Checks messages for conformance: each against the schema of its revision, and rules about several messages.
 * Results are hints beside rows; nothing is repaired or blocked.
 */

import type { Store } from '../messages/store.ts'
import type { Sentence } from './explain.ts'
import { messageProblems } from './message.ts'
import { isModern, type Params, type Revision, revisionOf } from './revisions.ts'
import { maxProblems, pointer, type Rest } from './validate.ts'

export interface Hint {
  /** A warning may be a false positive, such as a response that was sent before a cancellation arrived. */
  severity: 'error' | 'warning'
  /** `schema`, or the name of a rule. */
  rule: 'schema' | 'json' | 'unknownId' | 'duplicateId' | 'afterCancel' | 'unsubscribed' | 'version'
  /** The position in the message (RFC 6901); `''`: the whole message. */
  at: string
  sentence: Sentence
}

/** A range of rows. */
interface Span {
  from: number
  until: number
}

const metaVersion = 'io.modelcontextprotocol/protocolVersion'
const metaSubscription = 'io.modelcontextprotocol/subscriptionId'

const object = (value: unknown): Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Params) : {}

/**
 * Stores what the rules need of earlier rows: a few numbers per request, and no texts. It reads rows in order,
 * each once, when it is first asked for a row at or after them.
 */
export class Checker {
  readonly #store: Store
  readonly #session: (connection: number) => Revision | undefined
  #emptied: number
  #read = 0
  #ruled = new Map<number, Hint>()
  #hints = new Map<number, readonly Hint[]>()
  #open = new Map<string, number>() // connection, requesting side and id, to the row
  #cancelled = new Set<string>()
  #listens = new Map<string, Span>() // connection and id
  #subscriptions = new Map<string, Span>() // connection and URI

  /** @param session - the revision of a connection's session, if it is open */
  constructor(store: Store, session: (connection: number) => Revision | undefined) {
    this.#store = store
    this.#session = session
    this.#emptied = store.emptied.peek()
  }

  /**
   * Finds the hints about a row in steps, of which a long list takes several: 10,000 resources are 40 ms. The first call
   * validates, so call it for visible rows only.
   */
  *hints(row: number): Generator<undefined, readonly Hint[]> {
    this.#readUpTo(row)
    const known = this.#hints.get(row)
    if (known) return known
    const emptied = this.#emptied
    const found = yield* this.#check(row)
    // rules look back only: a later cancellation does not change the result
    if (emptied === this.#store.emptied.peek()) this.#hints.set(row, found)
    return found
  }

  /** The revision of a row. */
  revisionAt(row: number): Revision {
    const store = this.#store
    return revisionOf(store.revision(row), this.#session(store.connection(row)))
  }

  *#check(row: number): Generator<undefined, Hint[]> {
    const store = this.#store
    const kind = store.kind(row)
    if (kind === 'world') return []
    const message = store.message(row)
    if (message === undefined) {
      const params = { problem: store.problem(row) }
      return [
        { severity: 'error', rule: 'json', at: '', sentence: { key: 'explain.hint.json', params } },
      ]
    }
    const revision = this.revisionAt(row)
    const answered = kind === 'result' || kind === 'error' ? store.method(row) : ''
    const rests: Rest[] = []
    const problems = messageProblems(message, revision, answered, rests)
    for (const rest of rests) {
      if (problems.length >= maxProblems) break
      yield
      problems.push(...rest())
    }
    const hints: Hint[] = problems.map(({ at, sentence }) => ({
      severity: 'error',
      rule: 'schema',
      at: pointer(at),
      sentence,
    }))
    const ruled = this.#ruled.get(row) ?? this.#unsubscribed(row, message, revision)
    if (ruled) hints.push(ruled)
    const said = object(object(object(message).params)._meta)[metaVersion]
    if (kind === 'request' && said !== undefined && said !== revision) {
      const params = { said: String(said), spoken: revision }
      const at = pointer(['params', '_meta', metaVersion])
      hints.push({
        severity: 'warning',
        rule: 'version',
        at,
        sentence: { key: 'explain.hint.version', params },
      })
    }
    return hints
  }

  #readUpTo(row: number) {
    if (this.#emptied !== this.#store.emptied.peek()) this.#begin()
    for (; this.#read <= row && this.#read < this.#store.length; this.#read++) {
      this.#learn(this.#read)
    }
  }

  #begin() {
    this.#emptied = this.#store.emptied.peek()
    this.#read = 0
    for (const map of [this.#ruled, this.#hints, this.#open, this.#cancelled]) map.clear()
    for (const map of [this.#listens, this.#subscriptions]) map.clear()
  }

  #learn(row: number) {
    const store = this.#store
    const connection = store.connection(row)
    const id = store.id(row)
    const direction = store.direction(row)
    const other = direction === 'out' ? 'in' : 'out'
    switch (store.kind(row)) {
      case 'request': {
        const key = `${connection} ${direction} ${id}`
        if (this.#open.has(key)) this.#rule(row, 'error', 'duplicateId', '/id')
        this.#open.set(key, row)
        this.#cancelled.delete(key)
        this.#begun(row, connection, id)
        return
      }
      case 'result':
      case 'error': {
        const key = `${connection} ${other} ${id}`
        const request = this.#open.get(key)
        if (request === undefined) {
          if (id !== '' && store.partner(row) < 0) this.#rule(row, 'error', 'unknownId', '/id')
          return
        }
        if (this.#cancelled.has(key)) this.#rule(row, 'warning', 'afterCancel', '')
        this.#open.delete(key)
        this.#ended(row, request, connection, id)
        return
      }
      case 'notification':
        if (store.method(row) !== 'notifications/cancelled') return
        this.#cancelled.add(`${connection} ${direction} ${store.target(row)}`)
        end(this.#listens.get(`${connection} ${store.target(row)}`), row)
    }
  }

  #begun(row: number, connection: number, id: string) {
    const store = this.#store
    switch (store.method(row)) {
      case 'subscriptions/listen':
        this.#listens.set(`${connection} ${id}`, { from: row, until: Number.POSITIVE_INFINITY })
        return
      case 'resources/subscribe': {
        const key = `${connection} ${store.target(row)}`
        this.#subscriptions.set(key, { from: row, until: Number.POSITIVE_INFINITY })
        return
      }
      case 'resources/unsubscribe':
        end(this.#subscriptions.get(`${connection} ${store.target(row)}`), row)
    }
  }

  #ended(row: number, request: number, connection: number, id: string) {
    const store = this.#store
    if (store.method(request) === 'subscriptions/listen')
      end(this.#listens.get(`${connection} ${id}`), row)
  }

  #rule(
    row: number,
    severity: Hint['severity'],
    rule: 'unknownId' | 'duplicateId' | 'afterCancel',
    at: string,
  ) {
    this.#ruled.set(row, { severity, rule, at, sentence: { key: `explain.hint.${rule}` } })
  }

  /** Notifications that require a subscription. Classic servers may name a sub-resource of a subscribed one. */
  #unsubscribed(row: number, message: unknown, revision: Revision): Hint | undefined {
    const store = this.#store
    const method = store.method(row)
    const connection = store.connection(row)
    if (store.kind(row) !== 'notification' || store.direction(row) !== 'in') return undefined
    const holds = (span: Span | undefined) =>
      span !== undefined && span.from < row && row <= span.until
    if (isModern(revision)) {
      if (!/\/(updated|list_changed|acknowledged)$/.test(method)) return undefined
      const id = object(object(object(message).params)._meta)[metaSubscription]
      if (holds(this.#listens.get(`${connection} ${JSON.stringify(id)}`))) return undefined
    } else {
      if (method !== 'notifications/resources/updated') return undefined
      for (const [key, span] of this.#subscriptions) {
        if (key.startsWith(`${connection} `) && holds(span)) return undefined
      }
    }
    return {
      severity: 'warning',
      rule: 'unsubscribed',
      at: '',
      sentence: { key: 'explain.hint.unsubscribed' },
    }
  }
}

/** The last row of a span belongs to it. */
function end(span: Span | undefined, row: number) {
  if (span && row < span.until) span.until = row
}
