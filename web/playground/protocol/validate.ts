/**
 * Validates values against the schemas of schema.ts; problems are keys of texts. It supports only the keywords
 * that are used there: tools' schemas, which can be anything, need @cfworker/json-schema
 * (compose/tool-schema.ts).
 */

import type { Sentence } from './explain.ts'
import { resolve, type Schema } from './schema.ts'
import { isA } from './shape.ts'

/** Members and indexes, from the root. */
export type Path = readonly (string | number)[]

export interface Problem {
  at: Path
  sentence: Sentence
}

/** Further problems are omitted. */
const maxProblems = 20 // problems

/** The protocol has no deeper values; they are not checked. */
const maxDepth = 32 // levels

/** A path for users: `params.refs[0].uri`. */
export const pathText = (path: Path): string =>
  path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i > 0 ? `.${step}` : step))
    .join('')

/** A path as a JSON Pointer (RFC 6901). */
export const pointer = (path: Path): string =>
  path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')

/**
 * All problems of a value, outermost first, at most {@link maxProblems}.
 *
 * @param at - path of the value in the message
 */
export function problemsOf(value: unknown, schema: Schema, at: Path = []): Problem[] {
  const problems: Problem[] = []
  visit(value, schema, at, schema.$defs, problems, 0)
  return problems
}

function visit(
  value: unknown,
  given: Schema,
  at: Path,
  $defs: Schema['$defs'],
  problems: Problem[],
  depth: number,
) {
  if (problems.length >= maxProblems || depth > maxDepth) return
  const schema = resolve(given, $defs)
  const say = (key: string, params: Sentence['params'], where = at) =>
    problems.push({
      at: where,
      sentence: { key: `explain.hint.${key}` as Sentence['key'], params },
    })
  const member = pathText(at)
  if (schema.anyOf) {
    const arm = armOf(value, schema.anyOf, $defs)
    if (arm) visit(value, arm, at, $defs, problems, depth + 1)
    else {
      const kinds = flatArms(schema.anyOf, $defs).map((one) => resolve(one, $defs).type)
      const simple = kinds.every((one) => typeof one === 'string' && one !== 'object')
      if (simple) say('type', { member, type: kinds.join(' | ') })
      else say('schema', { member })
    }
    return
  }
  if (schema.const !== undefined && value !== schema.const) {
    say('value', { member, value: JSON.stringify(schema.const) })
    return
  }
  if (schema.enum && !schema.enum.includes(value)) {
    say('value', { member, value: schema.enum.map((one) => JSON.stringify(one)).join(' | ') })
    return
  }
  if (typeof schema.type === 'string' && !isA(schema.type, value)) {
    say('type', { member, type: schema.type })
    return
  }
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = schema
  if (typeof value === 'number' && (value < minimum || value > maximum)) {
    say('range', { member, limit: `${schema.minimum ?? ''} … ${schema.maximum ?? ''}` })
  }
  if (Array.isArray(value)) {
    if (schema.maxItems !== undefined && value.length > schema.maxItems) {
      say('range', { member, limit: `… ${schema.maxItems}` })
    }
    const { items } = schema
    if (items) {
      value.forEach((item, i) => {
        visit(item, items, [...at, i], $defs, problems, depth + 1)
      })
    }
  } else if (typeof value === 'object' && value !== null) {
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value, name)) say('missing', { member: pathText([...at, name]) }, at)
    }
    const rest = schema.additionalProperties
    for (const [name, inner] of Object.entries(value)) {
      const own =
        schema.properties && Object.hasOwn(schema.properties, name)
          ? schema.properties[name]
          : typeof rest === 'object'
            ? rest
            : undefined
      if (own) visit(inner, own, [...at, name], $defs, problems, depth + 1)
    }
  }
}

/**
 * The intended member of a union: the one that matches, else the one with the value's literals (`type`,
 * `mode`, `method`), so that problems refer to it.
 */
export function armOf(
  value: unknown,
  arms: readonly Schema[],
  $defs: Schema['$defs'],
): Schema | undefined {
  const fitting = arms.find((arm) => problemsOf(value, { ...arm, $defs }).length === 0)
  if (fitting) return fitting
  return flatArms(arms, $defs).find((arm) => {
    const { properties = {} } = resolve(arm, $defs)
    const literals = Object.entries(properties).filter(([, one]) => one.const !== undefined)
    return (
      literals.length > 0 &&
      typeof value === 'object' &&
      literals.every(
        ([name, one]) => (value as { [name: string]: unknown } | null)?.[name] === one.const,
      )
    )
  })
}

/** The members of a union, including nested unions. */
export function flatArms(arms: readonly Schema[], $defs: Schema['$defs']): Schema[] {
  return arms.flatMap((arm) => {
    const inner = resolve(arm, $defs).anyOf
    return inner ? flatArms(inner, $defs) : [arm]
  })
}
