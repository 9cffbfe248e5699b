/**
 * The request to send after a result that needs input: the same request with responses to fill in and the
 * server's state (MCP 2026-07-28, basic/patterns/mrtr), or, for a task, `tasks/update` (SEP-2663).
 */

import { pretty } from '../protocol/pretty.ts'
import { isObject, type Params, type Revision } from '../protocol/revisions.ts'
import { schemaOf } from '../protocol/schema.ts'
import { blankOf } from './samples.ts'

function parsed(text: string): Params {
  try {
    const value = JSON.parse(text) as unknown
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** A requested input. */
export interface Ask {
  key: string
  method: string
  params: Params
}

/** The inputs that a result requests; undefined if it is another result. */
export function asksOf(answer: string): readonly Ask[] | undefined {
  const { result } = parsed(answer)
  if (!isObject(result)) return undefined
  const { resultType, status } = result
  if (resultType !== 'input_required' && status !== 'input_required') return undefined
  return Object.entries(isObject(result.inputRequests) ? result.inputRequests : {}).map(
    ([key, one]) => {
      const { method, params } = isObject(one) ? one : {}
      return { key, method: String(method ?? ''), params: isObject(params) ? params : {} }
    },
  )
}

/** Pages that an error -32042 names. Further ones are omitted. MCP 2025-11-25, client/elicitation. */
export function pagesOf(message: unknown): readonly Ask[] {
  const error = isObject(message) && isObject(message.error) ? message.error : {}
  const { elicitations } = isObject(error.data) ? error.data : {}
  return (Array.isArray(elicitations) ? elicitations : [])
    .filter(isObject)
    .slice(0, 10)
    .map((one, i) => ({
      key: String(i),
      method: 'elicitation/create',
      params: { ...one, mode: 'url' },
    }))
}

/** The request again, with responses by key and the server's state, and another id if one is given. */
export function retryWith(request: string, answer: string, responses: Params, id?: number): Params {
  const result = (parsed(answer).result ?? {}) as Params
  const message = parsed(request)
  if (result.status === 'input_required') {
    const { _meta } = isObject(message.params) ? message.params : {}
    const params = { _meta, taskId: result.taskId, inputResponses: responses }
    return { ...message, ...(id !== undefined && { id }), method: 'tasks/update', params }
  }
  const {
    requestState: _,
    inputResponses: __,
    ...params
  } = isObject(message.params) ? message.params : {}
  return {
    ...message,
    ...(id !== undefined && { id }),
    params: {
      ...params,
      ...(Object.keys(responses).length > 0 && { inputResponses: responses }),
      ...(result.requestState !== undefined && { requestState: result.requestState }),
    },
  }
}

/** The next request, and the methods of the requested inputs; undefined if the result requests none. */
export function retryOf(
  request: string,
  answer: string,
  revision: Revision,
): { text: string; asks: readonly string[] } | undefined {
  const asks = asksOf(answer)
  if (!asks) return undefined
  const blanks = Object.fromEntries(asks.map((ask) => [ask.key, blankAnswer(ask, revision)]))
  return {
    text: pretty(retryWith(request, answer, blanks)),
    asks: asks.map(({ method }) => method),
  }
}

/** A response to fill in; of a form, with its fields. */
function blankAnswer(
  { method, params }: Pick<Ask, 'method' | 'params'>,
  revision: Revision,
): unknown {
  const schema = schemaOf(revision, method, 'result')
  const blank = schema ? (blankOf(schema, schema.$defs) as Params) : {}
  const form = isObject(params.requestedSchema) ? params.requestedSchema : {}
  const fields = isObject(form.properties) ? Object.keys(form.properties) : []
  if (method !== 'elicitation/create' || fields.length === 0) return blank
  const content = blankOf({ ...form, required: fields }, {})
  return { ...blank, content }
}
