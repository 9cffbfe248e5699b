/**
 * The request to send after a result that needs input: the same request with responses to fill in and the
 * server's state. MCP 2026-07-28, basic/patterns/mrtr.
 */

import { pretty } from '../protocol/pretty.ts'
import type { Params, Revision } from '../protocol/revisions.ts'
import { schemaOf } from '../protocol/schema.ts'
import { blankOf } from './samples.ts'

const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function parsed(text: string): Params {
  try {
    const value = JSON.parse(text) as unknown
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

/** The next request, and the methods of the requested inputs; undefined if the result requests none. */
export function retryOf(
  request: string,
  answer: string,
  revision: Revision,
): { text: string; asks: readonly string[] } | undefined {
  const { result } = parsed(answer)
  if (!isObject(result) || result.resultType !== 'input_required') return undefined
  const asked = isObject(result.inputRequests) ? Object.entries(result.inputRequests) : []
  const message = parsed(request)
  const {
    requestState: _,
    inputResponses: __,
    ...params
  } = isObject(message.params) ? message.params : {}
  const inputResponses = Object.fromEntries(
    asked.map(([key, one]) => [key, blankAnswer(isObject(one) ? one : {}, revision)]),
  )
  return {
    text: pretty({
      ...message,
      params: {
        ...params,
        ...(asked.length > 0 && { inputResponses }),
        ...(result.requestState !== undefined && { requestState: result.requestState }),
      },
    }),
    asks: asked.map(([, one]) => String((isObject(one) ? one.method : '') ?? '')),
  }
}

/** A response to fill in; of a form, with its fields. */
function blankAnswer({ method, params }: Params, revision: Revision): unknown {
  const schema = schemaOf(revision, String(method), 'result')
  const blank = schema ? (blankOf(schema, schema.$defs) as Params) : {}
  const form = isObject(params) && isObject(params.requestedSchema) ? params.requestedSchema : {}
  const fields = isObject(form.properties) ? Object.keys(form.properties) : []
  if (method !== 'elicitation/create' || fields.length === 0) return blank
  const content = blankOf({ ...form, required: fields }, {})
  return { ...blank, content }
}
