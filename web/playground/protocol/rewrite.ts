/** Rewrites a message for another revision, with notes about the changes. */

import type { Sentence } from './explain.ts'
import { methodNamed } from './methods.ts'
import { pretty } from './pretty.ts'
import {
  clientInfo,
  envelope,
  isModern,
  isObject,
  type Params,
  type Revision,
} from './revisions.ts'

export interface Rewritten {
  /** Unchanged, if no change was necessary. */
  text: string
  /** Changes and parts without counterpart, in the order of the message; never empty. */
  notes: readonly Sentence[]
}

const prefix = 'io.modelcontextprotocol/'

/**
 * Rewrites a message of a client. Parts without counterpart stay, with a note. Multi-line texts stay
 * multi-line; numbers beyond 2^53 lose precision.
 */
export function rewrite(text: string, from: Revision, to: Revision): Rewritten {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch {
    return { text, notes: [{ key: 'explain.change.broken' }] }
  }
  if (!isObject(message) || typeof message.method !== 'string') {
    return { text, notes: [{ key: 'explain.change.none' }] }
  }
  const notes: Sentence[] = []
  const before = JSON.stringify(message)
  const next = isModern(to) ? toModern(message, to, notes) : toClassic(message, from, to, notes)
  const after = JSON.stringify(next)
  if (notes.length === 0) notes.push({ key: 'explain.change.none' })
  if (after === before) return { text, notes }
  return { text: text.includes('\n') ? pretty(next) : after, notes }
}

function toModern(message: Params, to: Revision, notes: Sentence[]): Params {
  const params = isObject(message.params) ? message.params : {}
  const meta = isObject(params._meta) ? params._meta : {}
  let method = message.method as string
  let rest: Params = params
  let own: Params = meta
  if (method === 'initialize') {
    method = 'server/discover'
    rest = {}
    own = {
      ...(isObject(params.clientInfo) && { [`${prefix}clientInfo`]: params.clientInfo }),
      ...(isObject(params.capabilities) && {
        [`${prefix}clientCapabilities`]: params.capabilities,
      }),
      ...meta,
    }
    notes.push({ key: 'explain.change.discover' })
  } else if (method === 'resources/subscribe') {
    method = 'subscriptions/listen'
    rest = {
      notifications: { resourceSubscriptions: params.uri === undefined ? [] : [params.uri] },
    }
    notes.push({ key: 'explain.change.listen' })
  } else flagRemoved(method, to, notes)
  if (message.id === undefined) return { ...message, method }
  const version = `${prefix}protocolVersion`
  if (meta[version] === undefined) notes.push({ key: 'explain.change.envelope' })
  else if (meta[version] !== to) notes.push(versionNote(version, to))
  const _meta = { ...envelope(to), ...own, [version]: to }
  const { _meta: _, ...others } = rest
  return { ...message, method, params: { ...others, _meta } }
}

const gone: { readonly [method: string]: Sentence } = {
  'resources/unsubscribe': { key: 'explain.change.unsubscribe' },
  ping: { key: 'explain.change.ping' },
  'logging/setLevel': { key: 'explain.change.setLevel' },
  'notifications/initialized': { key: 'explain.change.initialized' },
}

function flagRemoved(method: string, to: Revision, notes: Sentence[]) {
  const known = methodNamed(to, method)
  if (known && !known.inside) return
  if (known) notes.push({ key: 'explain.change.inside', params: { method } })
  else {
    const special = isModern(to) && Object.hasOwn(gone, method) ? gone[method] : undefined
    notes.push(special ?? { key: 'explain.change.removed', params: { method, to } })
  }
}

const versionNote = (member: string, to: Revision): Sentence => ({
  key: 'explain.change.version',
  params: { member, to },
})

function toClassic(message: Params, from: Revision, to: Revision, notes: Sentence[]): Params {
  const params = isObject(message.params) ? message.params : {}
  const meta = isObject(params._meta) ? params._meta : {}
  const { _meta: _, ...others } = params
  const method = message.method as string
  if (method === 'server/discover') {
    notes.push({ key: 'explain.change.initialize' })
    return {
      ...message,
      method: 'initialize',
      params: {
        protocolVersion: to,
        capabilities: meta[`${prefix}clientCapabilities`] ?? {},
        clientInfo: meta[`${prefix}clientInfo`] ?? clientInfo,
      },
    }
  }
  if (method === 'initialize') {
    if (others.protocolVersion !== to) notes.push(versionNote('protocolVersion', to))
    return { ...message, params: { ...params, protocolVersion: to } }
  }
  const kept = Object.fromEntries(Object.entries(meta).filter(([key]) => !key.startsWith(prefix)))
  if (Object.keys(kept).length < Object.keys(meta).length) {
    notes.push({ key: 'explain.change.noEnvelope' })
  }
  const _meta = Object.keys(kept).length > 0 && { _meta: kept }
  if (method === 'subscriptions/listen') {
    const filter = isObject(others.notifications) ? others.notifications : {}
    const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : []
    notes.push({ key: 'explain.change.subscribe' })
    if (uris.length > 1) notes.push({ key: 'explain.change.onlyFirst' })
    if (Object.keys(filter).some((key) => key.endsWith('ListChanged'))) {
      notes.push({ key: 'explain.change.unasked' })
    }
    return { ...message, method: 'resources/subscribe', params: { uri: uris[0] ?? '', ..._meta } }
  }
  flagRemoved(method, to, notes)
  const { inputResponses, requestState, ...rest } = others
  const retried = inputResponses !== undefined || requestState !== undefined
  if (isModern(from) && retried) notes.push({ key: 'explain.change.retry' })
  const own = isModern(from) ? rest : others
  if (message.params === undefined) return message
  const { params: __, ...bare } = message
  const whole = { ...own, ..._meta }
  return Object.keys(whole).length > 0 || !isModern(from) ? { ...bare, params: whole } : bare
}
