/**
 * Schemas of tools: their description for clients, and the validation of values, in the thread of the
 * handlers. A Standard Schema validates by itself; for JSON Schema a library is loaded at first use
 * (validate.ts).
 */

import type { Checked, JsonSchema, Problem } from './checked.ts'
import { jsonCopy } from './json.ts'
import type { Json } from './metadata.ts'
import { lazily } from './module.ts'
import { isStandard, type StandardSchema } from './standard.ts'

export type { JsonSchema } from './checked.ts'

/** A schema that was checked. */
export interface Checker {
  /** Of its own: what clients see. */
  readonly json: { [keyword: string]: Json }
  check(value: unknown): Promise<Checked>
}

/** The most values in arguments that are checked against JSON Schema; R-055. */
const maxValues = 10_000

/** How many problems a message names. */
const maxProblems = 8

/**
 * Checks a schema.
 *
 * @param side - `input` for arguments, `output` for structured content
 * @throws TypeError for a schema that cannot be described, or is of another dialect. References to
 *   other documents, which are never fetched, fail when a value is checked
 */
export function checker(
  what: string,
  schema: JsonSchema | StandardSchema,
  side: 'input' | 'output',
): Checker {
  const json = described(what, schema, side)
  if (side === 'input' && json.type !== 'object') {
    throw new TypeError(`${what} must have "type": "object"`)
  }
  const draft = draftOf(what, json.$schema)
  if (isStandard(schema)) return { json, check: (value) => standardCheck(schema, value) }
  const load = () => lazily('validate.js', import('./validate.ts'))
  void load()
  let validate: Promise<(value: unknown) => Checked> | undefined
  return {
    json,
    async check(value) {
      validate ??= load().then(({ validator }) =>
        validator(json, draft, side === 'input' ? maxValues : Number.POSITIVE_INFINITY),
      )
      validate.catch(() => {
        validate = undefined // it did not load: the next call tries again
      })
      return (await validate)(side === 'output' ? jsonCopy(value ?? null) : value)
    },
  }
}

/** The problems in one line: path and reason of each. */
export function explain(problems: readonly Problem[]): string {
  const all = problems.slice(0, maxProblems).map(({ path, message }) => {
    return path === '' ? message : `${path}: ${message}`
  })
  if (problems.length > maxProblems) all.push(`and ${problems.length - maxProblems} more`)
  return all.join('; ')
}

/** A path as a JSON Pointer. */
function pointer(keys: readonly PropertyKey[]): string {
  return keys.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/** JSON Schema of a schema: a copy, for it goes to the engine and to a library that writes into it. */
function described(what: string, schema: JsonSchema | StandardSchema, side: 'input' | 'output') {
  let own: unknown = schema
  if (isStandard(schema)) {
    const { jsonSchema, vendor } = schema['~standard']
    if (jsonSchema === undefined) {
      throw new TypeError(
        `${what}: this version of ${vendor} has no Standard JSON Schema; pass JSON Schema instead`,
      )
    }
    own = jsonSchema[side]({ target: 'draft-2020-12' })
  }
  if (typeof own !== 'object' || own === null || Array.isArray(own)) {
    throw new TypeError(`${what} must be a JSON Schema, an object, or a Standard Schema`)
  }
  return jsonCopy(own) as { [keyword: string]: Json }
}

function draftOf(what: string, dialect: unknown): '2020-12' | '7' {
  if (dialect === undefined) return '2020-12' // MCP 2026-07-28, basic, JSON Schema
  switch (String(dialect).replace(/^https?:\/\/json-schema\.org\/(.*?)#?$/, '$1')) {
    case 'draft/2020-12/schema':
      return '2020-12'
    case 'draft-07/schema':
      return '7'
  }
  throw new TypeError(`${what}: $schema ${JSON.stringify(dialect)} is not supported; use 2020-12`)
}

async function standardCheck(schema: StandardSchema, value: unknown): Promise<Checked> {
  const result = await schema['~standard'].validate(value)
  if (result.issues === undefined) return { value: result.value }
  return {
    problems: result.issues.map(({ message, path = [] }) => ({
      message,
      path: pointer(path.map((part) => (typeof part === 'object' ? part.key : part))),
    })),
  }
}
