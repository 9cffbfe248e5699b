/**
 * Runs the checks against a server, through connections of the playground, so that the timeline has each
 * message. It sends reads, lists, subscriptions and malformed messages; it calls tools only if the user allows
 * that. Both eras are tried, one after the other. At the end all connections are closed, and with them the
 * subscriptions.
 */

import { Connection } from '../connections/connection.ts'
import { setClientName } from '../connections/names.ts'
import type { Dialer } from '../connections/transport.ts'
import type { Store } from '../messages/store.ts'
import type { Params } from '../protocol/revisions.ts'
import { checks } from './checks.ts'
import { type Bounds, type Era, type Got, isObject, isResponse, Peer, Stopped } from './peer.ts'
import { lists, type Rule, type Seen } from './rules/seen.ts'
import { rules } from './rules.ts'
import { type Evidence, Skipped, Trial } from './trial.ts'

const responseTimeout = 5_000 // ms
const maxDuration = 120_000 // ms
const maxMessages = 1_500 // sent
const maxBytes = 32_000_000 // received
/** After so many requests without a response the server is taken as gone. */
const maxSilence = 3

/** The outcome for one requirement. `none`: it does not apply, with the reason. */
export interface Outcome {
  id: string
  state: 'passed' | 'failed' | 'none'
  reason: string
  /** What shows it; of a failure the failed ones first. */
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
  /** Only checks and rules with one of these ids. */
  only?: readonly string[]
  /** Called after each check, with the part that is done. */
  progressed?(part: number): void
}

const split = (ids: string): readonly string[] => ids.split(' ')

/** All ids that are checked, in order. */
export const checkedIds: readonly string[] = [
  ...new Set([
    'R-054',
    ...checks.flatMap(([ids]) => split(ids)),
    ...rules.flatMap(([ids]) => split(ids).slice(0, -1)),
  ]),
].sort()

export async function runChecks(dialer: Dialer, options: RunOptions): Promise<Report> {
  const { store, signal, only, timeout = responseTimeout } = options
  const started = Date.now()
  const evidence: Evidence[] = []
  const reasons = new Map<string, string>()
  const wanted = (ids: readonly string[]) => !only || ids.some((id) => only.includes(id))
  const limit = AbortSignal.timeout(maxDuration)
  const bounds: Bounds = {
    signal: AbortSignal.any([signal, limit]),
    messages: maxMessages,
    bytes: maxBytes,
    timeout,
  }
  let stopped = ''
  // Rules judge what any check receives.
  const ruleWanted = only?.some((id) => rules.some(([ids]) => ids.includes(id)))
  const todo = checks.filter(([ids]) => ruleWanted || wanted(split(ids)))
  let done = 0
  let silence = 0
  let greeted = false

  const era = async (name: Era) => {
    const all: Peer[] = []
    const open = async () => {
      const connection = new Connection(dialer, 'T', store)
      setClientName(connection.id, { letter: 'T', title: dialer.title })
      const peer = new Peer(connection, name, bounds, store)
      all.push(peer)
      await connection.open()
      if (!peer.isOpen) throw new Skipped(`no connection: ${peer.reason}`)
      return peer
    }
    const relevant = todo.filter(([, eras]) => eras.includes(name))
    const none = (ids: readonly string[], reason: string) => {
      for (const id of ids) if (!reasons.has(id)) reasons.set(id, reason)
    }
    const collect = (trial: Trial) => {
      evidence.push(...trial.evidence)
      evidence.push(
        ...ruled(
          trial,
          all,
          rules.filter(([ids]) => wanted(split(ids))),
        ),
      )
    }
    try {
      const main = await open()
      const greeting = await main.handshake()
      const trial = new Trial(main, greeting, open, options.mayCall ?? false)
      greeted ||= greeting.result !== undefined
      if (!greeting.result) {
        const stray = main.got.find((got) => isResponse(got) && !got.asked)
        if (stray) trial.ok('R-003', stray, false, 'the id of the request')
        if (name === 'D' && greeting.error) {
          const { supported } = (greeting.error.data ?? {}) as Params
          trial.ok('R-054', greeting, Array.isArray(supported), 'data.supported')
        }
        for (const [method] of name === 'E' ? lists : []) {
          const { result } = await trial.ask(method)
          if (result && 'resultType' in result)
            trial.ok('R-039', greeting, false, `a result, as for ${method}`)
        }
        none(
          relevant.flatMap(([ids]) => split(ids)),
          name === 'E' ? 'it does not support 2026-07-28' : 'it does not support 2025-11-25',
        )
        collect(trial)
        return
      }
      await trial.survey()
      for (const [ids, , check] of relevant) {
        const before = trial.evidence.length
        const opened = all.length
        try {
          await check(trial)
          if (trial.evidence.slice(before).some(({ detail }) => detail.endsWith('nothing')))
            silence++
        } catch (error) {
          if (error instanceof Skipped) none(split(ids), error.message)
          else if (error instanceof Stopped) throw error
          else
            trial.ok(
              ids,
              greeting,
              false,
              `a response that can be read (${(error as Error).message})`,
            )
        }
        for (const peer of all.slice(Math.max(opened, 1))) peer.close()
        options.progressed?.(++done / (todo.length * 1.6))
        if (silence > maxSilence || !main.isOpen) {
          stopped = main.isOpen ? 'The server does not respond.' : 'The connection closed.'
          break
        }
      }
      collect(trial)
    } catch (error) {
      if (error instanceof Skipped) stopped ||= error.message
      else throw error
    } finally {
      for (const peer of all) peer.close()
    }
  }

  try {
    await era('E')
    if (!stopped) await era('D')
    if (!greeted) stopped ||= 'The server accepts neither server/discover nor initialize.'
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    stopped = signal.aborted ? 'Stopped.' : 'The limit of time or messages was reached.'
  }
  const ids = only ? checkedIds.filter((id) => only.includes(id)) : checkedIds
  return {
    server: dialer.url || dialer.title,
    started,
    took: Date.now() - started,
    stopped,
    outcomes: ids.map((id) => outcome(id, evidence, reasons.get(id) ?? stopped)),
  }
}

function outcome(id: string, evidence: readonly Evidence[], reason: string): Outcome {
  const own = evidence.filter((one) => one.id === id)
  const failed = own.filter(({ ok }) => !ok)
  if (failed.length > 0)
    return { id, state: 'failed', reason: failed[0]?.detail ?? '', evidence: failed }
  return own.length > 0
    ? { id, state: 'passed', reason: '', evidence: own }
    : { id, state: 'none', reason: reason || 'no such message in this run', evidence: [] }
}

/** Applies the rules to all that the clients of an era received. */
function ruled(trial: Trial, peers: readonly Peer[], all: readonly Rule[]): Evidence[] {
  const found: Evidence[] = []
  const record = new Trial(trial.main, trial.greeting, trial.fresh, false)
  for (const peer of peers)
    for (const got of peer.got) {
      if ('failed' in got.message || Array.isArray(got.message.batch)) continue
      const seen = seenIn(got, peer, trial.caps)
      for (const [ids, holds] of all) {
        const at = ids.lastIndexOf(' ')
        if (!ids.includes(seen.era, at)) continue
        const fits = holds(seen)
        if (fits === undefined) continue
        record.era = seen.era
        record.ok(ids.slice(0, at), got, fits)
      }
    }
  found.push(...record.evidence)
  return found
}

function seenIn(got: Got, peer: Peer, caps: Params): Seen {
  const { message, asked } = got
  const params = isObject(message.params) ? message.params : {}
  const meta = isObject(params._meta) ? params._meta : {}
  const subscription = meta['io.modelcontextprotocol/subscriptionId']
  return {
    got,
    peer,
    era: asked?.era ?? peer.era,
    caps,
    status: peer.status(got.row),
    method: String(asked?.method ?? message.method ?? ''),
    result: isObject(message.result) ? message.result : undefined,
    error: isObject(message.error) ? (message.error as unknown as Seen['error']) : undefined,
    params,
    subscription,
    listen: peer.asked.find(
      ({ id, method }) =>
        method === 'subscriptions/listen' && JSON.stringify(id) === JSON.stringify(subscription),
    )?.params,
  }
}
