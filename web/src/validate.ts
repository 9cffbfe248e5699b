/**
 * Validates values against JSON Schema. A file of its own, loaded by the first call of a tool with a JSON
 * Schema.
 */

import { type Schema, Validator } from '@cfworker/json-schema'
import type { Checked } from './callee.ts'

/** Keywords that only repeat the failure of one below them. */
const wrappers = ['properties', 'patternProperties', 'items', 'prefixItems', '$ref', 'allOf']

/**
 * Makes a validator. `schema` must not change afterwards.
 *
 * @param maxValues - the most values, of all arrays and objects together: some keywords compare each with each,
 *   and arguments of a client must not keep the window busy. The engine bounds their length and depth
 */
export function validator(
  schema: object,
  draft: '2020-12' | '7',
  maxValues: number,
): (value: unknown) => Checked {
  const own = new Validator(schema as Schema, draft, false)
  return (value) => {
    if (count(value, maxValues) > maxValues) {
      return {
        problems: [{ path: '', message: `There are more than ${maxValues} values in them.` }],
      }
    }
    const { valid, errors } = own.validate(value)
    if (valid) return { value }
    const specific = errors.filter(({ keyword }) => !wrappers.includes(keyword))
    return {
      problems: (specific.length > 0 ? specific : errors).map(({ instanceLocation, error }) => ({
        path: instanceLocation.slice(1), // after the #
        message: error,
      })),
    }
  }
}

/** Counts the values in a value, up to `maxValues`. */
function count(value: unknown, maxValues: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let sum = 1
  for (const part of Object.values(value)) {
    sum += count(part, maxValues - sum)
    if (sum > maxValues) break
  }
  return sum
}
