/**
 * Remembers what the engine has decided about requests without effects: reads of a resource, and pages of lists. An
 * equal request of the same client gets the same decision without a call into Go, until anything may have
 * changed: every call that is not such a request, and every timer of Go, makes all decisions outdated.
 *
 * Contents are not part of it: a provider is called by each read.
 */

import type { Gaps } from './fill.ts'
import { jsonCopy, measure } from './json.ts'
import type { CachedDocument, ClientState, KnownAnswer, Params } from './requests.ts'

export interface KnownAnswers {
  /** Finds the decision about an equal request. */
  find(
    client: ClientState,
    method: number,
    keyName: string,
    params: Params | undefined,
  ): KnownAnswer | undefined
  /** Stores a decision that the engine has just made. */
  remember(
    client: ClientState,
    method: number,
    keyName: string,
    params: Params | undefined,
    document: CachedDocument,
    gaps: Gaps | undefined,
  ): void
  /** Something may have changed: nothing that was stored before is used again. */
  outdate(): void
  /** Removes what is stored for a client. */
  forget(client: ClientState): void
  /** Removes everything: contents of a removed registration must not stay. */
  clear(): void
}

/** Limits of what is stored. */
const maxAnswers = 32_768 // of all clients
const maxHeld = 64 << 20 // bytes of their contents, which fill.ts adds
const checkEvery = 1024 // decisions, since adding up takes time
const maxKey = 256 // UTF-16 code units of a URI or cursor
const maxMeta = 2048 // UTF-16 code units of JSON
const maxDepth = 4 // levels of `_meta` that are compared

/** The member of params that tells requests of a method apart, if any; methods that are missing here have effects. */
const keyNames: { readonly [method: string]: string } = {
  ping: '',
  'resources/read': 'uri',
  'resources/list': 'cursor',
  'resources/templates/list': 'cursor',
  'prompts/list': 'cursor',
  'tools/list': 'cursor',
}

/** The same by the numbers of methods in the present program. */
export function keyNamesOf(methods: readonly string[]): (string | undefined)[] {
  return methods.map((name) => keyNames[name])
}

export function knownAnswers(): KnownAnswers {
  let generation = 0
  let count = 0
  const clients = new Set<ClientState>() // with entries

  const forget = (client: ClientState) => {
    if (!clients.delete(client)) return
    for (const known of client.asked?.byMethod ?? []) count -= known?.size ?? 0
    client.asked = undefined
  }
  const clear = () => {
    for (const client of clients) forget(client)
  }
  const heldBytes = () => {
    let sum = 0
    for (const { asked } of clients) {
      for (const known of asked?.byMethod ?? []) {
        for (const { gaps } of known?.values() ?? []) sum += gaps?.held ?? 0
      }
    }
    return sum
  }
  let untilCheck = checkEvery

  return {
    find(client, method, keyName, params) {
      const { asked } = client
      if (asked === undefined || !isSame(params?._meta, asked.meta, 0)) return undefined
      const key = keyOf(keyName, params)
      const found = key === undefined ? undefined : asked.byMethod[method]?.get(key)
      return found?.generation === generation ? found : undefined
    },
    remember(client, method, keyName, params, document, gaps) {
      // Variables have a URI that the client has chosen: there may be any number of them.
      if (gaps !== undefined && gaps.variables !== '') return
      const key = keyOf(keyName, params)
      if (key === undefined) return
      const meta = params?._meta as Params | undefined
      if (meta !== undefined && 'progressToken' in meta) return // of this request alone
      if (client.asked !== undefined && !isSame(meta, client.asked.meta, 0)) forget(client)
      if (count >= maxAnswers) clear() // rarely: cheaper than an order
      if (--untilCheck === 0) {
        untilCheck = checkEvery
        if (heldBytes() > maxHeld) clear()
      }
      if (client.asked === undefined) {
        if (meta !== undefined && !(measure(meta, maxMeta) <= maxMeta)) return
        // A port that shares its objects may change them later.
        client.asked = { byMethod: [], meta: client.clones ? meta : jsonCopy(meta) }
        clients.add(client)
      }
      const { byMethod } = client.asked
      byMethod[method] ??= new Map()
      const known = byMethod[method] as Map<string, KnownAnswer>
      if (!known.has(key)) count++
      known.set(key, { document, gaps, generation })
    },
    outdate() {
      generation++
    },
    forget,
    clear,
  }
}

/** The URI or cursor of plain params without other members; `''`: there is none. */
function keyOf(name: string, params: Params | undefined): string | undefined {
  if (params === undefined) return ''
  if (params === null) return undefined // clients send anything
  if (Object.getPrototypeOf(params) !== Object.prototype) return undefined
  let key = ''
  for (const member in params) {
    if (member === '_meta') continue
    const value = params[member]
    if (member !== name || typeof value !== 'string') return undefined
    if (value === '' || value.length > maxKey) return undefined // an empty one is not a missing one
    key = value
  }
  return key
}

/** Whether two plain values have equal members. `false` if in doubt: the engine then decides. */
function isSame(one: unknown, other: unknown, depth: number): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || one === null || typeof other !== 'object' || other === null) {
    return false
  }
  if (depth === maxDepth || Object.getPrototypeOf(one) !== Object.prototype) return false
  let members = 0
  for (const name in one) {
    const value = (one as Params)[name]
    if (value === undefined || !isSame(value, (other as Params)[name], depth + 1)) return false
    members++
  }
  for (const _ in other) members--
  return members === 0
}
