/** What a rule sees of a message, and the terms in which rules are written. */

import type { Params } from '../../protocol/revisions.ts'
import { schemaNamed } from '../../protocol/schema.ts'
import { problemsOf } from '../../protocol/validate.ts'
import { type Era, type Got, isObject, type Peer, revisionOf } from '../peer.ts'

/** What a rule sees of a message. */
export interface Seen {
  got: Got
  peer: Peer
  /** The era of the request, or of the client. */
  era: Era
  /** The capabilities that the server declared in this era. */
  caps: Params
  status: number | undefined
  method: string
  result: Params | undefined
  error: { code: number; message: string; data?: unknown } | undefined
  /** Of a notification. */
  params: Params
  /** The listen request that a notification names. */
  listen: Params | undefined
  /** Whether a notification names a subscription. */
  subscription: unknown
}

/** `ids eras`, and whether a message fits; undefined: the rule is not about it. */
export type Rule = readonly [string, (seen: Seen) => unknown]

export const fits = (value: unknown, type: string, era: Era): boolean => {
  const schema = schemaNamed(revisionOf[era], type)
  return schema !== undefined && problemsOf(value, schema).length === 0
}

/** Lists: the method, its member, and the type of an item. */
export const lists: readonly (readonly [string, string, string])[] = [
  ['resources/list', 'resources', 'Resource'],
  ['resources/templates/list', 'resourceTemplates', 'Template'],
  ['prompts/list', 'prompts', 'Prompt'],
  ['tools/list', 'tools', 'Tool'],
]

/** Resources, prompts or contents of a result: items of the array of this name. */
export const items = (value: unknown, name: string): Params[] | undefined => {
  const all = isObject(value) ? value[name] : undefined
  return Array.isArray(all) ? all.filter(isObject) : undefined
}

export const all = <T>(
  some: readonly T[] | undefined,
  holds: (one: T) => unknown,
): boolean | undefined => (some?.length ? some.every(holds) : undefined)

/** All values of members with this name, at any depth of a result. */
export function members(value: unknown, name: string, found: unknown[] = [], depth = 0): unknown[] {
  if (depth > 9 || typeof value !== 'object' || value === null) return found
  for (const [key, inner] of Object.entries(value)) {
    if (key === name && !Array.isArray(value)) found.push(inner)
    if (!/[sS]chema$|^structuredContent$/.test(key)) members(inner, name, found, depth + 1)
  }
  return found
}

export const every = (name: string, holds: (one: unknown) => unknown) => (seen: Seen) =>
  all(members(seen.result, name), holds)

export const annotations = (name: string, holds: (one: unknown) => unknown) =>
  every('annotations', (one) => !isObject(one) || !(name in one) || holds(one[name]))

export const icons = (holds: (one: Params) => unknown) =>
  every('icons', (some) => Array.isArray(some) && some.every((one) => isObject(one) && holds(one)))

export const isString = (value: unknown): value is string => typeof value === 'string'

export const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
export const mime = /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w.+-]+=("[^"]*"|[^\s;"]+))*$/
export const uri = /^[A-Za-z][\w+.-]*:(?:[!-$&-;=?-Z_a-z~[\]]|%[\dA-Fa-f]{2})*$/ // RFC 3986
export const key =
  /^([A-Za-z]([\w-]*[^\W_])?(\.[A-Za-z]([\w-]*[^\W_])?)*\/)?([^\W_]([\w.-]*[^\W_])?)?$/
export const date = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/ // ISO 8601
/** Keys that the core defines under its reserved prefix. */
export const core = /^io\.modelcontextprotocol\/(serverInfo|subscriptionId|related-task|ui.*)$/
export const stack = /\n\s+at |goroutine \d+ |Traceback \(|\.(?:go|ts|js|py|java|cs):\d+/
export const listed = /^(?:resources|resources\/templates|prompts|tools)\/list$/
export const cached = /^(?:server\/discover|resources\/read|.*\/list)$/
export const changed = /^notifications\/(resources|prompts|tools)\/list_changed$/
export const log = 'notifications/message'
export const progress = 'notifications/progress'
export const inputs = /^(?:resources\/read|prompts\/get|tools\/call)$/

export const needsInput = ({ result }: Seen) => result?.resultType === 'input_required'
export const hints = (result: Params) => 'ttlMs' in result || 'cacheScope' in result
export const metaOf = ({ params }: { params: Params }) =>
  isObject(params._meta) ? params._meta : {}
export const tokens = (peer: Peer) => peer.asked.map((one) => metaOf(one).progressToken)
export const when = (applies: unknown, holds: () => unknown): boolean | undefined =>
  applies ? !!holds() : undefined
export const contents = ({ method, result }: Seen) =>
  method === 'resources/read' ? items(result, 'contents') : undefined
export const blocks = ({ method, result }: Seen) =>
  method === 'prompts/get' ? items(result, 'messages') : undefined
export const filter = ({ listen }: Seen): Params =>
  isObject(listen?.notifications) ? listen.notifications : {}
/** A change of a part of a resource is announced with the URI of the part. */
export const covers = (some: unknown, uri: unknown) =>
  Array.isArray(some) && some.some((one) => isString(uri) && uri.startsWith(String(one)))
