/**
 * Patterns of messages: an object has at least these members, an array exactly these items, and
 *
 *     "$any"                 anything that is there      "$absent"          nothing
 *     "$name"                the value of a variable; the first match sets it
 *     {"$is": schema}        fits a JSON Schema          {"$not": pattern}  does not match
 *     {"$bytes": 3}          contents of this size
 */

import { type Schema, Validator } from '@cfworker/json-schema'
import { isObject } from '../protocol/revisions.ts'

export interface Variables {
  [name: string]: unknown
}

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** Whether a value fits a JSON Schema. */
export const fitsSchema = (schema: unknown, value: unknown): boolean =>
  new Validator(schema as Schema | boolean, '2020-12').validate(value).valid

/** Whether a value matches a pattern. */
export function matches(pattern: unknown, value: unknown, variables: Variables): boolean {
  if (pattern === '$absent') return value === undefined
  if (pattern === '$any') return value !== undefined
  if (typeof pattern === 'string' && /^\$\w+$/.test(pattern)) {
    const name = pattern.slice(1)
    if (name in variables) return same(variables[name], value)
    if (value !== undefined) variables[name] = value
    return value !== undefined
  }
  if (Array.isArray(pattern))
    return (
      Array.isArray(value) &&
      value.length === pattern.length &&
      pattern.every((one, i) => matches(one, value[i], variables))
    )
  if (!isObject(pattern)) return pattern === value
  if ('$is' in pattern) return value !== undefined && fitsSchema(pattern.$is, value)
  if ('$not' in pattern) return !matches(pattern.$not, value, { ...variables })
  if ('$bytes' in pattern) return sizeOf(value) === pattern.$bytes
  return (
    isObject(value) &&
    Object.entries(pattern).every(([name, one]) => matches(one, value[name], variables))
  )
}

/** The size of contents, bytes. */
function sizeOf(value: unknown): number | undefined {
  if (!isObject(value)) return undefined
  if (typeof value.text === 'string') return new TextEncoder().encode(value.text).length
  return typeof value.blob === 'string' ? atob(value.blob).length : undefined
}

/** A variable without a value. */
export class Missing extends Error {}

/** Puts in the values of variables. @param open - whether names without a value stay */
export function filled(value: unknown, variables: Variables, open = false): unknown {
  const known = (name: string) => {
    if (!(name in variables)) throw new Missing(`no $${name}`)
    return variables[name]
  }
  if (typeof value === 'string') {
    const [, name] = /^\$(\w+)$/.exec(value) ?? []
    if (name !== undefined && !/^(any|absent)$/.test(name))
      return open && !(name in variables) ? value : known(name)
    return value.replace(/\$\{(\w+)\}/g, (_, name: string) => String(known(name)))
  }
  if (Array.isArray(value)) return value.map((one) => filled(one, variables, open))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      const isOperator = /^\$(is|not|bytes)$/.test(name)
      const key = isOperator ? name : String(filled(name, variables))
      return [key, filled(one, variables, open)]
    }),
  )
}
