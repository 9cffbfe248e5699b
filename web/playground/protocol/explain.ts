/**
 * Explains a row in a few sentences: its kind, its method, an error's code, and, from request and response,
 * the likely cause.
 */

import type { Key } from '../base/i18n.ts'
import type { Store } from '../messages/store.ts'
import { codeKey, codeLink } from './errors.ts'
import { messageProblems } from './message.ts'
import {
  extensionId,
  type Method,
  methodNamed,
  methodsOf,
  revisionsOf,
  specUrl,
} from './methods.ts'
import { nearest } from './nearest.ts'
import { isModern, isObject, type Params, type Revision } from './revisions.ts'

/** A key of a text, and its values. */
export interface Sentence {
  key: Key
  params?: Readonly<Record<string, string | number>>
}

export interface Explanation {
  sentences: readonly Sentence[]
  /** Pages of the specification; the title names revision and page. */
  links: readonly { title: string; url: string }[]
}

/** Known state of the server. */
export interface Known {
  /** URIs of its resources. */
  uris?: readonly string[]
  /** Names of its prompts and tools. */
  names?: readonly string[]
  /** Its capabilities. */
  capabilities?: Params
}

/**
 * Explains a row of the store. Costs up to two `JSON.parse`: for the selected row.
 *
 * @param revision - of the row's connection
 */
export function explainRow(
  store: Store,
  row: number,
  revision: Revision,
  known: Known = {},
): Explanation {
  const side = store.direction(row) === 'out' ? 'client' : 'server'
  const name = store.method(row)
  const method = methodNamed(revision, name)
  const partner = store.partner(row)
  const sentences: Sentence[] = []
  const links = linksOf(revision, name, method)
  switch (store.kind(row)) {
    case 'world':
      return { sentences: [{ key: 'explain.world' }], links: [] }
    case 'batch':
      return {
        sentences: [{ key: 'explain.batch' }],
        links: [{ title: '2025-06-18 · changelog', url: specUrl('2025-06-18', 'changelog') }],
      }
    case 'broken':
      return {
        sentences: [{ key: 'explain.broken', params: { problem: store.problem(row) } }],
        links: [
          { title: 'JSON-RPC 2.0', url: 'https://www.jsonrpc.org/specification#request_object' },
        ],
      }
    case 'request':
    case 'notification':
      sentences.push({ key: `explain.${store.kind(row)}.${side}` as Key })
      sentences.push(aboutMethod(name, revision, method))
      if (store.kind(row) === 'request' && partner < 0)
        sentences.push({ key: `explain.${store.state(row) || 'open'}` as Key })
      return { sentences, links }
    case 'result':
      if (partner < 0) return { sentences: [{ key: 'explain.stray' }], links: [] }
      sentences.push({
        key: `explain.${store.state(row) || 'result'}` as Key,
        params: { method: name },
      })
      sentences.push(aboutMethod(name, revision, method))
      return { sentences, links }
  }
  const code = store.code(row)
  sentences.push(
    partner < 0
      ? { key: 'explain.stray' }
      : name === ''
        ? { key: 'explain.verdict', params: { code: String(code) } }
        : { key: 'explain.error', params: { method: name, code: String(code) } },
    { key: codeKey(revision, code) },
  )
  const answer = store.message(row)
  const error = isObject(answer) && isObject(answer.error) ? answer.error : {}
  const cause = causeOf(code, error, partner < 0 ? undefined : store.raw(partner), revision, known)
  if (cause) sentences.push(cause)
  return { sentences, links: [codeLink(revision, code), ...links] }
}

function linksOf(revision: Revision, name: string, method: Method | undefined) {
  const of = method ? revision : revisionsOf(name).at(-1)
  const page = method?.page ?? (of && methodNamed(of, name)?.page)
  if (!of || !page) return []
  const extension = method && extensionId(method)
  return [{ title: extension ?? `${of} · ${page}`, url: specUrl(of, page) }]
}

/** The purpose of a method, or the revisions that have it. */
export function aboutMethod(name: string, revision: Revision, method?: Method): Sentence {
  if (method) return { key: `explain.method.${name}` as Key }
  const others = revisionsOf(name)
  return others.length
    ? { key: 'explain.elsewhere', params: { method: name, revision, others: others.join(', ') } }
    : { key: 'explain.strange', params: { method: name } }
}

/**
 * The likely cause of a failure.
 *
 * @param asked - the request as it was sent; undefined: unknown
 */
export function causeOf(
  code: number,
  error: Params,
  asked: string | undefined,
  revision: Revision,
  known: Known,
): Sentence | undefined {
  const data = isObject(error.data) ? error.data : {}
  if (code === -32022 && data.requested !== undefined) {
    const supported = Array.isArray(data.supported) ? data.supported.join(', ') : '?'
    return {
      key: 'explain.cause.version',
      params: { requested: String(data.requested), supported },
    }
  }
  if (code === -32021 && isObject(data.requiredCapabilities)) {
    const ability = Object.keys(data.requiredCapabilities).join(', ')
    return { key: 'explain.cause.ability', params: { ability } }
  }
  if (code === -32042 && Array.isArray(data.elicitations)) {
    const [first] = data.elicitations as unknown[]
    const url = isObject(first) ? String(first.url) : '?'
    return { key: 'explain.cause.visit', params: { url } }
  }
  if (code === -32020) return { key: 'explain.cause.headers' }
  if (asked === undefined) return undefined
  const problem = problemIn(asked, revision)
  if (problem && problem.key !== 'explain.hint.method') return problem
  const request = JSON.parse(asked) as Params
  const params = isObject(request.params) ? request.params : {}
  if (code === -32601) return methodCause(String(request.method), revision, known)
  if (code === -32602 || code === -32002) return paramsCause(params, data, known)
  return undefined
}

/** The first problem of a request; undefined: it is valid. */
function problemIn(text: string, revision: Revision): Sentence | undefined {
  try {
    const request: unknown = JSON.parse(text)
    const problem = messageProblems(request, revision)[0]?.sentence
    const isBare = isModern(revision) && isObject(request) && request.params === undefined
    const isUsual = !problem || /hint\.(missing|method)$/.test(problem.key)
    return isBare && isUsual
      ? { key: 'explain.hint.missing', params: { member: 'params._meta' } }
      : problem
  } catch (error) {
    return { key: 'explain.hint.json', params: { problem: String((error as Error).message) } }
  }
}

function methodCause(asked: string, revision: Revision, known: Known): Sentence | undefined {
  const method = methodNamed(revision, asked)
  if (method && !method.inside) {
    if (!method.needs || !known.capabilities) return undefined
    return {
      key: 'explain.cause.capability',
      params: { capability: extensionId(method) ?? method.needs },
    }
  }
  if (revisionsOf(asked).length) {
    return { key: 'explain.cause.elsewhere', params: { method: asked, revision } }
  }
  const near = nearest(
    asked,
    methodsOf(revision).map(({ name }) => name),
  )
  if (near === undefined) return undefined
  return { key: 'explain.cause.nearestMethod', params: { asked, nearest: near } }
}

function paramsCause(params: Params, data: Params, known: Known): Sentence | undefined {
  if (params.cursor !== undefined) return { key: 'explain.cause.cursor' }
  const uri = params.uri ?? data.uri
  const [asked, candidates] =
    typeof uri === 'string' ? [uri, known.uris] : [params.name, known.names]
  if (typeof asked !== 'string' || !candidates) return undefined
  if (candidates.includes(asked)) return undefined
  const near = nearest(asked, candidates)
  return near
    ? { key: 'explain.cause.nearest', params: { asked, nearest: near } }
    : { key: 'explain.cause.unlisted', params: { asked } }
}
