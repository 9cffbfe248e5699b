/**
 * Checks a server by transcripts (checks.txtar), through connections of the playground, in both eras. It sends reads,
 * lists, subscriptions and malformed messages; it calls tools only if the user allows that.
 */

import { Connection } from '../connections/connection.ts'
import type { Dialer } from '../connections/transport.ts'
import type { Store } from '../messages/store.ts'
import { envelope, isObject, type Params, type Revision } from '../protocol/revisions.ts'
import { filled, Missing, matches, type Variables } from './match.ts'
import type { Check, Line } from './parse.ts'
import { type Asked, type Bounds, type Got, Peer, type Reply, Stopped } from './peer.ts'
import { keeps, type Rule, seenOf } from './rules.ts'
import { survey } from './survey.ts'

const responseTimeout = 5_000 // ms
const maxDuration = 120_000 // ms
const maxMessages = 2_000 // sent
const maxBytes = 32_000_000 // received
/** After so many checks without any response the server is taken as gone. */
const maxSilence = 3
const maxEvidence = 5 // of a requirement; failures come first

/** What shows whether a requirement holds. */
export interface Evidence {
  revision: Revision
  /** What was sent; `''`: the message came by itself. */
  sent: string
  wanted: string
  /** `''`: nothing. */
  received: string
}

/** The outcome for one requirement. `none`: it does not apply, with the reason. */
export interface Outcome {
  id: string
  state: 'passed' | 'failed' | 'none'
  reason: string
  evidence: readonly Evidence[]
}

export interface Report {
  server: string
  /** ms since 1970 */
  started: number
  /** ms */
  took: number
  /** Why the run ended early; `''`: it did not. */
  stopped: string
  outcomes: readonly Outcome[]
}

export interface RunOptions {
  store: Store
  signal: AbortSignal
  /** Whether tools may be called. */
  mayCall?: boolean
  /** ms that a response may take. */
  timeout?: number
  /** Called after each check, with the part that is done. */
  progressed?(part: number): void
}

/** A check does not apply to this server. */
class Skipped extends Error {}

const eras = ['2026-07-28', '2025-11-25'] as const satisfies readonly Revision[]

export const idsOf = (checks: readonly Check[]): string[] =>
  [...new Set(checks.flatMap(({ ids }) => ids.map(bare)))].sort()

/** An id without its revision. */
const bare = (id: string) => id.split('@')[0] as string

export async function runChecks(
  dialer: Dialer,
  checks: readonly Check[],
  { store, signal, mayCall = false, timeout = responseTimeout, progressed }: RunOptions,
): Promise<Report> {
  const started = Date.now()
  const bounds: Bounds = {
    signal: AbortSignal.any([signal, AbortSignal.timeout(maxDuration)]),
    messages: maxMessages,
    bytes: maxBytes,
    timeout,
  }
  const found = new Map<string, { passed: Evidence[]; failed: Evidence[] }>()
  const reasons = new Map<string, string>()
  const none = (ids: readonly string[], reason: string) => {
    for (const id of ids) if (!reasons.has(id)) reasons.set(id, reason)
  }
  const judged = (ids: readonly string[], holds: boolean, evidence: Evidence) => {
    for (const id of ids) {
      const all = found.get(id) ?? { passed: [], failed: [] }
      found.set(id, all)
      const some = holds ? all.passed : all.failed
      if (some.length < maxEvidence) some.push(evidence)
    }
  }
  let stopped = ''
  let done = 0
  const greeted = new Set<Revision>()

  const era = async (revision: Revision) => {
    const peers: Peer[] = []
    const open = async (to = dialer) => {
      const connection = new Connection(to, 'T', store)
      const peer = new Peer(connection, revision, bounds, store)
      peers.push(peer)
      await connection.open()
      if (!peer.isOpen) throw new Skipped(`no connection: ${peer.reason}`)
      return peer
    }
    const inEra = checks.map(({ ids, lines }) => ({
      ids: ids.filter((id) => (id.split('@')[1] ?? revision) === revision).map(bare),
      lines: lines.filter(({ only }) => only === '' || only === revision),
    }))
    let caps: Params = {}
    const main = await open()
    try {
      const { result } = await main.handshake()
      if (!result) {
        none(
          inEra.flatMap(({ ids, lines }) => (lines.length > 0 ? ids : [])),
          `it does not support ${revision}`,
        )
        return
      }
      greeted.add(revision)
      caps = isObject(result.capabilities) ? result.capabilities : {}
      const known: Variables = {
        ...(await survey(main, caps)),
        version: result.protocolVersion,
        versions: result.supportedVersions,
        envelope: envelope('2026-07-28'),
      }
      const conditions: Params = {
        ...caps,
        http: main.kind === 'http',
        calls: mayCall,
        modern: greeted.has('2026-07-28'),
      }
      let silence = 0
      for (const { ids, lines } of inEra) {
        const steps = lines.filter(({ what }) => what !== 'rule')
        progressed?.(++done / (2 * checks.length))
        if (steps.length === 0) continue
        const opened = peers.length
        const each = steps.find(({ what }) => what === 'each')
        const items = each ? (known[each.text] as Variables[] | undefined) : [{}]
        if (!items?.length) none(ids, `no ${each?.text}`)
        for (const item of items ?? []) {
          try {
            const variables = { ...known, ...item }
            const talk = new Talk({ main, open, dialer, conditions, variables })
            for (const [index, line] of steps.entries())
              await talk.play(line, steps[index + 1], (holds, evidence) => {
                silence = evidence.received === '' && !holds ? silence + 1 : 0
                judged(ids, holds, { ...evidence, revision })
              })
          } catch (error) {
            if (!(error instanceof Skipped || error instanceof Missing)) throw error
            none(ids, error.message)
          }
        }
        for (const peer of peers.slice(opened)) peer.close()
        if (silence <= maxSilence && main.isOpen) continue
        stopped = main.isOpen ? 'The server does not respond.' : 'The connection closed.'
        return
      }
    } finally {
      for (const { ids, lines } of inEra)
        for (const { what, text } of lines) {
          if (what !== 'rule') continue
          const rule = JSON.parse(text) as Rule
          for (const peer of peers)
            for (const got of peer.got) {
              const { message } = got
              const asked = peer.requestOf(got)
              if ('failed' in message || 'batch' in message) continue
              // A request of the other era is judged by no rule.
              if (asked && isModernRequest(asked) !== peer.isModern) continue
              const holds = keeps(seenOf(got, peer, caps), rule, revision)
              if (holds === undefined) continue
              const sent = asked ? store.raw(asked.row) : ''
              judged(ids, holds, { revision, sent, wanted: text, received: got.text })
            }
        }
      for (const peer of peers) peer.close()
    }
  }

  try {
    for (const revision of eras) if (!stopped) await era(revision)
    if (greeted.size === 0) stopped ||= 'The server accepts neither server/discover nor initialize.'
  } catch (error) {
    if (error instanceof Skipped) stopped = error.message
    else if (!(error instanceof Stopped)) throw error
    else stopped = signal.aborted ? 'Stopped.' : 'The limit of time or messages was reached.'
  }
  return {
    server: dialer.url || dialer.title,
    started,
    took: Date.now() - started,
    stopped,
    outcomes: idsOf(checks).map((id): Outcome => {
      const { passed = [], failed = [] } = found.get(id) ?? {}
      if (failed.length > 0) return { id, state: 'failed', reason: '', evidence: failed }
      return passed.length > 0
        ? { id, state: 'passed', reason: '', evidence: passed }
        : {
            id,
            state: 'none',
            reason: reasons.get(id) ?? (stopped || 'no such message in this run'),
            evidence: [],
          }
    }),
  }
}

/** Whether a request has the envelope. */
const isModernRequest = ({ params }: Asked): boolean =>
  isObject(params._meta) && 'io.modelcontextprotocol/protocolVersion' in params._meta

interface TalkOptions {
  main: Peer
  open(to?: Dialer): Promise<Peer>
  dialer: Dialer
  conditions: Params
  variables: Variables
}

type Judge = (holds: boolean, evidence: Omit<Evidence, 'revision'>) => void

/** One play of a check. */
class Talk {
  readonly #options: TalkOptions
  readonly #peers = new Map<string, Peer>()
  readonly #last = new Map<string, { text: string; asked?: Asked; reply?: Reply }>()
  #begun: Got[] = [] // received before the check

  constructor(options: TalkOptions) {
    this.#options = options
    this.#peers.set('', options.main)
    this.#begun = [...options.main.got]
  }

  async play(line: Line, next: Line | undefined, judge: Judge): Promise<void> {
    const { what, client, text } = line
    const { open, dialer, variables } = this.#options
    switch (what) {
      case 'need':
        for (const condition of text.split(' ')) this.#need(condition)
        return
      case 'headers': {
        const headers = Object.entries(JSON.parse(text) as Record<string, string>)
        this.#peers.set(client, await open(dialer.withHeaders?.(headers)))
        return
      }
      case 'open': {
        const peer = await open()
        this.#peers.set(client, peer)
        if (text === 'bare') return
        const { result } = await peer.handshake(text || undefined)
        if (text && result?.protocolVersion !== text) throw new Skipped(`${text} not supported`)
        return
      }
      case 'send':
        return this.#send(client, filled(JSON.parse(text), variables), next)
      case 'quoted':
        return this.#raw(client, String(JSON.parse(text)), next)
      case 'contains':
      case 'expect':
        return this.#expect(line, judge)
    }
  }

  #need(condition: string) {
    const { conditions, variables } = this.#options
    const wanted = !condition.startsWith('!')
    const path = condition.replace('!', '')
    const value = path.startsWith('$')
      ? variables[path.slice(1)]
      : path
          .split('.')
          .reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), conditions)
    if (wanted !== !!value) throw new Skipped(wanted ? `no ${path}` : `it has ${path}`)
  }

  #peer(client: string): Peer {
    const peer = this.#peers.get(client)
    if (!peer) throw new Error(`client ${client} is not open`)
    return peer
  }

  /** Completes a message: a request that is valid then is tracked, anything else is a text. */
  async #send(client: string, given: unknown, next: Line | undefined) {
    const peer = this.#peer(client)
    const own = isObject(given) ? given : {}
    const isNotice = String(own.method).startsWith('notifications/')
    const message: Params = {
      jsonrpc: '2.0',
      ...(!isNotice && { id: `${peer.nextId()}` }),
      ...(!isNotice && { method: peer.isModern ? 'server/discover' : 'ping' }),
      ...own,
    }
    if (peer.isModern && !isNotice) message.params = withEnvelope(own.params, peer.revision)
    for (const [name, value] of Object.entries(message))
      if (value === '$absent') delete message[name]
    const { id, method } = message
    const isValid =
      !isNotice &&
      message.jsonrpc === '2.0' &&
      (typeof id === 'string' || Number.isInteger(id)) &&
      typeof method === 'string'
    const text = JSON.stringify(message)
    if (isValid) this.#last.set(client, { text, asked: peer.begin(message) })
    else await this.#raw(client, text, next)
  }

  async #raw(client: string, text: string, next: Line | undefined) {
    const peer = this.#peer(client)
    if (next?.what === 'expect' && next.client === client)
      this.#last.set(client, { text, reply: await peer.raw(text, next.text !== '') })
    else {
      peer.send(text)
      this.#last.set(client, { ...this.#last.get(client), text })
    }
  }

  async #expect({ what, client, text }: Line, judge: Judge) {
    const peer = this.#peer(client)
    const { variables } = this.#options
    const sent = this.#last.get(client)?.text ?? ''
    const since = () => peer.got.filter((got) => !this.#begun.includes(got))
    if (what === 'contains') {
      const wanted = String(JSON.parse(text))
      const found = () => since().find((got) => got.text.includes(wanted))
      await peer.until(() => found() !== undefined)
      return judge(found() !== undefined, { sent, wanted: text, received: found()?.text ?? '' })
    }
    if (text === '') {
      const { reply } = this.#last.get(client) ?? {}
      // HTTP may refuse a notification by an error without an id, as the body of its status.
      const refused = peer.kind === 'http' && reply?.error && !reply.text.includes('"id"')
      const holds = !reply?.text || refused === true
      return judge(holds, { sent, wanted: 'no response', received: reply?.text ?? '' })
    }
    const pattern = filled(JSON.parse(text), variables, true) as Params
    if (pattern.method !== undefined) {
      const found = () => since().find(({ message }) => matches(pattern, message, { ...variables }))
      await peer.until(() => found() !== undefined)
      return judge(found() !== undefined, { sent, wanted: text, received: found()?.text ?? '' })
    }
    const last = this.#last.get(client)
    const asked =
      'id' in pattern && pattern.id !== '$absent'
        ? peer.asked.findLast(({ id }) => id === pattern.id)
        : last?.asked
    const reply = asked ? await peer.reply(asked) : last?.reply
    const message = reply?.message
    const status = reply && peer.store.http(reply.row)?.status
    const seen = message && { ...message, ...(status !== undefined && { status }) }
    const holds = seen !== undefined && matches(pattern, seen, variables)
    judge(holds, { sent, wanted: text, received: reply?.text ?? '' })
  }
}

/** Params with the envelope; a member `"$absent"` is left out of it, and so is `_meta`. */
function withEnvelope(params: unknown, revision: Revision): unknown {
  if (params === undefined) return { _meta: envelope(revision) }
  if (!isObject(params)) return params
  if (params._meta === '$absent') return { ...params, _meta: undefined }
  const own = isObject(params._meta) ? params._meta : {}
  const all = Object.entries({ ...envelope(revision), ...own })
  return { ...params, _meta: Object.fromEntries(all.filter(([, value]) => value !== '$absent')) }
}
