/**
 * What must hold for each message of a server, whatever was asked: these rules look at everything that a run
 * received. The ids are those of requirements.json.
 */

import { codeAllowed } from '../protocol/errors.ts'
import type { Params } from '../protocol/revisions.ts'
import { schemaNamed } from '../protocol/schema.ts'
import { problemsOf } from '../protocol/validate.ts'
import { type Era, type Got, isObject, type Peer, revisionOf } from './peer.ts'

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
const items = (value: unknown, name: string): Params[] | undefined => {
  const all = isObject(value) ? value[name] : undefined
  return Array.isArray(all) ? all.filter(isObject) : undefined
}

const all = <T>(some: readonly T[] | undefined, holds: (one: T) => unknown): boolean | undefined =>
  some?.length ? some.every(holds) : undefined

/** All values of members with this name, at any depth of a result. */
function members(value: unknown, name: string, found: unknown[] = [], depth = 0): unknown[] {
  if (depth > 9 || typeof value !== 'object' || value === null) return found
  for (const [key, inner] of Object.entries(value)) {
    if (key === name && !Array.isArray(value)) found.push(inner)
    if (!/[sS]chema$|^structuredContent$/.test(key)) members(inner, name, found, depth + 1)
  }
  return found
}

const every = (name: string, holds: (one: unknown) => unknown) => (seen: Seen) =>
  all(members(seen.result, name), holds)

const annotations = (name: string, holds: (one: unknown) => unknown) =>
  every('annotations', (one) => !isObject(one) || !(name in one) || holds(one[name]))

const icons = (holds: (one: Params) => unknown) =>
  every('icons', (some) => Array.isArray(some) && some.every((one) => isObject(one) && holds(one)))

const isString = (value: unknown): value is string => typeof value === 'string'

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const mime = /^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w.+-]+=("[^"]*"|[^\s;"]+))*$/
const uri = /^[A-Za-z][\w+.-]*:(?:[!-$&-;=?-Z_a-z~[\]]|%[\dA-Fa-f]{2})*$/ // RFC 3986
const key = /^([A-Za-z]([\w-]*[^\W_])?(\.[A-Za-z]([\w-]*[^\W_])?)*\/)?([^\W_]([\w.-]*[^\W_])?)?$/
const date = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/ // ISO 8601
/** Keys that the core defines under its reserved prefix. */
const core = /^io\.modelcontextprotocol\/(serverInfo|subscriptionId|related-task|ui.*)$/
const stack = /\n\s+at |goroutine \d+ |Traceback \(|\.(?:go|ts|js|py|java|cs):\d+/
const listed = /^(?:resources|resources\/templates|prompts|tools)\/list$/
const cached = /^(?:server\/discover|resources\/read|.*\/list)$/
const changed = /^notifications\/(resources|prompts|tools)\/list_changed$/
const log = 'notifications/message'
const progress = 'notifications/progress'
const inputs = /^(?:resources\/read|prompts\/get|tools\/call)$/

const needsInput = ({ result }: Seen) => result?.resultType === 'input_required'
const hints = (result: Params) => 'ttlMs' in result || 'cacheScope' in result
const metaOf = ({ params }: { params: Params }) => (isObject(params._meta) ? params._meta : {})
const tokens = (peer: Peer) => peer.asked.map((one) => metaOf(one).progressToken)
const when = (applies: unknown, holds: () => unknown): boolean | undefined =>
  applies ? !!holds() : undefined
const contents = ({ method, result }: Seen) =>
  method === 'resources/read' ? items(result, 'contents') : undefined
const blocks = ({ method, result }: Seen) =>
  method === 'prompts/get' ? items(result, 'messages') : undefined
const filter = ({ listen }: Seen): Params =>
  isObject(listen?.notifications) ? listen.notifications : {}
/** A change of a part of a resource is announced with the URI of the part. */
const covers = (some: unknown, uri: unknown) =>
  Array.isArray(some) && some.some((one) => isString(uri) && uri.startsWith(String(one)))

export const rules: readonly Rule[] = [
  ['R-001 DE', ({ got }) => got.message.jsonrpc === '2.0'],
  [
    'R-007 DE',
    ({ got: { message } }) =>
      when(message.method === undefined, () => 'result' in message !== 'error' in message),
  ],
  ['R-008 DE', ({ error }) => error && Number.isInteger(error.code) && isString(error.message)],
  [
    'R-043 E',
    ({ result }) =>
      result &&
      isObject(result._meta) &&
      fits(result._meta['io.modelcontextprotocol/serverInfo'], 'Implementation', 'E'),
  ],
  ['R-049 E', ({ result }) => result && isString(result.resultType)],
  [
    'R-050 E',
    ({ result }) => result && /^(complete|input_required)$/.test(String(result.resultType)),
  ],
  ['R-051 E', ({ got: { message } }) => !('method' in message && 'id' in message)],
  [
    'R-032 D',
    ({ got: { message } }) =>
      !('id' in message && /^(sampling|elicitation|roots)\//.test(String(message.method))),
  ],
  [
    'R-052 E',
    ({ error }) =>
      when(error?.code === -32021, () =>
        isObject((error?.data as Params | undefined)?.requiredCapabilities),
      ),
  ],
  ['R-062 D', ({ error }) => error && !/^-3202[012]$/.test(`${error.code}`)],
  [
    'R-064 DE',
    ({ era, result }) =>
      result &&
      (era === 'E' ? 'resultType' in result : !('resultType' in result) && !hints(result)),
  ],
  [
    'R-074 E',
    ({ got, params, peer }) =>
      when(got.message.method === 'notifications/cancelled', () =>
        peer.asked.some((one) => one.id === params.requestId && one.method.endsWith('/listen')),
      ),
  ],
  [
    'R-075 DE',
    ({ method, params, peer }) =>
      when(method === progress, () =>
        tokens(peer).some((one) => `${one}` === `${params.progressToken}`),
      ),
  ],
  [
    'R-076 DE',
    ({ method, params, peer, got }) =>
      when(method === progress, () =>
        peer.got.slice(0, peer.got.indexOf(got)).every(({ message }) => {
          const before = (message.params ?? {}) as Params
          return (
            message.method !== progress ||
            before.progressToken !== params.progressToken ||
            Number(before.progress) < Number(params.progress)
          )
        }),
      ),
  ],
  [
    'R-077 DE',
    ({ method, params, peer, got }) =>
      when(method === progress, () =>
        peer.asked.every(
          (one) =>
            metaOf(one).progressToken !== params.progressToken ||
            !one.reply ||
            peer.got.indexOf(one.reply) > peer.got.indexOf(got),
        ),
      ),
  ],
  [
    'R-079 DE',
    ({ method, params, peer }) =>
      when(method === progress, () => tokens(peer).includes(params.progressToken)),
  ],
  [
    'R-080 E',
    ({ method, subscription }) =>
      when(method === progress || method === log, () => subscription === undefined),
  ],
  [
    'R-167 E',
    ({ method, subscription }) =>
      when(subscription !== undefined, () => method !== progress && method !== log),
  ],
  ['R-083 E', (seen) => seen.result && (!needsInput(seen) || inputs.test(seen.method))],
  [
    'R-084 E',
    (seen) =>
      when(
        needsInput(seen),
        () => 'inputRequests' in (seen.result ?? {}) || 'requestState' in (seen.result ?? {}),
      ),
  ],
  ['R-085 E', (seen) => when(needsInput(seen), () => fits(seen.result, 'InputRequired', 'E'))],
  [
    'R-086 E',
    (seen) =>
      when(
        needsInput(seen),
        () => Object.keys((seen.result?.inputRequests as Params) ?? {}).length === 0,
      ),
  ],
  ['R-092 E', (seen) => when(needsInput(seen), () => !hints(seen.result ?? {}))],
  ['R-099 DE', ({ method, caps }) => when(method === log, () => caps.logging)],
  [
    'R-101 E',
    ({ method, peer }) =>
      when(method === log, () =>
        peer.asked.some((one) => 'io.modelcontextprotocol/logLevel' in metaOf(one)),
      ),
  ],
  [
    'R-146 D',
    ({ method, params, peer }) =>
      when(method === 'notifications/resources/updated', () =>
        peer.asked.some(
          (one) => one.method === 'resources/subscribe' && covers([one.params.uri], params.uri),
        ),
      ),
  ],
  [
    'R-149 DE',
    ({ method, params }) =>
      when(method === 'notifications/resources/updated', () =>
        Object.keys(params).every((name) => name === 'uri' || name === '_meta'),
      ),
  ],
  [
    'R-155 E',
    (seen) =>
      when(seen.listen && !seen.method.endsWith('acknowledged'), () => {
        const kind = changed.exec(seen.method)?.[1]
        return kind ? filter(seen)[`${kind}ListChanged`] === true : seen.method.endsWith('updated')
      }),
  ],
  [
    'R-156 E',
    ({ peer, got, subscription }) =>
      when(subscription !== undefined && got.message.method, () => {
        const first = peer.got.find(
          (one) =>
            isObject(one.message.params) &&
            metaOf({ params: one.message.params })['io.modelcontextprotocol/subscriptionId'] ===
              subscription,
        )
        return first?.message.method === 'notifications/subscriptions/acknowledged'
      }),
  ],
  [
    'R-158 E',
    (seen) =>
      when(
        /acknowledged$|_changed$|\/updated$/.test(String(seen.got.message.method)),
        () => seen.listen,
      ),
  ],
  [
    'R-162 E',
    (seen) =>
      when(seen.method === 'notifications/resources/updated', () =>
        covers(filter(seen).resourceSubscriptions, seen.params.uri),
      ),
  ],
  [
    'R-174 E',
    (seen) =>
      when(
        changed.test(seen.method),
        () => filter(seen)[`${changed.exec(seen.method)?.[1]}ListChanged`],
      ),
  ],
  [
    'R-177 DE',
    ({ method, caps }) => {
      const kind = changed.exec(method)?.[1]
      return when(kind, () => (caps[kind as string] as Params | undefined)?.listChanged)
    },
  ],
  [
    'R-178 DE',
    ({ got: { message } }) =>
      when(changed.test(String(message.method)), () =>
        Object.keys((message.params as Params) ?? {}).every((name) => name === '_meta'),
      ),
  ],
  [
    'R-180 DE',
    ({ method, result, era }) =>
      when(
        method === 'completion/complete' && result,
        () => fits(result, 'CompleteResult', era) && isObject(result?.completion),
      ),
  ],
  [
    'R-184 DE',
    ({ result }) =>
      when(isObject(result?.completion), () => members(result, 'values').flat().length <= 100),
  ],
  [
    'R-192 E',
    ({ method, result }) =>
      when(
        method === 'completion/complete' && result,
        () => result?.resultType === 'complete' && !hints(result),
      ),
  ],
  ...lists.flatMap(([method, member, type]): Rule[] => {
    const ids = {
      Resource: ['R-106', 'R-108'],
      Template: ['R-136', 'R-137'],
      Prompt: ['R-194', 'R-196'],
      Tool: ['R-363', 'R-363'],
    }[type] as string[]
    return [
      [
        `${ids[0]} DE`,
        (seen) =>
          when(seen.method === method && seen.result, () => Array.isArray(seen.result?.[member])),
      ],
      [
        `${ids[1]} DE`,
        (seen) =>
          seen.method === method
            ? all(items(seen.result, member), (one) => fits(one, type, seen.era))
            : undefined,
      ],
      [
        'R-110 DE',
        (seen) =>
          seen.method === method
            ? all(items(seen.result, member), ({ name }) => isString(name) && name.trim())
            : undefined,
      ],
    ]
  }),
  [
    'R-197 DE',
    ({ method, result, era }) =>
      method === 'prompts/list'
        ? all(
            members(result, 'arguments'),
            (some) => Array.isArray(some) && some.every((one) => fits(one, 'PromptArgument', era)),
          )
        : undefined,
  ],
  [
    'R-128 DE',
    ({ result }) => all(members(result, 'uri'), (one) => isString(one) && uri.test(one)),
  ],
  [
    'R-114 DE',
    (seen) =>
      when(seen.method === 'resources/read' && seen.result && !needsInput(seen), () =>
        contents(seen)?.every((one) => isString(one.uri) && 'text' in one !== 'blob' in one),
      ),
  ],
  [
    'R-116 DE',
    (seen) =>
      all(
        contents(seen)?.filter((one) => 'text' in one),
        ({ text }) => isString(text) && !/\p{Surrogate}/u.test(text),
      ),
  ],
  [
    'R-117 R-267 DE',
    (seen) =>
      all(
        contents(seen)?.filter((one) => 'blob' in one),
        ({ blob }) => isString(blob) && base64.test(blob),
      ),
  ],
  [
    'R-198 DE',
    ({ method, result, era }) =>
      when(method === 'prompts/get' && result && result.resultType !== 'input_required', () =>
        fits(result, 'PromptResult', era),
      ),
  ],
  [
    'R-199 DE',
    (seen) =>
      all(
        blocks(seen),
        ({ role, content }) => /^(user|assistant)$/.test(String(role)) && isObject(content),
      ),
  ],
  [
    'R-200 DE',
    (seen) =>
      all(blocks(seen), ({ content }) =>
        /^(text|image|audio|resource|resource_link)$/.test(String((content as Params)?.type)),
      ),
  ],
  [
    'R-201 DE',
    (seen) =>
      all(
        blocks(seen)
          ?.map(({ content }) => content as Params)
          .filter((one) => /^(image|audio)$/.test(String(one?.type))),
        ({ data, mimeType }) => isString(data) && base64.test(data) && mime.test(String(mimeType)),
      ),
  ],
  [
    'R-202 DE',
    (seen) =>
      all(
        blocks(seen)
          ?.map(({ content }) => content as Params)
          .filter((one) => one?.type === 'resource'),
        ({ resource: one }) =>
          isObject(one) &&
          uri.test(String(one.uri)) &&
          mime.test(String(one.mimeType)) &&
          'text' in one !== 'blob' in one,
      ),
  ],
  [
    'R-211 E',
    ({ method, result }) => when(method === 'prompts/get' && result, () => !hints(result ?? {})),
  ],
  [
    'R-214 DE',
    ({ method, result }) =>
      when(listed.test(method) && result?.nextCursor != null, () => isString(result?.nextCursor)),
  ],
  [
    'R-215 DE',
    ({ method, result }) =>
      when(
        listed.test(method) && result,
        () => !('nextCursor' in (result ?? {})) || result?.nextCursor,
      ),
  ],
  [
    'R-221 E',
    (seen) =>
      when(
        cached.test(seen.method) && seen.result && !needsInput(seen),
        () => 'ttlMs' in (seen.result ?? {}) && 'cacheScope' in (seen.result ?? {}),
      ),
  ],
  [
    'R-222 E',
    ({ result }) =>
      when(
        result && 'ttlMs' in result,
        () => Number.isInteger(result?.ttlMs) && Number(result?.ttlMs) >= 0,
      ),
  ],
  [
    'R-223 E',
    ({ result }) =>
      when(result && 'cacheScope' in result, () =>
        /^(public|private)$/.test(String(result?.cacheScope)),
      ),
  ],
  [
    'R-224 E',
    ({ method, result }) =>
      when(result && method && !cached.test(method), () => !hints(result ?? {})),
  ],
  [
    'R-225 E',
    ({ method, result, peer }) =>
      when(listed.test(method) && result, () =>
        peer.asked.every(
          (one) =>
            one.era !== 'E' ||
            one.method !== method ||
            !isObject(one.reply?.message.result) ||
            one.reply.message.result.cacheScope === result?.cacheScope,
        ),
      ),
  ],
  [
    'R-233 DE',
    annotations(
      'audience',
      (one) => Array.isArray(one) && one.every((role) => role === 'user' || role === 'assistant'),
    ),
  ],
  ['R-234 DE', annotations('priority', (one) => typeof one === 'number' && one >= 0 && one <= 1)],
  ['R-235 DE', annotations('lastModified', (one) => isString(one) && date.test(one))],
  ['R-237 DE', icons((one) => fits(one, 'Icon', 'E'))],
  ['R-238 DE', icons(({ src }) => /^(https|data):/.test(String(src)))],
  [
    'R-241 DE',
    every('_meta', (one) => isObject(one) && Object.keys(one).every((name) => key.test(name))),
  ],
  [
    'R-242 DE',
    every('_meta', (one) =>
      Object.keys(isObject(one) ? one : {}).every(
        (name) => !/^[\w-]+\.(mcp|modelcontextprotocol)[./]/.test(name) || core.test(name),
      ),
    ),
  ],
  ['R-246 DE', ({ error, era }) => error && codeAllowed(revisionOf[era], error.code)],
  ['R-249 E', ({ error }) => error && error.code !== -32002 && error.code !== -32042],
  [
    'R-250 E',
    ({ error }) =>
      error && !(error.code <= -32023 && error.code >= -32099 && error.code !== -32042),
  ],
  ['R-251 E', ({ error }) => error && !(error.code <= -32000 && error.code >= -32019)],
  [
    'R-252 E',
    ({ error }) => error && (codeAllowed('2026-07-28', error.code) || error.code >= -32099),
  ],
  [
    'R-254 DE',
    ({ error }) => error && !stack.test(`${error.message}\n${JSON.stringify(error.data)}`),
  ],
  ['R-263 DE', every('mimeType', (one) => isString(one) && mime.test(one))],
  ['R-296 E', ({ status, error }) => when(status && error?.code === -32022, () => status === 400)],
  ['R-298 E', ({ status, error }) => when(status && error?.code === -32021, () => status === 400)],
  [
    'R-299 E',
    ({ status, error, got }) =>
      when(status && error?.code === -32601 && got.asked, () => status === 404),
  ],
]
