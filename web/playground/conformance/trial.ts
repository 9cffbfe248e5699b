/** One era of a run: its clients, what the server offers, and the verdicts so far. */

import type { Params } from '../protocol/revisions.ts'
import { type Era, isObject, type Peer, type Reply, type Stopped } from './peer.ts'
import { lists } from './rules/seen.ts'

/** Pages of a list that are fetched, and items that are read. */
const maxPages = 3
const maxReads = 4

/** A message that shows whether a requirement holds. */
export interface Evidence {
  id: string
  ok: boolean
  era: Era
  /** The row of the response, or of the request without one. */
  row: number
  /** What was wanted and received, in English; `''` if it holds. */
  detail: string
}

/** A check does not apply to this server. */
export class Skipped extends Error {}

export const skip = (reason: string): never => {
  throw new Skipped(reason)
}

export type { Stopped }

/** `ids eras`, the capability that it needs, and the messages. */
export type Check = readonly [string, string, (trial: Trial) => Promise<void>]

export class Trial {
  era: Era
  readonly main: Peer
  readonly evidence: Evidence[] = []
  /** The response to the handshake. */
  readonly greeting: Reply
  readonly caps: Params
  readonly mayCall: boolean
  /** Items of the lists, by member. */
  readonly items: { [member: string]: Params[] } = {}
  /** A cursor that leads to a second page, by method. */
  readonly cursors: { [method: string]: string } = {}
  readonly #open: () => Promise<Peer>

  constructor(main: Peer, greeting: Reply, open: () => Promise<Peer>, mayCall: boolean) {
    this.main = main
    this.era = main.era
    this.greeting = greeting
    this.caps = isObject(greeting.result?.capabilities) ? greeting.result.capabilities : {}
    this.#open = open
    this.mayCall = mayCall
  }

  /** Reads the lists, and some of the resources. The rules look at these responses. */
  async survey(): Promise<void> {
    for (const [method, member] of lists) {
      const found: Params[] = []
      let cursor: unknown
      for (let page = 0; page < maxPages && (page === 0 || typeof cursor === 'string'); page++) {
        const { result } = await this.ask(method, page === 0 ? {} : { cursor })
        const some = result?.[member]
        found.push(...(Array.isArray(some) ? some.filter(isObject) : []))
        cursor = result?.nextCursor
        if (page === 0 && typeof cursor === 'string') this.cursors[method] = cursor
      }
      this.items[member] = found
    }
    for (const { uri } of this.some('resources').slice(0, maxReads))
      await this.ask('resources/read', { uri, _meta: { progressToken: `read ${String(uri)}` } })
  }

  /** The items of a list. */
  some(member: string): Params[] {
    return this.items[member] ?? []
  }

  /** The first item of a list; without one, the check does not apply. */
  first(member: string): Params {
    return this.some(member)[0] ?? skip(`no ${member}`)
  }

  ask(method: string, params?: Params, options?: { as?: Era; id?: unknown }): Promise<Reply> {
    return this.main.ask(method, params, options)
  }

  /** A further client, open, which has sent nothing. */
  fresh(): Promise<Peer> {
    return this.#open()
  }

  /** A further client after its handshake. */
  async another(version?: string): Promise<Peer> {
    const peer = await this.fresh()
    await peer.handshake(version)
    return peer
  }

  /** Records whether requirements hold. */
  ok(ids: string, { row, text }: { row: number; text?: string }, holds: unknown, wanted = '') {
    const detail = holds
      ? ''
      : `${wanted && `wanted ${wanted}; `}received ${(text || 'nothing').slice(0, 300)}`
    for (const id of ids.split(' '))
      this.evidence.push({ id, ok: !!holds, era: this.era, row, detail })
  }

  /** Records whether a request was rejected with one of the codes. */
  refused(ids: string, reply: Reply, ...codes: number[]) {
    const code = reply.error?.code
    this.ok(
      ids,
      reply,
      code !== undefined && (codes.length === 0 || codes.includes(code)),
      `error ${codes.join(' or ')}`,
    )
  }

  /** Records whether a request succeeded. */
  gave(ids: string, reply: Reply, holds: (result: Params) => unknown = () => true, wanted = '') {
    this.ok(ids, reply, reply.result && holds(reply.result), `a result ${wanted}`)
  }

  /** Records whether a text stayed without a response. */
  silent(ids: string, replies: Reply[]) {
    for (const reply of replies) {
      // HTTP may refuse a notification by an error without an id, as the body of its status.
      const refused = this.main.kind === 'http' && reply.error && !('id' in JSON.parse(reply.text))
      this.ok(ids, reply, reply.text === '' || refused, 'no response')
    }
  }
}
