/**
 * Checks values against JSON Schema. A module of its own, which is loaded by the first tool that is
 * called with a JSON Schema: pages without one do without it.
 */

import { type Schema, Validator } from '@cfworker/json-schema'
import type { Checked } from './checked.ts'

/** Keywords that only say that one below them failed. */
const wrappers = ['properties', 'patternProperties', 'items', 'prefixItems', '$ref', 'allOf']

/**
 * Makes the function that checks. `schema` belongs to it from now on.
 *
 * @param most - values, of all arrays and objects together; some keywords compare each with each, and
 *   whoever sends arguments must not be able to keep the window busy. How long they are and how deep
 *   is bounded by the engine
 */
export function validator(
  schema: object,
  draft: '2020-12' | '7',
  most: number,
): (value: unknown) => Checked {
  const own = new Validator(schema as Schema, draft, false)
  return (value) => {
    if (count(value, most) > most) {
      return { problems: [{ path: '', message: `There are more than ${most} values in them.` }] }
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

/** How many values there are in a value; it stops above `most`. */
function count(value: unknown, most: number): number {
  if (typeof value !== 'object' || value === null) return 1
  let sum = 1
  for (const part of Object.values(value)) {
    sum += count(part, most - sum)
    if (sum > most) break
  }
  return sum
}
