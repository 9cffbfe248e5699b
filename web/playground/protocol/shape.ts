/** Finds the first problem of a request without a validator, to explain an error. */

import type { Key } from '../base/i18n.ts'
import { isModern, type Params, type Revision } from './revisions.ts'
import { resolve, type Schema, schemaOf } from './schema.ts'

/** A key of a text, and its values. */
export interface Sentence {
  key: Key
  params?: Readonly<Record<string, string | number>>
}

const isObject = (value: unknown): value is Params =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The first problem of a request, or undefined. */
export function firstProblem(text: string, revision: Revision): Sentence | undefined {
  let message: unknown
  try {
    message = JSON.parse(text)
  } catch (error) {
    return { key: 'explain.cause.json', params: { problem: String((error as Error).message) } }
  }
  if (Array.isArray(message)) return { key: 'explain.cause.batch' }
  if (!isObject(message)) return { key: 'explain.cause.json', params: { problem: typeof message } }
  if (message.jsonrpc !== '2.0') return { key: 'explain.cause.jsonrpc' }
  const { id } = message
  if (typeof id !== 'string' && !Number.isInteger(id)) return { key: 'explain.cause.id' }
  if (typeof message.method !== 'string') return missing('method')
  if (isModern(revision) && !isObject(message.params)) return missing('params._meta')
  const schema = schemaOf(revision, message.method, 'params')
  return schema && inside('params', message.params ?? {}, schema, schema.$defs)
}

const missing = (member: string): Sentence => ({ key: 'explain.cause.missing', params: { member } })

/** Checks required members and types two levels deep, which covers messages written by hand. */
function inside(
  at: string,
  value: unknown,
  schema: Schema,
  $defs: Schema['$defs'],
): Sentence | undefined {
  const { type, properties = {}, required = [] } = resolve(schema, $defs)
  if (typeof type === 'string' && !isA(type, value)) {
    return { key: 'explain.cause.type', params: { member: at, type } }
  }
  if (!isObject(value)) return undefined
  const lacking = required.find((name) => !(name in value))
  if (lacking) return missing(`${at}.${lacking}`)
  for (const [name, inner] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    const problem = own && inside(`${at}.${name}`, inner, own, $defs)
    if (problem) return problem
  }
  return undefined
}

/** Whether a value is of a JSON Schema type. */
export function isA(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value)
    case 'array':
      return Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    default:
      return typeof value === type
  }
}
