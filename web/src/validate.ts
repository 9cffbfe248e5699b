/**
 * Checks values against JSON Schema. A module of its own, which is loaded by the first tool that is
 * called with a JSON Schema: pages without one do without it.
 */

import { type Schema, Validator } from '@cfworker/json-schema'
import type { Checked } from './schema.ts'

/** Keywords that only say that one below them failed. */
const wrappers = ['properties', 'patternProperties', 'items', 'prefixItems', '$ref', 'allOf']

/** Makes the function that checks. `schema` belongs to it from now on. */
export function validator(schema: object, draft: '2020-12' | '7'): (value: unknown) => Checked {
  const own = new Validator(schema as Schema, draft, false)
  return (value) => {
    const { valid, errors } = own.validate(value)
    if (valid) return { value }
    const told = errors.filter(({ keyword }) => !wrappers.includes(keyword))
    return {
      problems: (told.length > 0 ? told : errors).map(({ instanceLocation, error }) => ({
        path: instanceLocation.slice(1), // after the #
        message: error,
      })),
    }
  }
}
