/**
 * What must hold for each message of a server, whatever was asked. A rule is JSON:
 *
 *     if      JSON Schema: whether the rule is about a message
 *     at      the values to look at: `result.resources[].uri`, or an array of names; `**.icons` is members at any depth of the result
 *     then    JSON Schema that each value fits
 *     fits    the name of a type of the revision, which each value has
 *     unique  a member in which the items of an array differ
 *
 * The message has further members: see {@link Seen}.
 */

import { isObject, type Params, type Revision } from '../protocol/revisions.ts'
import { schemaNamed } from '../protocol/schema.ts'
import { problemsOf } from '../protocol/validate.ts'
import { fitsSchema } from './match.ts'
import type { Got, Peer } from './peer.ts'

export interface Rule {
  if?: unknown
  at?: string | readonly string[]
  then?: unknown
  fits?: string
  unique?: string
}

/** A message as rules see it. */
export interface Seen extends Params {
  /** Of the request that it answers, or its own. */
  method: string
  /** Params of the request that it answers. */
  asked?: Params
  /** Whether it has a method itself. */
  isOwn: boolean
  /** HTTP status of a response. */
  status?: number
  /** The capabilities that the server declared. */
  caps: Params
  /** Of progress: whether its token was sent, its request is open, and its number is larger than the one before. */
  isExpected?: boolean
  /** Of a notification that needs a subscription: whether there is one that asked for it, and acknowledged it before. */
  isWanted?: boolean
}

const subscriptionId = 'io.modelcontextprotocol/subscriptionId'
const metaOf = (params: unknown): Params =>
  isObject(params) && isObject(params._meta) ? params._meta : {}
const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

export function seenOf(got: Got, peer: Peer, caps: Params): Seen {
  const { message } = got
  const asked = peer.requestOf(got)
  const status = peer.store.http(got.row)?.status
  const method = String(asked?.method ?? message.method ?? '')
  const params = isObject(message.params) ? message.params : {}
  return {
    ...message,
    method,
    isOwn: message.method !== undefined,
    ...(asked && { asked: asked.params }),
    ...(asked && status !== undefined && { status }),
    caps,
    ...(method === 'notifications/progress' && { isExpected: isExpected(got, params, peer) }),
    ...(/^notifications\/.*(_changed|updated|acknowledged)$/.test(method) && {
      isWanted: isWanted(got, method, params, peer),
    }),
  }
}

function isExpected(got: Got, { progressToken, progress }: Params, peer: Peer): boolean {
  const at = peer.got.indexOf(got)
  const request = peer.asked.find(({ params }) => same(metaOf(params).progressToken, progressToken))
  if (!request) return false
  const answered = peer.store.partner(request.row)
  if (answered >= 0 && answered < got.row) return false
  return peer.got.slice(0, at).every(({ message }) => {
    const before = isObject(message.params) ? message.params : {}
    return (
      message.method !== 'notifications/progress' ||
      !same(before.progressToken, progressToken) ||
      Number(before.progress) < Number(progress)
    )
  })
}

/** A change of a part of a resource is announced with the URI of the part. */
const covers = (uris: unknown, uri: unknown) =>
  Array.isArray(uris) && uris.some((one) => String(uri).startsWith(String(one)))

function isWanted(got: Got, method: string, params: Params, peer: Peer): boolean {
  const kind = /^notifications\/(\w+)\/list_changed$/.exec(method)?.[1]
  const id = metaOf(params)[subscriptionId]
  const listen = peer.asked.find((one) => one.method.endsWith('/listen') && same(one.id, id))
  if (!listen && peer.isModern) return false
  if (!listen)
    return (
      kind !== undefined ||
      peer.asked.some(
        (one) => one.method === 'resources/subscribe' && covers([one.params.uri], params.uri),
      )
    )
  const isFirst =
    peer.got.find(({ message }) => same(metaOf(message.params)[subscriptionId], id)) === got
  const isAck = method.endsWith('acknowledged')
  if (isFirst !== isAck) return false
  const filter = isObject(listen.params.notifications) ? listen.params.notifications : {}
  if (isAck) return true
  return kind
    ? filter[`${kind}ListChanged`] === true
    : covers(filter.resourceSubscriptions, params.uri)
}

/** Whether a message keeps a rule; undefined: the rule is not about it. */
export function keeps(seen: Seen, rule: Rule, revision: Revision): boolean | undefined {
  if (rule.if !== undefined && !fitsSchema(rule.if, seen)) return undefined
  const values = rule.at === undefined ? [seen] : valuesAt(seen, rule.at)
  if (values.length === 0) return undefined
  const { then: schema = true, fits, unique } = rule
  const type = fits === undefined ? undefined : schemaNamed(revision, fits)
  return values.every(
    (one) =>
      fitsSchema(schema, one) &&
      (type === undefined || problemsOf(one, type).length === 0) &&
      (unique === undefined || isUnique(one, unique)),
  )
}

function isUnique(value: unknown, name: string): boolean {
  const all = Array.isArray(value) ? value.map((one) => isObject(one) && one[name]) : []
  return new Set(all).size === all.length
}

function valuesAt(seen: Seen, path: string | readonly string[]): unknown[] {
  const steps = typeof path === 'string' ? path.split('.') : path
  if (steps[0] === '**') return members(seen.result, steps[1] as string)
  let values: unknown[] = [seen]
  for (const step of steps) {
    const name = step.replace('[]', '')
    values = values.flatMap((value) => (isObject(value) && name in value ? [value[name]] : []))
    if (step.endsWith('[]')) values = values.flatMap((one) => (Array.isArray(one) ? one : []))
  }
  return values
}

const maxDepth = 10 // of results; schemas and structured contents are not of the protocol

/** All values of members with this name. */
function members(value: unknown, name: string, depth = 0): unknown[] {
  if (depth === maxDepth || typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name && !Array.isArray(value) ? [inner] : []),
    ...(/[sS]chema$|^structuredContent$/.test(key) ? [] : members(inner, name, depth + 1)),
  ])
}
