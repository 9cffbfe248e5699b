/** Problems of a single message: rules of JSON-RPC, then the schema of the revision. */

import { codeAllowed } from './errors.ts'
import type { Sentence } from './explain.ts'
import { methodNamed } from './methods.ts'
import { isObject, type Params, type Revision } from './revisions.ts'
import { resultSchema, schemaNamed, schemaOf } from './schema.ts'
import { type Path, type Problem, problemsOf, type Rest } from './validate.ts'

const hint = (key: string, at: Path, params?: Sentence['params']): Problem => ({
  at,
  sentence: { key: `explain.hint.${key}` as Sentence['key'], params },
})

/**
 * Problems of a parsed message, outermost first.
 *
 * @param answered - the method of its request; `''`: unknown
 * @param rests - gets what remains of long lists in a result; default: these are checked at once
 */
export function messageProblems(
  message: unknown,
  revision: Revision,
  answered = '',
  rests?: Rest[],
): Problem[] {
  if (!isObject(message)) return [hint('notObject', [])]
  const problems: Problem[] = []
  if (message.jsonrpc !== '2.0') problems.push(hint('jsonrpc', ['jsonrpc']))
  const { id } = message
  if (id !== undefined && typeof id !== 'string' && !Number.isInteger(id)) {
    problems.push(hint('idType', ['id']))
  }
  if (message.method !== undefined) problems.push(...requestProblems(message, revision))
  else problems.push(...answerProblems(message, revision, answered, rests))
  return problems
}

function requestProblems(message: Params, revision: Revision): Problem[] {
  if (typeof message.method !== 'string') {
    return [hint('type', ['method'], { member: 'method', type: 'string' })]
  }
  const method = methodNamed(revision, message.method)
  if (!method || method.inside) {
    return [hint('method', ['method'], { revision, method: message.method })]
  }
  if (method.kind === 'request' && message.id === undefined) {
    return [hint('missing', [], { member: 'id' })]
  }
  const schema = schemaOf(revision, message.method, 'params')
  if (!schema) return []
  if (message.params === undefined) {
    const needed = problemsOf({}, schema, ['params']).length > 0
    return needed ? [hint('missing', [], { member: 'params' })] : []
  }
  return problemsOf(message.params, schema, ['params'])
}

function answerProblems(
  message: Params,
  revision: Revision,
  answered: string,
  rests?: Rest[],
): Problem[] {
  const { result, error } = message
  if ((result === undefined) === (error === undefined)) return [hint('both', [])]
  if (error !== undefined) {
    const schema = schemaNamed(revision, 'Error')
    const problems = schema ? problemsOf(error, schema, ['error']) : []
    const code = isObject(error) ? Number(error.code) : Number.NaN
    if (problems.length === 0 && !codeAllowed(revision, code)) {
      problems.push(hint('code', ['error', 'code'], { revision, code: String(code) }))
    }
    return problems
  }
  const schema = answered ? resultSchema(revision, answered, result) : undefined
  if (schema) return problemsOf(result, schema, ['result'], rests)
  return isObject(result) ? [] : [hint('type', ['result'], { member: 'result', type: 'object' })]
}
